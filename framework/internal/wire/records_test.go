package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestRecordsGolden(t *testing.T) {
	t.Parallel()
	due := wire.DueRecord{ID: wire.ElementID{wire.KindFirst, [8]byte([]byte("\x07abcdefg"))}, DueMs: 1700000000000, WrittenMs: 1700000000001}
	const head = "u00017000000000000001700000000001\x07abcdefg"
	if got := string(due.Append(nil)); got != head {
		t.Errorf("due: %q", got)
	}
	trace := wire.TraceRecord{DueRecord: due, ExpiryMs: 1700000086400}
	copy(trace.Context[:], "0123456789abcdefSPANSPAN\x01")
	if got := queuetest.TraceMember(trace, []byte("p")); got != wire.Digest([]byte("p"))+"u\x07abcdefg"+head[1:33]+"0123456789abcdefSPANSPAN\x010001700000086400" {
		t.Errorf("trace: %q", got)
	}
	if got := queuetest.TraceRecord(trace); got != head+"0123456789abcdefSPANSPAN\x010001700000086400" || len(got) != 82 {
		t.Errorf("trace: %q", got)
	}
}

// Digest and due entry are the same in Go and in Lua.
func TestDigestsLuaAgree(t *testing.T) {
	t.Parallel()
	digests := snippet("digest due",
		`return {digest(ARGV[1]), due_entry(due_record('u', 5, 7, '12345678'), ARGV[1])}`)
	record := wire.DueRecord{ID: wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte([]byte("12345678"))}, DueMs: 5, WrittenMs: 7}
	rdb := lab.Shared.Client()
	for _, size := range []int{0, 1, 511, 512, 513, 4095, 4096, 4097, 100_000} {
		payload := bytes.Repeat([]byte("a\x00\xffz"), size/4+1)[:size]
		got := queuetest.Must[any](t)(digests.Run(t.Context(), rdb, nil, payload)).([]any)
		if got[0] != wire.Digest(payload) || got[1] != string(record.Entry(payload)) {
			t.Errorf("%d bytes: Lua %q", size, got)
		}
	}
}

// A due record reads as it was written, and nothing else does.
func TestParseDueRecord(t *testing.T) {
	t.Parallel()
	for _, want := range []wire.DueRecord{
		{ID: wire.ElementID{wire.KindJava, [8]byte{1}}, DueMs: 5, WrittenMs: 7},
		{ID: wire.ElementID{wire.KindPushed, [8]byte{9}}, DueMs: wire.MaxDueMs - 1, Guess: true},
		{ID: wire.ElementID{Kind: wire.KindOther}},
	} {
		text := string(want.Append(nil))
		if got, ok := wire.ParseDueRecord(text + "behind"); got != want || !ok {
			t.Errorf("%q reads as %+v, %v", text, got, ok)
		}
		for _, bad := range []string{text[:len(text)-1], "", strings.Replace(text, "0", "-", 1), strings.Repeat("-", wire.DueRecordBytes)} {
			if got, ok := wire.ParseDueRecord(bad); ok {
				t.Errorf("%q reads as %+v", bad, got)
			}
		}
	}
}

func TestDigestGolden(t *testing.T) {
	t.Parallel()
	// printf 'hello5' | sha1sum
	if got := wire.Digest([]byte("hello")); got != "afee8cb6e87492cc3d6bf07e1c387cc8845b4177" {
		t.Errorf("got %s", got)
	}
	a, b := bytes.Repeat([]byte{1}, 5000), bytes.Repeat([]byte{1}, 5001)
	if wire.Digest(a) == wire.Digest(b) {
		t.Error("the length does not count")
	}
}
