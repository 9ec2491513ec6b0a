//go:build simulation

package simulation

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

func (w *world) offer(s step, delay time.Duration) {
	p, q := w.alive(s.a), w.queue(s.a)
	if p == nil {
		return
	}
	m := w.l.offering(q, w.kindOf(q, s.a), w.net.clock().Add(delay))
	w.begin(func(ctx context.Context) {
		r, err := framework.Bind(p.client.Load(), q.Queue).Offer(ctx, m.name, delay)
		w.l.offered(m, r.ID, r.Due, err, isUnknown(err) || p.dead.Load())
	})
}

func (w *world) offerMany(s step) {
	var kinds []kind
	for i := range 2 + s.b%30 {
		k := w.kindOf(w.queue(s.a), s.a+i<<20)
		if i > 0 && k == slow || k == poison || k == long {
			k = plain // one slow message at most keeps what was taken with it in flight
		}
		kinds = append(kinds, k)
	}
	w.offerAll(s, time.Duration(s.b)%drawDelay(s), kinds)
}

func (w *world) offerAll(s step, delay time.Duration, kinds []kind) {
	p, q := w.alive(s.a), w.queue(s.a)
	if p == nil {
		return
	}
	var messages []*message
	for _, k := range kinds {
		messages = append(messages, w.l.offering(q, k, w.net.clock().Add(delay)))
	}
	w.begin(func(ctx context.Context) {
		each := func(i int, r framework.Receipt, err error) {
			w.l.offered(messages[i], r.ID, r.Due, err, isUnknown(err) || p.dead.Load())
		}
		_, _ = framework.Bind(p.client.Load(), q.Queue).OfferAll(ctx, values(messages, delay), framework.OnResult(each))
	})
}

func values(messages []*message, delay time.Duration) iter.Seq[framework.Item[string]] {
	return func(yield func(framework.Item[string]) bool) {
		for _, m := range messages {
			if !yield(framework.Item[string]{Value: m.name, Delay: delay}) {
				return
			}
		}
	}
}

// burst offers many at once that are due soon.
func (w *world) burst(s step) {
	s.b = 28 + s.b - s.b%30
	for i := range int64(3) {
		s.a += i << 8
		w.offerMany(s)
	}
}

func (w *world) offerKeyed(s step) {
	p, q := w.alive(s.a), w.queues[int(s.a>>8)%2]
	if p == nil {
		return
	}
	delay := time.Duration(s.b) % drawDelay(s)
	m := w.l.offering(q, plain, w.net.clock().Add(delay))
	w.begin(func(ctx context.Context) {
		r, err := framework.Bind(p.client.Load(), q.Queue).Offer(ctx, m.name, delay, framework.Key(m.name).Within(time.Hour))
		w.l.offered(m, r.ID, r.Due, err, isUnknown(err) || p.dead.Load())
	})
}

// waiting picks a message that is pending for a while yet.
func (w *world) waiting(draw int64) *message {
	open := w.l.some(func(m *message) bool {
		return m.open() && m.id != "" && len(m.starts) == 0 && !m.q.equal && m.latest.After(w.net.clock().Add(-5*time.Second))
	})
	if len(open) == 0 {
		return nil
	}
	return open[int(draw)%len(open)]
}

func (w *world) cancel(s step) {
	p, m := w.alive(s.a), w.waiting(s.b)
	if p == nil || m == nil {
		return
	}
	w.l.end(m, false, "it is being cancelled")
	w.begin(func(ctx context.Context) {
		err := framework.Bind(p.client.Load(), m.q.Queue).Cancel(ctx, m.id)
		var gone *fault.NotPendingError
		switch {
		case err == nil:
			w.l.end(m, true, "cancelled")
		case errors.As(err, &gone) && !gone.Forbidden && gone.Where != fault.WhereUnknown && gone.Where != fault.WhereCut:
			w.l.keep(m)
		}
	})
}

func (w *world) reschedule(s step) {
	p, m := w.alive(s.a), w.waiting(s.b)
	if p == nil || m == nil {
		return
	}
	due := w.net.clock().Add(time.Duration(s.b>>8) % drawDelay(s))
	w.l.moved(m, due)
	w.begin(func(ctx context.Context) { _ = framework.Bind(p.client.Load(), m.q.Queue).Reschedule(ctx, m.id, due) })
}

func (w *world) redrive(s step) {
	p, q := w.alive(s.a), w.queue(s.a)
	if p == nil {
		return
	}
	w.l.redriven(q)
	w.begin(func(ctx context.Context) {
		_, _ = framework.Bind(p.client.Load(), q.Queue).Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: -1, Delay: time.Duration(s.b) % (2 * time.Second)})
	})
}
