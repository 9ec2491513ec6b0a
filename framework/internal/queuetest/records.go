package queuetest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// TraceRecord is the text of a trace record.
func TraceRecord(r wire.TraceRecord) string {
	return fmt.Sprintf("%s%s%016d", r.Append(nil), r.Context[:], r.ExpiryMs)
}

// TraceMember is the member of the sorted set that a trace record is.
func TraceMember(r wire.TraceRecord, payload []byte) string {
	record := TraceRecord(r)
	return wire.Digest(payload) + record[:1] + string(r.ID.Raw[:]) + record[1:33] + record[wire.DueRecordBytes:]
}

// TraceRecords reads the traces of a payload, which must be all.
func TraceRecords(t *testing.T, rdb *redis.Client, k wire.Keys, payload []byte) []wire.TraceRecord {
	t.Helper()
	var out []wire.TraceRecord
	for _, m := range Must[[]string](t)(rdb.ZRange(t.Context(), k.Trace, 0, -1).Result()) {
		due, _ := wire.ParseDueRecord(m[40:41] + m[49:81] + m[41:49])
		r := wire.TraceRecord{
			DueRecord: due, Context: [wire.TraceContextBytes]byte([]byte(m[81:106])),
			ExpiryMs: Must[int64](t)(strconv.ParseInt(m[106:], 10, 64)),
		}
		if want := TraceMember(r, payload); m != want {
			t.Errorf("%q is %q in Go", m, want)
		}
		out = append(out, r)
	}
	return out
}

// DueRecords reads the due list, whose entries must be those of payloads, in order.
func DueRecords(t *testing.T, rdb *redis.Client, k wire.Keys, payloads ...string) []wire.DueRecord {
	t.Helper()
	entries := Must[[]string](t)(rdb.LRange(t.Context(), k.Due, 0, -1).Result())
	if len(entries) != len(payloads) {
		t.Fatalf("%d entries for %d payloads: %q", len(entries), len(payloads), entries)
	}
	records := make([]wire.DueRecord, len(entries))
	for i, entry := range entries {
		r, _ := wire.ParseDueRecord(entry)
		if want := string(r.Entry([]byte(payloads[i]))); entry != want {
			t.Errorf("entry %d is %q, want %q", i, entry, want)
		}
		records[i] = r
	}
	return records
}

// WantDues compares the due ms of the list, 0 where none is known, and the payloads; | is
// the mark.
func WantDues(t *testing.T, rdb *redis.Client, k wire.Keys, want string) {
	t.Helper()
	var got []string
	for _, entry := range rdb.LRange(t.Context(), k.Due, 0, -1).Val() {
		due := strings.TrimLeft(entry[1:17], "0-")
		if len(entry) == wire.DueRecordBytes {
			due = "|"
		}
		got = append(got, due+entry[wire.DueRecordBytes:])
	}
	if g := strings.Join(got, " "); g != want {
		t.Errorf("due list %q, want %q", g, want)
	}
}
