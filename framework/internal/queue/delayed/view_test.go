package delayed

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Many due at one ms, or hundreds overdue: every message comes out once, and the list is
// exact after each transfer.
func TestTransferDrainsTheHeadOfTheList(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	now := queuetest.NowMs(t, rdb)
	for name, c := range map[string]struct {
		n       int
		due     func(i int) int64
		ordered bool
	}{
		"one instant":                {390, func(int) int64 { return now - 5 }, false},
		"one instant among others":   {390, func(i int) int64 { return now - 5 + int64(i%3)/2*3_600_000 }, false},
		"few of one instant":         {390, func(i int) int64 { return now - 5 - int64(i%40) }, false},
		"random, in order":           {390, func(i int) int64 { return now - 1 - int64(i*7919%1009) }, true},
		"one instant, passes":        {1000, func(int) int64 { return now - 5 }, false},
		"few of one instant, passes": {1000, func(i int) int64 { return now - 5 - int64(i%40) }, false},
		"random, passes":             {1000, func(i int) int64 { return now - 1 - int64(i*7919%1009) }, false},
		"passes, many are not due":   {1000, func(i int) int64 { return now - 5 + int64(i%2)*3_600_000 }, false},
		"passes, most are not due":   {2500, func(i int) int64 { return now - 5 + min(int64(i%5), 1)*3_600_000 }, false},
	} {
		k := queuetest.NewQueue()
		want := queuetest.FillRandom(t, rdb, k, c.n, c.due)
		var moved []string
		for {
			r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: 300, budget: patient}))
			set, list := pendingOf(t, rdb, k)
			slices.Sort(set)
			if slices.Sort(list); !slices.Equal(set, list) {
				t.Fatalf("%s: %d in the set, %d in the list", name, len(set), len(list))
			}
			if r.Moved == 0 {
				break
			}
		}
		moved = queuetest.Ready(t, rdb, k)
		want = want[:len(moved)]
		if n := rdb.ZCount(t.Context(), k.Timeout, "-inf", fmt.Sprint(now)).Val(); n != 0 || len(moved) < 200 {
			t.Errorf("%s: %d moved, %d due and left", name, len(moved), n)
		}
		if !c.ordered {
			slices.Sort(moved)
			want = slices.Sorted(slices.Values(want))
		}
		if c.n < 400 { // no pass
			if !slices.Equal(moved, want) {
				t.Errorf("%s: other messages than due, or in another order", name)
			}
		} else if len(slices.Compact(moved)) != len(want) {
			t.Errorf("%s: doubled", name)
		}
	}
}

// What stands in the list and not in the set stays in an exact list: it is not ours
// to judge. What does not fit a layout is buried as ever.
func TestTransferDrainKeepsGhostsAndBuriesGarbage(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	now := queuetest.NowMs(t, rdb)
	for n, due := range map[int]func(i int) int64{
		300: func(int) int64 { return now - 5 },
		900: func(i int) int64 { return now - 5 - int64(i) },
	} {
		k := queuetest.NewQueue()
		rdb.RPush(t.Context(), k.Pending, "ghost one", "ghost two")
		queuetest.FillRandom(t, rdb, k, n, due)
		queuetest.Put(t, rdb, k, now-5, []byte("garbage"))
		r := transferAll(t, rdb, k, TransferArgs{})
		if r.Moved != n || r.Malformed != 1 {
			t.Errorf("%d: %+v", n, r)
		}
		set, list := pendingOf(t, rdb, k)
		slices.Sort(list) // a pass that runs out of time leaves the list turned
		if len(set) != 0 || !slices.Equal(list, []string{"ghost one", "ghost two"}) {
			t.Errorf("%d: left %q %q", n, set, list)
		}
	}
}

// With one delay for all, what is due stands at the head of the list: then a pass changes no
// order, neither of what comes out nor of what stays.
func TestPassKeepsTheOrderOfOneDelay(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, due := range []int{400, 401, 999, 2600} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
		want := queuetest.FillRandom(t, rdb, k, 3000, func(i int) int64 {
			if i < due {
				return now - 5000 + int64(i)
			}
			return now + 3_600_000 + int64(i)
		})
		_, before := pendingOf(t, rdb, k)
		transferAll(t, rdb, k, TransferArgs{Limit: 300, budget: patient})
		if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, want[:due]) {
			t.Errorf("%d due: %d are ready, or in another order", due, len(got))
		}
		if _, list := pendingOf(t, rdb, k); !slices.Equal(list, before[due:]) {
			t.Errorf("%d due: the order of the list has changed", due)
		}
	}
}

// What is due is moved though Java's list lacks it, since another process keeps none, and
// though the dead store refuses what else is due.
func TestPassMovesWhatTheListLacks(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, refuses := range map[string]bool{"another view": false, "and garbage that stays": true} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
		queuetest.FillRandom(t, rdb, k, 500, func(i int) int64 { return now - 5 - int64(i) })
		rdb.Del(t.Context(), k.Pending)
		queuetest.FillRandom(t, rdb, k, 700, func(int) int64 { return now + 3_600_000 })
		if refuses {
			rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: "18446744073709551615-18446744073709551615", Values: []string{"the", "last"}})
			for i := range 50 {
				queuetest.Put(t, rdb, k, now-5-int64(i), fmt.Appendf(nil, "garbage %d", i))
			}
		}
		for range 2000 {
			r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
			if r.Moved == 0 && !r.More() {
				break
			}
		}
		if got := len(queuetest.Ready(t, rdb, k)); got != 500 {
			t.Errorf("%s: %d of 500 are ready", name, got)
		}
	}
}

// Walks bounds what is moved one by one, not what is drained; MaxReady bounds both.
func TestTransferBounds(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	now := queuetest.NowMs(t, rdb)
	for name, c := range map[string]struct {
		n            int
		args         TransferArgs
		due          func(i int) int64
		moved, walks int
	}{
		"one instant":       {500, TransferArgs{Limit: 60, Walks: 3}, func(int) int64 { return now - 5 }, 60, 0},
		"one by one":        {300, TransferArgs{Limit: 300, Walks: 3}, func(i int) int64 { return now - 5 - int64(i) }, 3, 3},
		"passes":            {500, TransferArgs{Limit: 100, Walks: 3}, func(i int) int64 { return now - 5 - int64(i) }, 100, 0},
		"full":              {500, TransferArgs{MaxReady: 2}, func(int) int64 { return now - 5 }, 0, 0},
		"nearly full":       {300, TransferArgs{MaxReady: 7}, func(int) int64 { return now - 5 }, 5, 5},
		"nearly full, pass": {500, TransferArgs{MaxReady: 7}, func(int) int64 { return now - 5 }, 5, 0},
		"nearly full, off":  {500, TransferArgs{MaxReady: 7, NoView: true}, func(int) int64 { return now - 5 }, 5, 0},
	} {
		k := queuetest.NewQueue()
		rdb.RPush(t.Context(), k.Queue, "ready one", "ready two")
		transferred := wire.DueRecord{ID: wire.ElementID{Kind: wire.KindFirst}, DueMs: now, WrittenMs: now}
		rdb.RPush(t.Context(), k.Due, transferred.Entry([]byte("ready two")))
		queuetest.FillRandom(t, rdb, k, c.n, c.due)
		c.args.budget = patient
		r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, c.args))
		if r.Moved != c.moved || r.Walks != c.walks || r.Ready != int64(2+c.moved) || r.NextDueMs < 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Without a view no list is made, by offers of all kinds and by transfers.
func TestViewOff(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	off := func(d Dedup) OfferArgs { return OfferArgs{Payload: []byte("p"), NoView: true, Dedup: d} }
	for _, policy := range []DedupPolicy{DedupKeep, DedupReplace, DedupExtend} {
		for range 2 {
			queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, off(Dedup{Key: fmt.Sprint(policy), Policy: policy, Window: time.Hour})))
		}
	}
	one := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, off(Dedup{})))
	all(t, rdb, k, numbered(3, func(int) OfferArgs { return OfferArgs{NoView: true} }))
	queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: one.DueMs, ID: one.ID, NoView: true}))
	if rdb.Exists(t.Context(), k.Pending).Val() != 0 {
		t.Error("there is a list")
	}
	lab.WaitFor(t, "six are ready", func() bool {
		transferAll(t, rdb, k, TransferArgs{NoView: true})
		return len(queuetest.Ready(t, rdb, k)) == 6
	})
}
