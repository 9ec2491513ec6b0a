package delayed

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// pendingOf returns the elements of the timeout set and those of the pending list.
func pendingOf(t testing.TB, rdb *redis.Client, k wire.Keys) (set, list []string) {
	t.Helper()
	set = queuetest.Must[[]string](t)(rdb.ZRange(t.Context(), k.Timeout, 0, -1).Result())
	list = queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
	return set, list
}

// named returns what names an element that Java or Go put into the set.
func named(dueMs int64, element []byte) ChangeArgs {
	id, _, _ := wire.Parse(element, true)
	return ChangeArgs{DueMs: dueMs, ID: id}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ids := wire.NewIDs() // of two generators ids may be equal
	due := queuetest.NowMs(t, rdb) + 3_600_000
	for name, element := range map[string][]byte{
		"universal":          wire.Pack(ids.Next(), []byte("payload")),
		"universal, empty":   wire.Pack(ids.Next(), nil),
		"Redisson 3.21.0":    queuetest.JavaOld(77, []byte("payload")),
		"Redisson 3.21.1":    queuetest.JavaNew([]byte("\x00\xff345678"), []byte("payload")),
		"with nul and bytes": wire.Pack(ids.Next(), []byte("a\x00\xff")),
	} {
		k := queuetest.NewQueue()
		// Neighbours at the same due time, before and after it in the set.
		before, after := wire.Pack(ids.Next(), []byte("x")), queuetest.JavaNew([]byte("\xff\xff345678"), []byte("y"))
		for _, e := range [][]byte{before, element, after} {
			queuetest.Put(t, rdb, k, due, e)
		}
		_, payload, _ := wire.Parse(element, true)
		got, err := Cancel(t.Context(), rdb, k, named(due, element))
		if err != nil || got.DueMs != due || string(got.Payload) != string(payload) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		set, list := pendingOf(t, rdb, k)
		want := []string{string(before), string(after)}
		if !slices.Equal(list, want) || len(set) != 2 || slices.Contains(set, string(element)) {
			t.Errorf("%s: left in the set %q, in the list %q", name, set, list)
		}
		if _, err = Cancel(t.Context(), rdb, k, named(due, element)); !errors.Is(err, fault.ErrGone) {
			t.Errorf("%s, again: %v", name, err)
		}
		if _, err = Cancel(t.Context(), rdb, k, named(due+1, before)); !errors.Is(err, fault.ErrGone) {
			t.Errorf("%s, another due time: %v", name, err)
		}
	}
}

// One id drawn by two processes for one due time: nothing is cancelled by chance.
func TestCancelAmbiguous(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, id := queuetest.NewQueue(), wire.NewIDs().Next()
	due := queuetest.NowMs(t, rdb) + 1000
	queuetest.Put(t, rdb, k, due, wire.Pack(id, []byte("one")))
	queuetest.Put(t, rdb, k, due, wire.Pack(id, []byte("two")))
	var ambiguous *fault.AmbiguousIDError
	if _, err := Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: due, ID: id}); !errors.As(err, &ambiguous) {
		t.Errorf("cancel: %v", err)
	}
	if _, err := Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: due, ID: id}, due+1); !errors.As(err, &ambiguous) {
		t.Errorf("reschedule: %v", err)
	}
	if set, list := pendingOf(t, rdb, k); len(set) != 2 || len(list) != 2 {
		t.Errorf("left %q %q", set, list)
	}
}

// Every element of many at one due time is found, by O(log n) looks.
func TestCancelAmongManyAtOneDue(t *testing.T) {
	t.Parallel()
	k, rdb := queuetest.NewQueue(), lab.Connect(t, lab.Shared.Addr())
	const n = 100_000
	at := time.UnixMilli(queuetest.NowMs(t, rdb) + 3_600_000)
	ids := wire.NewIDs()
	made := make([]wire.ElementID, n)
	for from := 0; from < n; from += 10_000 {
		pipe := rdb.Pipeline()
		for i := from; i < from+10_000; i++ {
			made[i] = ids.Next()
			pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(at.UnixMilli()), Member: wire.Pack(made[i], fmt.Appendf(nil, "payload %d", i))})
		}
		queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	}
	for _, i := range []int{0, 1, n / 2, n/2 + 1, n - 2, n - 1} {
		got, err := Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: at.UnixMilli(), ID: made[i], NoView: true})
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
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	ps := rdb.Subscribe(t.Context(), k.Channel)
	t.Cleanup(func() { _ = ps.Close() })
	queuetest.Must[any](t)(ps.Receive(t.Context()))
	now := queuetest.NowMs(t, rdb)
	one := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("one"), At: time.UnixMilli(now + 60_000)}))
	two := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("two"), At: time.UnixMilli(now + 90_000)}))
	published := func(want int64) {
		t.Helper()
		m := queuetest.Must[*redis.Message](t)(ps.ReceiveMessage(t.Context()))
		if m.Payload != fmt.Sprint(want) {
			t.Errorf("published %s, want %d", m.Payload, want)
		}
	}
	published(one.DueMs)
	move := func(r OfferResult, dueMs int64, head bool) Rescheduled {
		t.Helper()
		moved, err := Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: r.DueMs, ID: r.ID}, dueMs)
		if err != nil || moved.DueMs != dueMs || moved.Head != head || moved.ID != (wire.MessageID{DueMs: r.DueMs, Element: r.ID}) {
			t.Errorf("%+v %v", moved, err)
		}
		return moved
	}
	move(two, now+120_000, false) // later: nobody need know
	move(two, now+30_000, true)   // earlier than the head
	published(now + 30_000)
	if set, list := pendingOf(t, rdb, k); len(set) != 2 || set[0] != string(wire.Pack(two.ID, []byte("two"))) || len(list) != 2 {
		t.Errorf("%q %q", set, list)
	}
	for _, due := range []int64{-1, wire.MaxDueMs} {
		var delay *fault.DelayError
		if _, err := Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: one.DueMs, ID: one.ID}, due); !errors.As(err, &delay) {
			t.Errorf("due %d: %v", due, err)
		}
	}
	move(two, now-5, true) // past: due at once
	if r := transferAll(t, rdb, k, TransferArgs{}); r.Moved != 1 || queuetest.Ready(t, rdb, k)[0] != "two" {
		t.Errorf("transfer %+v", r)
	}
}

// The trace of a message follows its due time, and goes with it.
func TestChangesKeepTheTraceRecord(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	trace := []byte("0123456789abcdefghijklmn\x01")
	at := time.UnixMilli(queuetest.NowMs(t, rdb) + 60_000)
	var made []OfferResult
	for range 3 { // one payload
		made = append(made, queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("same"), At: at, Trace: trace})))
	}
	records := func() []wire.TraceRecord {
		t.Helper()
		return queuetest.TraceRecords(t, rdb, k, []byte("same"))
	}
	later := at.UnixMilli() + 86_400_000
	queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: made[1].DueMs, ID: made[1].ID}, later))
	got := records()
	if len(got) != 3 || got[1].ID != made[1].ID || got[1].DueMs != later || got[1].ExpiryMs != later+DefaultTraceTTL.Milliseconds() ||
		got[0].DueMs != at.UnixMilli() || got[2].DueMs != at.UnixMilli() || string(got[1].Context[:]) != string(trace) {
		t.Errorf("records %+v", got)
	}
	queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: made[0].DueMs, ID: made[0].ID}))
	if got = records(); len(got) != 2 || got[0].ID != made[1].ID || got[1].ID != made[2].ID {
		t.Errorf("records %+v", got)
	}
}

// A lost answer is asked for again; what cannot be known is said.
func TestChangesAfterALostReply(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	offered := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("p"), Delay: time.Hour}))
	args := ChangeArgs{DueMs: offered.DueMs, ID: offered.ID}
	client := func(plans ...loss) *redis.Client {
		rdb := lab.Connect(t, rdb.Options().Addr)
		rdb.AddHook(&lossy{plans: plans})
		return rdb
	}
	queuetest.Must[any](t)(rescheduleScript.Run(t.Context(), rdb, changeKeys(k, k.Channel), 1, "u12345678", 1, 1))
	queuetest.Must[any](t)(cancelScript.Run(t.Context(), rdb, changeKeys(k, k.Pending), 1, "u12345678", "1"))

	moved, err := Reschedule(t.Context(), client(lostReply), k, args, args.DueMs+5)
	if err != nil || moved.DueMs != args.DueMs+5 {
		t.Errorf("reschedule: %+v %v", moved, err)
	}
	var unknown *fault.ChangeUnknownError
	if _, err = Cancel(t.Context(), client(lostReply), k, args); !errors.As(err, &unknown) || errors.Is(err, fault.ErrGone) || unknown.Tries != 2 {
		t.Errorf("cancelled, but no answer: %v", err)
	}
	if set, _ := pendingOf(t, rdb, k); len(set) != 0 {
		t.Errorf("left %q", set)
	}
	if _, err = Cancel(t.Context(), client(dialLoss), k, args); !errors.Is(err, fault.ErrGone) {
		t.Errorf("not sent at first: %v", err)
	}
	if _, err = Reschedule(t.Context(), client(lostReply), k, args, 5); !errors.As(err, &unknown) {
		t.Errorf("gone after a lost answer: %v", err)
	}
}

// Cancellations beside transfers: each message ends at exactly one of the two.
func TestCancelBesideTransfer(t *testing.T) {
	t.Parallel()
	k, rdb := queuetest.NewQueue(), lab.Connect(t, lab.Shared.Addr())
	const n = 400
	at := time.UnixMilli(queuetest.NowMs(t, rdb) + 20)
	made := make([]OfferResult, n)
	for i := range made {
		made[i] = queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: fmt.Appendf(nil, "%d", i), At: at}))
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
	moved := queuetest.Ready(t, rdb, k)
	if len(cancelled)+len(moved) != n {
		t.Errorf("%d cancelled and %d ready of %d", len(cancelled), len(moved), n)
	}
	for _, p := range moved {
		if cancelled[p] {
			t.Errorf("%s was cancelled and is ready", p)
		}
	}
	if left := queuetest.Counts(t, rdb, k); left[1] != 0 || left[2] != 0 {
		t.Errorf("left %v", left)
	}
}
