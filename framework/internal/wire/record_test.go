package wire

import (
	"strings"
	"testing"
)

func TestParseMessageRecord(t *testing.T) {
	t.Parallel()
	value := "3,2,1;" + "0000017000000000" + "0000018000000000" + // counters; kept until, due
		"u" + "0000016000000000" + "\x07abcdefg" + strings.Repeat("-", 16) + strings.Repeat("-", 40) + // ID, first due, digest
		"0005" + "a;b;c" + "history"
	r, ok := ParseMessageRecord(value)
	want := MessageRecord{
		ID:  MessageID{DueMs: 16000000000, Element: ElementID{Kind: KindFirst, Raw: [8]byte([]byte("\x07abcdefg"))}},
		Key: "a;b;c", DueMs: 18000000000, Delivered: 3, Failed: 2, Died: 1,
	}
	if !ok || r != want {
		t.Errorf("%+v %v, want %+v", r, ok, want)
	}
	for i := range len(value) - len("history") {
		if r, ok := ParseMessageRecord(value[:i]); ok {
			t.Errorf("the first %d bytes are a record: %+v", i, r)
		}
	}
	if _, ok := ParseMessageRecord(strings.Replace(value, "0005", "-005", 1)); ok {
		t.Error("a negative length is read")
	}
}
