package invariants

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/recode"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// wayOut is how a message leaves. Each finds one of the key "k" pending, due in an hour, and
// nothing else.
type wayOut struct {
	do func(w *keyWorld, m *keyedMessage)
	// what the next offer of the key is told, without a window and with one
	alone, within delayed.DedupOutcome
	// stays: its record may stay for a week, since it has failed.
	stays bool
}

func waysOut() map[string]wayOut {
	const added, kept = delayed.DedupNone, delayed.DedupKept
	due := func(w *keyWorld) {
		w.now = w.now.Add(time.Hour + time.Second)
		w.transfer()
	}
	taken := func(w *keyWorld, _ *keyedMessage) {
		due(w)
		w.take(1)
	}
	raw := func(do func(w *keyWorld, m *keyedMessage), from place) func(w *keyWorld, m *keyedMessage) {
		return func(w *keyWorld, m *keyedMessage) {
			if from == ready {
				due(w)
			}
			do(w, m)
			w.vanish(from)
		}
	}
	del := func(keys func(k wire.Keys) []string) func(w *keyWorld, m *keyedMessage) {
		return func(w *keyWorld, _ *keyedMessage) { w.check(w.rdb.Del(w.t.Context(), keys(w.k)...).Err()) }
	}
	java := func(format string) func(w *keyWorld, m *keyedMessage) {
		return func(w *keyWorld, m *keyedMessage) {
			n, err := queuetest.JavaRemove(format).Run(w.t.Context(), w.rdb, []string{w.k.Pending, w.k.Timeout}, m.body)
			if w.check(err); n != int64(1) {
				w.fatalf("Java removed %v", n)
			}
		}
	}
	return map[string]wayOut{
		"nothing": {func(*keyWorld, *keyedMessage) {}, kept, kept, false},
		"rescheduled": {func(w *keyWorld, m *keyedMessage) {
			_, err := delayed.Reschedule(w.t.Context(), w.rdb, w.k, m.change(), w.now.Add(48*time.Hour).UnixMilli())
			w.check(err)
		}, kept, kept, false},
		"recoded, still pending": {func(w *keyWorld, m *keyedMessage) { w.recode(m) }, kept, kept, false},
		"recoded and cancelled": {func(w *keyWorld, m *keyedMessage) {
			w.recode(m)
			_, err := delayed.Cancel(w.t.Context(), w.rdb, w.k, m.change())
			w.check(err)
			m.place = gone
		}, added, added, false},
		"cancelled by ID": {raw(func(w *keyWorld, m *keyedMessage) {
			c, err := delayed.Cancel(w.t.Context(), w.rdb, w.k, m.change())
			if w.check(err); c.Key != "k" {
				w.fatalf("cancelled %+v", c)
			}
		}, pending), added, added, false},
		"cancelled by key": {raw(func(w *keyWorld, _ *keyedMessage) {
			_, err := delayed.Cancel(w.t.Context(), w.rdb, w.k, delayed.ChangeArgs{Key: "k"})
			w.check(err)
		}, pending), added, added, false},
		"polled": {raw(func(w *keyWorld, _ *keyedMessage) {
			_, err := delayed.PollPending(w.t.Context(), w.rdb, w.k, 1, false, false)
			w.check(err)
		}, pending), added, added, false},
		"cleared": {raw(func(w *keyWorld, _ *keyedMessage) {
			_, err := delayed.ClearPending(w.t.Context(), w.rdb, w.k)
			w.check(err)
		}, pending), added, added, false},
		"ready":     {func(w *keyWorld, _ *keyedMessage) { due(w) }, added, kept, false},
		"in flight": {taken, added, kept, false},
		"handled": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			w.ack(m)
		}, added, delayed.DedupHandled, false},
		"handled after a reschedule to now": {func(w *keyWorld, m *keyedMessage) {
			_, err := delayed.Reschedule(w.t.Context(), w.rdb, w.k, m.change(), w.now.UnixMilli())
			w.check(err)
			m.due = w.now.UnixMilli()
			w.transfer()
			w.take(1)
			w.ack(m)
		}, added, delayed.DedupHandled, false},
		"waits for its retry": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			w.nack(m, 3*time.Hour)
		}, kept, kept, true},
		"handled at its retry": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			w.nack(m, time.Second)
			due(w)
			w.take(1)
			w.ack(m)
		}, added, delayed.DedupHandled, false},
		"dead": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			_, err := w.s.Dead(w.t.Context(), m.token, lease.DeadArgs{Reason: "rejected"})
			w.check(err)
			m.place = dead
		}, added, added, false},
		"given back": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			_, err := w.s.Release(w.t.Context(), []lease.Released{{Token: m.token}})
			w.check(err)
			w.back()
		}, added, kept, false},
		"given back by a dead process": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			w.reap()
		}, added, kept, true},
		"cancelled in flight": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			_, err := delayed.Cancel(w.t.Context(), w.rdb, w.k, m.change())
			var gone *delayed.NotPending
			if !errors.As(err, &gone) {
				w.fatalf("cancelled: %v", err)
			}
			w.check(lease.Find(w.t.Context(), w.rdb, w.k, gone, true))
			w.reap()
			w.vanish(ready)
		}, added, added, false},
		"ready, and taken by Java": {raw(func(w *keyWorld, _ *keyedMessage) {
			w.check(w.rdb.LPop(w.t.Context(), w.k.Queue).Err())
		}, ready), added, added, false},
		"ready, and taken by Java before others": {func(w *keyWorld, m *keyedMessage) {
			w.offer("other", delayed.DedupKeep, time.Hour, 0)
			due(w)
			w.check(w.rdb.LPop(w.t.Context(), w.k.Queue).Err())
			w.unready(m)
		}, added, added, false},
		"ready, and removed by Java between others": {func(w *keyWorld, m *keyedMessage) {
			w.offer("before", delayed.DedupKeep, time.Minute, 0)
			w.offer("other", delayed.DedupKeep, time.Hour, 0)
			due(w)
			w.check(w.rdb.LRem(w.t.Context(), w.k.Queue, 1, m.body).Err())
			w.unready(m)
			w.disturbed = true
		}, added, added, false},
		"ready, and removed":  {raw(func(w *keyWorld, m *keyedMessage) { w.check(w.rdb.LRem(w.t.Context(), w.k.Queue, 0, m.body).Err()) }, ready), added, added, false},
		"ready, and deleted":  {raw(del(func(k wire.Keys) []string { return []string{k.Queue} }), ready), added, added, false},
		"removed by Java":     {raw(java(queuetest.FormatOld), pending), added, added, false},
		"deleted by Java":     {raw(del(func(k wire.Keys) []string { return []string{k.Timeout, k.Pending} }), pending), added, added, false},
		"lost":                {raw(del(func(k wire.Keys) []string { return []string{k.Timeout, k.Pending, k.Queue, k.Due} }), pending), added, added, false},
		"lost with our keys":  {raw(del(wire.Keys.All), pending), added, added, false},
		"polled by Java":      {raw(func(w *keyWorld, _ *keyedMessage) { w.javaPoll() }, pending), added, added, false},
		"transferred by Java": {func(w *keyWorld, _ *keyedMessage) { w.now = w.now.Add(2 * time.Hour); w.javaTransfer() }, added, added, false},
		"transferred and taken by Java": {func(w *keyWorld, m *keyedMessage) {
			w.now = w.now.Add(2 * time.Hour)
			w.javaTransfer()
			w.check(w.rdb.LPop(w.t.Context(), w.k.Queue).Err())
			w.unready(m)
		}, added, added, false},
		"transferred by Java, and handled": {func(w *keyWorld, m *keyedMessage) {
			w.now = w.now.Add(2 * time.Hour)
			w.javaTransfer()
			w.take(1)
			w.ack(m)
		}, added, delayed.DedupHandled, false},
		"a retry, taken by Java": {func(w *keyWorld, m *keyedMessage) {
			taken(w, m)
			w.nack(m, time.Second)
			due(w)
			w.check(w.rdb.LPop(w.t.Context(), w.k.Queue).Err())
			w.vanish(ready)
		}, added, added, true},
	}
}

// recode gives the message another payload.
func (w *keyWorld) recode(m *keyedMessage) {
	w.now = w.now.Add(10 * time.Minute) // offers that are young are left
	fresh := m.body + " recoded"
	count, err := recode.Run(w.t.Context(), w.rdb, w.k, recode.Args{
		Convert: func([]byte) ([]byte, error) { return []byte(fresh), nil },
		Now:     func() time.Time { return time.Now().Add(time.Hour) },
		Rest:    func(context.Context) error { return nil },
	})
	if w.check(err); count.Recoded == 0 {
		w.fatalf("recoded %+v", count)
	}
	m.body = fresh
}

// javaPoll is RDelayedQueue.poll: the first of Java's list, whenever it is due.
func (w *keyWorld) javaPoll() {
	element, err := w.rdb.LPop(w.t.Context(), w.k.Pending).Result()
	w.check(err)
	w.check(w.rdb.ZRem(w.t.Context(), w.k.Timeout, element).Err())
}

// However a message leaves, an offer with its key is told the truth: nothing is kept that is not
// there, and nothing is offered twice that is pending or was handled within the window. What is
// kept of it ends with it, minutes later where Java took it, or with its window.
func TestEveryWayOutFreesTheKey(t *testing.T) {
	t.Parallel()
	for name, way := range waysOut() {
		for _, window := range []time.Duration{0, 24 * time.Hour} {
			t.Run(fmt.Sprintf("%s, window %v", name, window), func(t *testing.T) {
				t.Parallel()
				w := newKeyWorld(t)
				w.offer("k", delayed.DedupKeep, time.Hour, window)
				first := w.latest["k"]
				way.do(w, first)
				want := way.alone
				if window > 0 {
					want = way.within
				}
				if got := w.offer("k", delayed.DedupKeep, time.Hour, window); got.Dedup != want {
					t.Errorf("the next offer: %v, want %v", got.Dedup, want)
				}
				w.end(way.stays)
			})
		}
	}
}
