package interop_test

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

// yes notes what a search by value found, and what it says where it found nothing.
func (w *soakWorker) yes(found bool, then soakOp, queue, payload string, from time.Time) {
	e := soakEvent{Op: then, Queue: queue, Payload: payload}
	if !found {
		if e.Op = soakLacks; then == soakPicked || then == soakReadyHas {
			return // it may be pending, or in somebody's hands
		}
	}
	w.note(e, from)
}

func (w *soakGoWorker) remove(ctx context.Context, i int) {
	queue, from := soakQueues[i].Name, time.Now()
	payload := w.someone(queue)
	n, err := framework.Bind(w.client, w.queues[i]).Pending().Remove(ctx, payload, 1)
	if err != nil {
		w.trouble(i, payload, "remove", err, from)
		return
	}
	w.yes(n == 1, soakRemoved, queue, payload, from)
}

func (w *soakGoWorker) find(ctx context.Context, i int) {
	queue, from := soakQueues[i].Name, time.Now()
	payload := w.someone(queue)
	ids, err := framework.Bind(w.client, w.queues[i]).Pending().Find(ctx, payload, 1)
	if err != nil {
		w.trouble(i, payload, "find", err, from)
		return
	}
	w.yes(len(ids) == 1, soakHolds, queue, payload, from)
}

func (w *soakGoWorker) size(ctx context.Context, i int) {
	from := time.Now()
	c, err := framework.Bind(w.client, w.queues[i]).Counts(ctx)
	if err != nil {
		w.trouble(i, "", "counts", err, from)
		return
	}
	w.note(soakEvent{Op: soakSize, Queue: soakQueues[i].Name, N: c.Delayed}, from)
}

func (w *soakGoWorker) list(ctx context.Context, i int) {
	from := time.Now()
	e := soakEvent{Op: soakListed, Queue: soakQueues[i].Name}
	for m, err := range framework.Bind(w.client, w.queues[i]).Pending().All(ctx) {
		if err = errors.Join(err, m.Err); err != nil {
			w.trouble(i, "", "list", err, from)
			return
		}
		e.All = append(e.All, m.Payload)
	}
	w.note(e, from)
}

func (w *soakGoWorker) pollPending(ctx context.Context, i int) {
	queue, from := soakQueues[i].Name, time.Now()
	found, err := framework.Bind(w.client, w.queues[i]).Pending().Poll(ctx, int64(1+w.below(3)))
	if err != nil {
		w.trouble(i, "", "poll pending", err, from)
	}
	for _, m := range found {
		w.note(soakEvent{Op: soakPolled, Queue: queue, Payload: m.Payload}, from)
	}
	if err == nil && len(found) == 0 {
		w.note(soakEvent{Op: soakEmpty, Queue: queue}, from)
	}
}

func (w *soakGoWorker) pollReady(ctx context.Context, i int) {
	from := time.Now()
	found, err := framework.Bind(w.client, w.queues[i]).Ready().Poll(ctx, int64(1+w.below(3)))
	if err != nil {
		w.trouble(i, "", "poll ready", err, from)
	}
	for _, m := range found {
		w.note(soakEvent{Op: soakTaken, Queue: soakQueues[i].Name, Payload: m.Payload}, from)
	}
}

func (w *soakGoWorker) ready(ctx context.Context, i int) {
	from := time.Now()
	found, err := framework.Bind(w.client, w.queues[i]).Ready().Page(ctx, 0, 10)
	if err != nil {
		w.trouble(i, "", "ready", err, from)
	}
	for _, m := range found {
		w.note(soakEvent{Op: soakReadyHas, Queue: soakQueues[i].Name, Payload: m.Payload}, from)
	}
}

// removeReady looks for one that is ready, since there are few at a time.
func (w *soakGoWorker) removeReady(ctx context.Context, i int) {
	queue := soakQueues[i].Name
	payload := w.someone(queue)
	if found, err := framework.Bind(w.client, w.queues[i]).Ready().Page(ctx, 0, 1); err == nil && len(found) == 1 {
		payload = found[0].Payload
	}
	from := time.Now()
	n, err := framework.Bind(w.client, w.queues[i]).Ready().Remove(ctx, payload, 1)
	if err != nil {
		w.trouble(i, payload, "remove ready", err, from)
		return
	}
	w.yes(n == 1, soakPicked, queue, payload, from)
}

func (w *soakGoWorker) redrive(ctx context.Context, i int) {
	from := time.Now()
	dead, err := framework.Bind(w.client, w.queues[i]).Dead().Page(ctx, "", 3)
	if err != nil {
		w.trouble(i, "", "dead messages", err, from)
	}
	for _, m := range dead {
		from = time.Now()
		switch err := framework.Bind(w.client, w.queues[i]).Dead().Redrive(ctx, m.Entry, framework.RedriveOptions{}); {
		case err == nil:
			w.note(soakEvent{Op: soakRedriven, Queue: soakQueues[i].Name, N: 1}, from)
		case !errors.Is(err, fault.ErrNoEntry):
			w.trouble(i, string(m.Body), "redrive", err, from)
		}
	}
}

func (w *soakGoWorker) redriveAll(ctx context.Context, i, limit int) {
	from := time.Now()
	r, err := framework.Bind(w.client, w.queues[i]).Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: -1, Limit: int64(limit)})
	if err != nil {
		w.trouble(i, "", "redrive all", err, from)
	}
	if n := r.Redriven + r.Unknown; n > 0 {
		w.note(soakEvent{Op: soakRedriven, Queue: soakQueues[i].Name, N: n}, from)
	}
}

func (w *soakGoWorker) clear(ctx context.Context, i int) {
	from := time.Now()
	n, err := framework.Bind(w.client, w.queues[i]).Pending().Clear(ctx)
	if err != nil {
		w.trouble(i, "", "clear", err, from)
	}
	w.note(soakEvent{Op: soakCleared, Queue: soakQueues[i].Name, N: n}, from)
}
