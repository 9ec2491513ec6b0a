package redisson

import (
	"strconv"
	"strings"
	"testing"
)

// traceRecords reads the traces of a payload, which must be all.
func traceRecords(t *testing.T, s server, k Keys, payload []byte) []TraceRecord {
	t.Helper()
	var out []TraceRecord
	for _, m := range must[[]string](t)(s.rdb.ZRange(t.Context(), k.Trace, 0, -1).Result()) {
		due, _ := ParseDueRecord(m[40:41] + m[49:81] + m[41:49])
		r := TraceRecord{
			DueRecord: due, Context: [TraceContextBytes]byte([]byte(m[81:106])),
			ExpiryMs: must[int64](t)(strconv.ParseInt(m[106:], 10, 64)),
		}
		if m != string(r.Member(payload)) {
			t.Errorf("%q is %q in Go", m, r.Member(payload))
		}
		out = append(out, r)
	}
	return out
}

// dueRecords reads the due list, whose entries must be those of payloads, in order.
func dueRecords(t *testing.T, s server, k Keys, payloads ...string) []DueRecord {
	t.Helper()
	entries := must[[]string](t)(s.rdb.LRange(t.Context(), k.Due, 0, -1).Result())
	if len(entries) != len(payloads) {
		t.Fatalf("%d entries for %d payloads: %q", len(entries), len(payloads), entries)
	}
	records := make([]DueRecord, len(entries))
	for i, entry := range entries {
		r, _ := ParseDueRecord(entry)
		if want := string(r.Entry([]byte(payloads[i]))); entry != want {
			t.Errorf("entry %d is %q, want %q", i, entry, want)
		}
		records[i] = r
	}
	return records
}

// wantDues compares the due ms of the list, 0 where none is known, and the payloads; | is
// the mark.
func wantDues(t *testing.T, s server, k Keys, want string) {
	t.Helper()
	var got []string
	for _, entry := range s.rdb.LRange(t.Context(), k.Due, 0, -1).Val() {
		due := strings.TrimLeft(entry[1:17], "0-")
		if len(entry) == DueRecordBytes {
			due = "|"
		}
		got = append(got, due+entry[DueRecordBytes:])
	}
	if g := strings.Join(got, " "); g != want {
		t.Errorf("due list %q, want %q", g, want)
	}
}
