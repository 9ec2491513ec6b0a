package delayed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// outcome is what OfferAll said of one message.
type outcome struct {
	i      int
	result OfferResult
	err    error
}

// all offers and returns the outcomes in the order in which they were reported.
func all(t testing.TB, rdb redis.UniversalClient, k wire.Keys, offers iter.Seq[OfferArgs]) []outcome {
	t.Helper()
	var out []outcome
	n := OfferAll(t.Context(), rdb, k, offers, func(i int, r OfferResult, err error) { out = append(out, outcome{i, r, err}) })
	if n != len(out) {
		t.Errorf("%d read, %d reported", n, len(out))
	}
	for want, o := range out {
		if o.i != want {
			t.Fatalf("reported %d in the place of %d", o.i, want)
		}
	}
	return out
}

// numbered gives n offers with payloads "0", "1" and so on.
func numbered(n int, args func(i int) OfferArgs) iter.Seq[OfferArgs] {
	return func(yield func(OfferArgs) bool) {
		for i := range n {
			a := args(i)
			a.Payload = fmt.Append(nil, i)
			if !yield(a) {
				return
			}
		}
	}
}

func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}

// All are there, in the order of offers where they are due together, and the
// channel learns of the earliest.
func TestOfferAll(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	const n = 3*bulkItems + 7
	k := queuetest.NewQueue()
	ps := rdb.Subscribe(t.Context(), k.Channel)
	t.Cleanup(func() { _ = ps.Close() })
	queuetest.Must[any](t)(ps.Receive(t.Context()))
	at := time.UnixMilli(queuetest.NowMs(t, rdb) - 5)
	out := all(t, rdb, k, numbered(n, func(int) OfferArgs { return OfferArgs{At: at} }))
	for _, o := range out {
		if o.err != nil || o.result.DueMs != at.UnixMilli() || o.result.Tries != 1 || o.result.Text != wire.FormatID(o.result.DueMs, o.result.ID) {
			t.Fatalf("%+v", o)
		}
	}
	if m := queuetest.Must[*redis.Message](t)(ps.ReceiveMessage(t.Context())); m.Payload != fmt.Sprint(at.UnixMilli()) {
		t.Errorf("published %s", m.Payload)
	}
	if c := queuetest.Counts(t, rdb, k); c[1] != n || c[2] != n {
		t.Errorf("counts %v", c)
	}
	transferAll(t, rdb, k, TransferArgs{})
	if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, numbers(n)) {
		t.Errorf("ready: %d in another order", len(got))
	}
	if len(all(t, rdb, k, func(func(OfferArgs) bool) {})) != 0 {
		t.Error("nothing was offered, something reported")
	}
}

// Delays count from the moment of the script; what one refuses stops no other.
func TestOfferAllItemsAreIndependent(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	trace := []byte("0123456789abcdefghijklmn\x01")
	before := queuetest.NowMs(t, rdb)
	out := all(t, rdb, k, slices.Values([]OfferArgs{
		{Payload: []byte("a"), Delay: time.Hour, Trace: trace},
		{Payload: []byte("b"), Delay: -1, Trace: trace},
		{Payload: []byte("c"), At: time.UnixMilli(wire.MaxDueMs), Trace: trace},
		{Payload: []byte("d"), At: time.UnixMilli(wire.MaxDueMs - 1), Trace: trace},
		{Payload: []byte("e"), Delay: time.Minute, Dedup: Dedup{Key: "k"}, Trace: trace},
		{Payload: []byte("f"), Delay: time.Minute, Dedup: Dedup{Key: "k"}, Trace: trace},
		{Payload: []byte("g"), Delay: 2 * time.Hour, Trace: trace},
	}))
	var delay *fault.DelayError
	if !errors.As(out[1].err, &delay) || !errors.As(out[2].err, &delay) {
		t.Errorf("negative: %v; too late: %v", out[1].err, out[2].err)
	}
	for i, want := range map[int]time.Duration{0: time.Hour, 4: time.Minute, 6: 2 * time.Hour} {
		if due := out[i].result.DueMs - before; out[i].err != nil || due < want.Milliseconds() || due > want.Milliseconds()+5000 {
			t.Errorf("%d: %+v", i, out[i])
		}
	}
	if out[5].result.Dedup != DedupKept || out[5].result.ID != out[4].result.ID {
		t.Errorf("key taken: %+v", out[5])
	}
	if got := payloads(t, rdb, k); got != "e a g d" {
		t.Errorf("pending %q", got)
	}
	if n := rdb.ZCard(t.Context(), k.Trace).Val(); n != 4 {
		t.Errorf("%d trace records", n)
	}
}

// A lost answer or call is sent again with the same elements: none lost, none twice.
func TestOfferAllResends(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, plans := range map[string][]loss{
		"reply": {lostReply}, "call": {lostCall}, "reply twice": {lostReply, lostReply}, "dial": {dialLoss, lostReply},
	} {
		k := queuetest.NewQueue()
		faulty, _ := losing(t, rdb, plans...)
		out := all(t, faulty, k, numbered(50, func(i int) OfferArgs {
			a := OfferArgs{Delay: time.Hour}
			if i%10 == 0 {
				a.Dedup = Dedup{Key: fmt.Sprint(i)}
			}
			return a
		}))
		for _, o := range out {
			if o.err != nil || o.result.Tries != len(plans)+1 {
				t.Fatalf("%s: %+v", name, o)
			}
		}
		if c := queuetest.Counts(t, rdb, k); c[1] != 50 || c[2] != 50 {
			t.Errorf("%s: counts %v", name, c)
		}
	}
}

// What was delivered before the resend cannot be told from what was not added.
func TestOfferAllOutcomeUnknown(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	faulty, l := losing(t, rdb, lostReply)
	l.after = func(int) { transferAll(t, rdb, k, TransferArgs{}) }
	at := time.UnixMilli(queuetest.NowMs(t, rdb) - 5)
	out := all(t, faulty, k, numbered(3, func(i int) OfferArgs {
		if i == 1 {
			return OfferArgs{Delay: time.Hour}
		}
		return OfferArgs{At: at}
	}))
	var unknown *fault.OutcomeUnknownError
	if !errors.As(out[0].err, &unknown) || out[1].err != nil || !errors.As(out[2].err, &unknown) {
		t.Errorf("%+v", out)
	}
	if got := strings.Join(queuetest.Ready(t, rdb, k), " "); got != "0 2" || payloads(t, rdb, k) != "1" {
		t.Errorf("ready %q", got)
	}
}

// year2000 is a clock that stands still.
func year2000() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// An id that exists is drawn again, in the same batch too.
func TestOfferAllTaken(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	frozen := wire.IDsAt(year2000, 5)
	first := frozen.Next()
	queuetest.Put(t, rdb, k, 5, wire.Pack(first, []byte("0")))
	again := wire.IDsAt(year2000, 5)
	out := all(t, rdb, k, numbered(2, func(int) OfferArgs { return OfferArgs{IDs: again, Delay: time.Hour} }))
	if out[0].err != nil || out[1].err != nil || out[0].result.ID == first || out[0].result.ID == out[1].result.ID {
		t.Errorf("%+v", out)
	}
	if c := queuetest.Counts(t, rdb, k); c[1] != 3 {
		t.Errorf("counts %v", c)
	}
}

// A cancelled context ends the reading; each message read is reported.
func TestOfferAllCancelled(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	ctx, cancel := context.WithCancel(t.Context())
	read, reported := 0, 0
	n := OfferAll(ctx, rdb, k, numbered(1<<30, func(i int) OfferArgs {
		if read++; i == 5*bulkItems {
			cancel()
		}
		return OfferArgs{Delay: time.Hour}
	}), func(_ int, _ OfferResult, err error) {
		reported++
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if n != reported || n > read || read > 5*bulkItems+2 {
		t.Errorf("read %d, begun %d, reported %d", read, n, reported)
	}
}

// A key of the wrong type, found by the script: nothing is added.
func TestOfferAllWrongType(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for i := range 4 {
		k := queuetest.NewQueue()
		key := []string{k.Timeout, k.Pending, k.Queue, k.Trace}[i]
		rdb.Set(t.Context(), key, "x", 0)
		var wrong *fault.WrongTypeError
		for _, o := range all(t, rdb, k, numbered(3, func(int) OfferArgs { return OfferArgs{Trace: make([]byte, wire.TraceContextBytes)} })) {
			if !errors.As(o.err, &wrong) || wrong.Key != key {
				t.Errorf("%s: %v", key, o.err)
			}
		}
		if n := rdb.Exists(t.Context(), k.All()...).Val(); n != 1 {
			t.Errorf("%s: %d keys", key, n)
		}
	}
}

// The channel learns of the head, though its id was made after those of others that are
// due with it: one that was drawn again may stand before them.
func TestOfferAllTellsOfTheHead(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	element := func(id byte) []byte {
		return wire.Pack(wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 7: id}}, []byte{id})
	}
	for name, runs := range map[string][]any{
		"one run":                   {"at", 5_000, 3},
		"two runs of one time":      {"at", 5_000, 1, "at", 5_000, 2},
		"the first run comes later": {"at", 5_001, 1, "at", 5_000, 2},
	} {
		k := queuetest.NewQueue()
		args := append([]any{"", "", 1000, "1", "", len(runs) / 3, 0}, runs...)
		args = append(args, element(9), element(4), element(6))
		reply := queuetest.Must[any](t)(offerScript.Run(t.Context(), rdb, []string{k.Timeout, k.Pending, k.Channel, k.Queue, k.Trace, k.Attempts}, args...)).([]any)
		if reply[2] != int64(1) || reply[3] != "+++" {
			t.Errorf("%s: %v", name, reply)
		}
	}
}
