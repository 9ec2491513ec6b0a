package redisson

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
)

// pendingOf returns the elements of the timeout set and those of the pending list.
func pendingOf(t testing.TB, rdb *redis.Client, k Keys) (set, list []string) {
	t.Helper()
	set = must[[]string](t)(rdb.ZRange(t.Context(), k.Timeout, 0, -1).Result())
	list = must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
	return set, list
}

// named returns what names an element that Java or Go put into the set.
func named(dueMs int64, element []byte) ChangeArgs {
	id, _, _ := Parse(element, true)
	return ChangeArgs{DueMs: dueMs, ID: id}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		ids := NewIDs() // of two generators ids may be equal
		due := nowMs(t, s.rdb) + 3_600_000
		for name, element := range map[string][]byte{
			"universal":          Pack(ids.Next(), []byte("payload")),
			"universal, empty":   Pack(ids.Next(), nil),
			"Redisson 3.21.0":    javaOld(77, []byte("payload")),
			"Redisson 3.21.1":    javaNew([]byte("\x00\xff345678"), []byte("payload")),
			"with nul and bytes": Pack(ids.Next(), []byte("a\x00\xff")),
		} {
			k := newQueue()
			// Neighbours at the same due time, before and after it in the set.
			before, after := Pack(ids.Next(), []byte("x")), javaNew([]byte("\xff\xff345678"), []byte("y"))
			for _, e := range [][]byte{before, element, after} {
				put(t, s.rdb, k, due, e)
			}
			_, payload, _ := Parse(element, true)
			got, err := Cancel(t.Context(), s.rdb, k, named(due, element))
			if err != nil || got.DueMs != due || string(got.Payload) != string(payload) {
				t.Errorf("%s: %+v %v", name, got, err)
			}
			set, list := pendingOf(t, s.rdb, k)
			want := []string{string(before), string(after)}
			if !slices.Equal(list, want) || len(set) != 2 || slices.Contains(set, string(element)) {
				t.Errorf("%s: left in the set %q, in the list %q", name, set, list)
			}
			if _, err = Cancel(t.Context(), s.rdb, k, named(due, element)); !errors.Is(err, fault.ErrGone) {
				t.Errorf("%s, again: %v", name, err)
			}
			if _, err = Cancel(t.Context(), s.rdb, k, named(due+1, before)); !errors.Is(err, fault.ErrGone) {
				t.Errorf("%s, another due time: %v", name, err)
			}
		}
	})
}

// One id drawn by two processes for one due time: nothing is cancelled by chance.
func TestCancelAmbiguous(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, id := newQueue(), NewIDs().Next()
		due := nowMs(t, s.rdb) + 1000
		put(t, s.rdb, k, due, Pack(id, []byte("one")))
		put(t, s.rdb, k, due, Pack(id, []byte("two")))
		var ambiguous *fault.AmbiguousIDError
		if _, err := Cancel(t.Context(), s.rdb, k, ChangeArgs{DueMs: due, ID: id}); !errors.As(err, &ambiguous) {
			t.Errorf("cancel: %v", err)
		}
		if _, err := Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: due, ID: id}, due+1); !errors.As(err, &ambiguous) {
			t.Errorf("reschedule: %v", err)
		}
		if set, list := pendingOf(t, s.rdb, k); len(set) != 2 || len(list) != 2 {
			t.Errorf("left %q %q", set, list)
		}
	})
}

// Every element of many at one due time is found, by O(log n) looks.
func TestCancelAmongManyAtOneDue(t *testing.T) {
	t.Parallel()
	k, rdb := newQueue(), connect(t, realServer.Addr())
	const n = 100_000
	at := time.UnixMilli(nowMs(t, rdb) + 3_600_000)
	ids := NewIDs()
	made := make([]ElementID, n)
	for from := 0; from < n; from += 10_000 {
		pipe := rdb.Pipeline()
		for i := from; i < from+10_000; i++ {
			made[i] = ids.Next()
			pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(at.UnixMilli()), Member: Pack(made[i], fmt.Appendf(nil, "payload %d", i))})
		}
		must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	}
	for _, i := range []int{0, 1, n / 2, n/2 + 1, n - 2, n - 1} {
		got, err := Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: at.UnixMilli(), ID: made[i], View: ViewLazy})
		if err != nil || string(got.Payload) != fmt.Sprintf("payload %d", i) {
			t.Errorf("%d: %+v %v", i, got, err)
		}
	}
	if left := rdb.ZCard(t.Context(), k.Timeout).Val(); left != n-6 {
		t.Errorf("%d left", left)
	}
}

func TestReschedule(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		ps := s.rdb.Subscribe(t.Context(), k.Channel)
		t.Cleanup(func() { _ = ps.Close() })
		must[any](t)(ps.Receive(t.Context()))
		now := nowMs(t, s.rdb)
		one := must[OfferResult](t)(Offer(t.Context(), s.rdb, k, OfferArgs{Payload: []byte("one"), At: time.UnixMilli(now + 60_000)}))
		two := must[OfferResult](t)(Offer(t.Context(), s.rdb, k, OfferArgs{Payload: []byte("two"), At: time.UnixMilli(now + 90_000)}))
		published := func(want int64) {
			t.Helper()
			m := must[*redis.Message](t)(ps.ReceiveMessage(t.Context()))
			if m.Payload != fmt.Sprint(want) {
				t.Errorf("published %s, want %d", m.Payload, want)
			}
		}
		published(one.DueMs)
		move := func(r OfferResult, dueMs int64, head bool) Rescheduled {
			t.Helper()
			moved, err := Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: r.DueMs, ID: r.ID}, dueMs)
			if err != nil || moved.DueMs != dueMs || moved.Head != head || moved.ID != (MessageID{DueMs: r.DueMs, Element: r.ID}) {
				t.Errorf("%+v %v", moved, err)
			}
			return moved
		}
		move(two, now+120_000, false) // later: nobody need know
		move(two, now+30_000, true)   // earlier than the head
		published(now + 30_000)
		if set, list := pendingOf(t, s.rdb, k); len(set) != 2 || set[0] != string(Pack(two.ID, []byte("two"))) || len(list) != 2 {
			t.Errorf("%q %q", set, list)
		}
		for _, due := range []int64{-1, MaxDueMs} {
			var delay *fault.DelayError
			if _, err := Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: one.DueMs, ID: one.ID}, due); !errors.As(err, &delay) {
				t.Errorf("due %d: %v", due, err)
			}
		}
		move(two, now-5, true) // past: due at once
		if r := transferAll(t, s, k, TransferArgs{}); r.Moved != 1 || ready(t, s.rdb, k)[0] != "two" {
			t.Errorf("transfer %+v", r)
		}
	})
}

// The trace of a message follows its due time, and goes with it.
func TestChangesKeepTheTraceRecord(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		trace := []byte("0123456789abcdefghijklmn\x01")
		at := time.UnixMilli(nowMs(t, s.rdb) + 60_000)
		var made []OfferResult
		for range 3 { // one payload
			made = append(made, must[OfferResult](t)(Offer(t.Context(), s.rdb, k, OfferArgs{Payload: []byte("same"), At: at, Trace: trace})))
		}
		records := func() []TraceRecord {
			t.Helper()
			return traceRecords(t, s, k, []byte("same"))
		}
		later := at.UnixMilli() + 86_400_000
		must[Rescheduled](t)(Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: made[1].DueMs, ID: made[1].ID}, later))
		got := records()
		if len(got) != 3 || got[1].ID != made[1].ID || got[1].DueMs != later || got[1].ExpiryMs != later+DefaultTraceTTL.Milliseconds() ||
			got[0].DueMs != at.UnixMilli() || got[2].DueMs != at.UnixMilli() || string(got[1].Context[:]) != string(trace) {
			t.Errorf("records %+v", got)
		}
		must[Cancelled](t)(Cancel(t.Context(), s.rdb, k, ChangeArgs{DueMs: made[0].DueMs, ID: made[0].ID}))
		if got = records(); len(got) != 2 || got[0].ID != made[1].ID || got[1].ID != made[2].ID {
			t.Errorf("records %+v", got)
		}
	})
}

// A lost answer is asked for again; what cannot be known is said.
func TestChangesAfterALostReply(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		offered := must[OfferResult](t)(Offer(t.Context(), s.rdb, k, OfferArgs{Payload: []byte("p"), Delay: time.Hour}))
		args := ChangeArgs{DueMs: offered.DueMs, ID: offered.ID}
		client := func(plans ...loss) *redis.Client {
			rdb := connect(t, s.rdb.Options().Addr)
			rdb.AddHook(&lossy{plans: plans})
			return rdb
		}
		must[any](t)(rescheduleScript.Run(t.Context(), s.rdb, args.keys(k, k.Timeout, k.Channel), 1, "u12345678", 1, 1))
		must[any](t)(cancelScript.Run(t.Context(), s.rdb, args.keys(k, k.Timeout, k.Pending), 1, "u12345678", "1"))

		moved, err := Reschedule(t.Context(), client(lostReply), k, args, args.DueMs+5)
		if err != nil || moved.DueMs != args.DueMs+5 {
			t.Errorf("reschedule: %+v %v", moved, err)
		}
		var unknown *fault.ChangeUnknownError
		if _, err = Cancel(t.Context(), client(lostReply), k, args); !errors.As(err, &unknown) || errors.Is(err, fault.ErrGone) || unknown.Tries != 2 {
			t.Errorf("cancelled, but no answer: %v", err)
		}
		if set, _ := pendingOf(t, s.rdb, k); len(set) != 0 {
			t.Errorf("left %q", set)
		}
		if _, err = Cancel(t.Context(), client(dialLoss), k, args); !errors.Is(err, fault.ErrGone) {
			t.Errorf("not sent at first: %v", err)
		}
		if _, err = Reschedule(t.Context(), client(lostReply), k, args, 5); !errors.As(err, &unknown) {
			t.Errorf("gone after a lost answer: %v", err)
		}
	})
}

// Cancellations beside transfers: each message ends at exactly one of the two.
func TestCancelBesideTransfer(t *testing.T) {
	t.Parallel()
	k, rdb := newQueue(), connect(t, realServer.Addr())
	const n = 400
	at := time.UnixMilli(nowMs(t, rdb) + 20)
	made := make([]OfferResult, n)
	for i := range made {
		made[i] = must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: fmt.Appendf(nil, "%d", i), At: at}))
	}
	cancelled := map[string]bool{}
	var all sync.WaitGroup
	all.Go(func() {
		for moved := 0; rdb.ZCard(t.Context(), k.Timeout).Val() > 0 && moved < n; {
			r, err := Transfer(t.Context(), rdb, k, TransferArgs{Limit: 3})
			if err != nil {
				t.Error(err)
				return
			}
			moved += r.Moved
		}
	})
	for _, m := range slices.Backward(made) {
		switch c, err := Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: m.DueMs, ID: m.ID}); {
		case err == nil:
			cancelled[string(c.Payload)] = true
		case !errors.Is(err, fault.ErrGone):
			t.Fatal(err)
		}
	}
	all.Wait()
	moved := ready(t, rdb, k)
	if len(cancelled)+len(moved) != n {
		t.Errorf("%d cancelled and %d ready of %d", len(cancelled), len(moved), n)
	}
	for _, p := range moved {
		if cancelled[p] {
			t.Errorf("%s was cancelled and is ready", p)
		}
	}
	if left := counts(t, rdb, k); left[1] != 0 || left[2] != 0 {
		t.Errorf("left %v", left)
	}
}
