package delayed

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// died puts one whole entry into the dead store.
func died(t *testing.T, rdb *redis.Client, k wire.Keys, body string, more ...any) string {
	t.Helper()
	return queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{
		Stream: k.Dead,
		Values: append([]any{
			"body", body, "reason", "exhausted", "detail", "no stock; 50% off", "delivered", 6, "failed", 5, "died", 1,
			"due", 1700000000000, "id", "18bcfe56800-0102030405060a", "at", 1700000001234,
			"trace", "1234567890123456789012345",
		}, more...),
	}).Result())
}

func redriven(t *testing.T, rdb *redis.Client, k wire.Keys, entries ...RedriveEntry) {
	t.Helper()
	for _, status := range queuetest.Must[[]RedriveStatus](t)(Redrive(t.Context(), rdb, k, RedriveArgs{Entries: entries})) {
		if status != Redriven {
			t.Fatalf("redrive: %v", status)
		}
	}
}

// historyAt reads what the attempts hold of the last message with a payload.
func historyAt(t *testing.T, rdb *redis.Client, k wire.Keys, body string) (counts, text string) {
	t.Helper()
	for _, value := range rdb.HGetAll(t.Context(), k.Attempts).Val() {
		c, rest, _ := strings.Cut(value, ";")
		if sum := sha1.Sum([]byte(body)); rest[73:113] == hex.EncodeToString(sum[:]) && rest[113:117] == "0000" {
			counts, text = c, rest[117:]
		}
	}
	return counts, text
}

// A message that died comes back with what was wrong, and its counters at none.
func TestRedriveKeepsTheHistory(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	entry := died(t, rdb, k, "order")
	before := queuetest.NowMs(t, rdb)
	redriven(t, rdb, k, RedriveEntry{Entry: entry})
	counts, text := historyAt(t, rdb, k, "order")
	h := wire.ParseHistory(text)
	if counts != "0,0,0" || h.Redriven != 1 || len(h.Deaths) != 1 {
		t.Fatalf("%s %+v", counts, h)
	}
	d := h.Deaths[0]
	if d.RedrivenMs < before || d.RedrivenMs > before+10_000 {
		t.Errorf("redriven at %d, now %d", d.RedrivenMs, before)
	}
	d.RedrivenMs = 0
	want := wire.Death{
		AtMs: 1700000001234, Entry: entry, Reason: "exhausted", Delivered: 6, Failed: 5, Died: 1,
		DueMs: 1700000000000, ID: "18bcfe56800-0102030405060a", Detail: "no stock; 50% off",
	}
	if d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	if rec := queuetest.TraceRecords(t, rdb, k, []byte("order")); len(rec) != 1 || string(rec[0].Context[:]) != "1234567890123456789012345" {
		t.Errorf("trace records %+v", rec)
	}
}

// Of very many deaths the first and the latest are kept.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, history := queuetest.NewQueue(), ""
	for i := range 12 {
		more := []any{"at", i, "detail", strings.Repeat("x\xff", 500)}
		if history != "" {
			more = append(more, "history", history)
		}
		redriven(t, rdb, k, RedriveEntry{Entry: died(t, rdb, k, "order", more...)})
		_, history = historyAt(t, rdb, k, "order")
		rdb.Del(t.Context(), k.Attempts, k.Queue)
	}
	h := wire.ParseHistory(history)
	var at []int64
	for _, d := range h.Deaths {
		at = append(at, d.AtMs)
	}
	if h.Redriven != 12 || !slices.Equal(at, []int64{0, 5, 6, 7, 8, 9, 10, 11}) || len(history) > 4000 {
		t.Errorf("%d times, deaths at %v, %d bytes", h.Redriven, at, len(history))
	}
}

// With a delay a message is offered anew, where Java sees it.
func TestRedriveWithDelay(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for noView, listed := range map[bool]int64{false: 2, true: 0} {
		k := queuetest.NewQueue()
		entries := []RedriveEntry{
			{died(t, rdb, k, "one"), time.Hour},
			{died(t, rdb, k, "two", "id", "18bcfe56800-01020304050607"), time.Hour - time.Microsecond},
			{died(t, rdb, k, "three", "id", "18bcfe56800-01020304050608"), 0},
		}
		before := queuetest.NowMs(t, rdb)
		got := queuetest.Must[[]RedriveStatus](t)(Redrive(t.Context(), rdb, k, RedriveArgs{Entries: entries, NoView: noView}))
		if !slices.Equal(got, []RedriveStatus{Redriven, Redriven, Redriven}) {
			t.Fatalf("%v: %v", noView, got)
		}
		if n := queuetest.Counts(t, rdb, k); n != [4]int64{1, 2, listed, 0} {
			t.Errorf("%v: ready, timeout, pending, dead = %v", noView, n)
		}
		for i, z := range queuetest.Must[[]redis.Z](t)(rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result()) {
			id, body, err := wire.Parse([]byte(z.Member.(string)), false)
			late := int64(z.Score) - before - 3_600_000 // rounded up to whole ms
			if err != nil || string(body) != []string{"two", "one"}[i] || !id.Universal() || late < 0 || late > 10_000 {
				t.Errorf("%v: %q %v, due %d ms late: %v", noView, body, id, late, err)
			}
		}
		if _, text := historyAt(t, rdb, k, "one"); wire.ParseHistory(text).Redriven != 1 {
			t.Errorf("%v: history %q", noView, text)
		}
	}
}

// An id that another element has is drawn anew, and nothing is lost or doubled.
func TestRedriveDrawsAnotherID(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	now := time.Now()
	frozen := func() time.Time { return now }
	ids, taken := wire.IDsAt(frozen, 5), wire.IDsAt(frozen, 5).Next()
	queuetest.Put(t, rdb, k, queuetest.NowMs(t, rdb)+3_600_000, wire.Pack(taken, []byte("x")))
	args := RedriveArgs{Entries: []RedriveEntry{{died(t, rdb, k, "x"), time.Hour}}, IDs: ids}
	got := queuetest.Must[[]RedriveStatus](t)(Redrive(t.Context(), rdb, k, args))
	if n := queuetest.Counts(t, rdb, k); got[0] != Redriven || n != [4]int64{0, 2, 2, 0} {
		t.Errorf("%v, ready, timeout, pending, dead = %v", got, n)
	}
}

// Keys of the wrong type: named, and nothing is changed.
func TestRedriveWrongType(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, key := range []func(wire.Keys) string{
		func(k wire.Keys) string { return k.Timeout }, func(k wire.Keys) string { return k.Pending }, func(k wire.Keys) string { return k.Queue },
		func(k wire.Keys) string { return k.Attempts }, func(k wire.Keys) string { return k.Due }, func(k wire.Keys) string { return k.Trace },
	} {
		k := queuetest.NewQueue()
		entry := died(t, rdb, k, "x")
		rdb.Set(t.Context(), key(k), "text", 0)
		_, err := Redrive(t.Context(), rdb, k, RedriveArgs{Entries: []RedriveEntry{{entry, time.Hour}}})
		if n := rdb.XLen(t.Context(), k.Dead).Val(); err == nil || !strings.Contains(err.Error(), key(k)) || n != 1 {
			t.Errorf("%s: %v, %d dead", key(k), err, n)
		}
	}
}

func TestTrimDead(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	now := queuetest.NowMs(t, rdb)
	entry := func(i int) string { return fmt.Sprintf("%d-0", now-int64(40-i)*3_600_000) } // one an hour
	for name, c := range map[string]struct {
		args TrimArgs
		left int64
	}{
		"no bound":         {TrimArgs{}, 40},
		"as many as fit":   {TrimArgs{Most: 40}, 40},
		"one too many":     {TrimArgs{Most: 39}, 39},
		"many":             {TrimArgs{Most: 3}, 3},
		"old ones":         {TrimArgs{Age: 10*time.Hour + time.Minute}, 10},
		"old and too many": {TrimArgs{Most: 20, Age: 10*time.Hour + time.Minute}, 10},
		"too many and old": {TrimArgs{Most: 5, Age: 10*time.Hour + time.Minute}, 5},
		"none that is old": {TrimArgs{Age: 41 * time.Hour}, 40},
	} {
		rdb.Del(t.Context(), k.Dead)
		for i := range 40 {
			queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{
				Stream: k.Dead, ID: entry(i),
				Values: []any{"body", strings.Repeat("x", i), "reason", "rejected", "digest", fmt.Sprint("d", i)},
			}).Result())
		}
		var gone []Trimmed
		for more := true; more; {
			r := queuetest.Must[TrimResult](t)(TrimDead(t.Context(), rdb, k, c.args))
			if len(r.Trimmed) > trimStep || r.More && len(r.Trimmed) < trimStep || r.Left != rdb.XLen(t.Context(), k.Dead).Val() {
				t.Fatalf("%s: %d trimmed, %+v", name, len(r.Trimmed), r)
			}
			gone, more = append(gone, r.Trimmed...), r.More
		}
		for i, m := range gone {
			want := Trimmed{Entry: entry(i), Reason: "rejected", Digest: fmt.Sprint("d", i), Size: int64(i), AtMs: now - int64(40-i)*3_600_000}
			if m != want {
				t.Errorf("%s: %+v, want %+v", name, m, want)
			}
		}
		if left := rdb.XLen(t.Context(), k.Dead).Val(); left != c.left || int64(len(gone)) != 40-c.left {
			t.Errorf("%s: %d left, %d gone", name, left, len(gone))
		}
	}
}
