package interop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

// soakGoWorker does random operations through the public API.
type soakGoWorker struct {
	soakWorker
	client *framework.Client
	queues []*registry.Queue[string]
	held   []soakHeld // of its offers, the last ones
}

// soakHeld is an id that a worker keeps, as a row of an order would.
type soakHeld struct {
	queue   int
	payload string
	id      framework.ID
}

// soakKeys is how many deduplication keys a worker's offers use: few, so that they meet.
const soakKeys = 12

// one does one operation on one queue.
func (w *soakGoWorker) one(ctx context.Context) {
	i := w.below(len(w.queues))
	keyed := soakQueues[i].Keyed
	switch n := w.below(100); {
	case n < 30:
		w.offer(ctx, i)
	case n < 34:
		w.offerAll(ctx, i)
	case n < 42:
		w.cancelHeld(ctx)
	case n < 48:
		w.cancelFound(ctx, i)
	case n < 56:
		w.reschedule(ctx)
	case n < 60:
		w.remove(ctx, i)
	case n < 65:
		w.find(ctx, i)
	case n < 69:
		w.size(ctx, i)
	case n < 70:
		w.list(ctx, i)
	case n < 72:
		w.pollPending(ctx, i)
	case n < 75:
		w.pollReady(ctx, i)
	case n < 77:
		w.ready(ctx, i)
	case n < 79:
		w.removeReady(ctx, i)
	case n < 82:
		w.redrive(ctx, i)
	case n < 83:
		w.redriveAll(ctx, i, 5)
	case n < 90 && keyed:
		w.cancelKey(ctx, i)
	case n < 97 && keyed:
		w.rescheduleKey(ctx, i)
	case n < 84 && soakQueues[i].Cleared:
		w.clear(ctx, i)
	default:
		w.offer(ctx, i)
	}
}

// trouble notes an error that has no reason here.
func (w *soakGoWorker) trouble(i int, payload, what string, err error, from time.Time) {
	w.note(soakEvent{Op: soakTrouble, Queue: soakQueues[i].Name, Payload: payload, Out: what + ": " + err.Error()}, from)
}

func element(id framework.ID) string {
	_, e, _ := strings.Cut(string(id), "-")
	return e
}

// message makes the next message of a queue, and what will be noted of its offer.
func (w *soakGoWorker) message(i int) (framework.Item[string], soakEvent) {
	q := soakQueues[i]
	m := framework.Item[string]{Value: w.next(q.Name), Delay: w.delay()}
	e := soakEvent{Op: soakOffer, Queue: q.Name, Payload: m.Value, Due: time.Now().Add(m.Delay).UnixMilli()}
	if w.below(10) == 0 { // by a time that may be past
		m.At = time.Now().Add(m.Delay - 2*time.Second)
		e.Due = max(m.At.UnixMilli(), time.Now().UnixMilli())
	}
	if q.Keyed && w.below(4) > 0 {
		e.Key = fmt.Sprint("key ", w.below(soakKeys))
		key := framework.Key(e.Key)
		m.Key = []framework.DedupKey{key, key.Replace(), key.Extend()}[w.below(3)]
		if w.below(3) == 0 {
			m.Key = m.Key.Within(time.Second)
		}
	}
	return m, e
}

// offered notes an offer's receipt.
func (w *soakGoWorker) offered(e soakEvent, r framework.Receipt, from time.Time) {
	e.Element = element(r.ID)
	switch r.Outcome {
	case framework.OutcomeKept, framework.OutcomeHandled: // nothing was added
		e.Out = "kept"
	case framework.OutcomeReplaced:
		e.Out = "replaced"
	case framework.OutcomeExtended:
		e.Out, e.Due = "extended", r.Due.UnixMilli()
	case framework.OutcomeAdded:
	}
	w.note(e, from)
}

func (w *soakGoWorker) hold(h soakHeld) {
	if w.held = append(w.held, h); len(w.held) > 100 {
		w.held = slices.Delete(w.held, 0, 50)
	}
}

func (w *soakGoWorker) offer(ctx context.Context, i int) {
	from := time.Now()
	m, e := w.message(i)
	q := framework.Bind(w.client, w.queues[i])
	offer := func() (framework.Receipt, error) {
		if m.At.IsZero() {
			return q.Offer(ctx, m.Value, m.Delay, m.Key)
		}
		return q.OfferAt(ctx, m.Value, m.At, m.Key)
	}
	r, err := offer()
	if err != nil {
		w.trouble(i, m.Value, "offer", err, from)
		return
	}
	w.offered(e, r, from)
	if r.Outcome == framework.OutcomeAdded || r.Outcome == framework.OutcomeReplaced {
		w.hold(soakHeld{i, m.Value, r.ID})
	}
}

func (w *soakGoWorker) offerAll(ctx context.Context, i int) {
	from := time.Now()
	var messages []framework.Item[string]
	var events []soakEvent
	for range 1 + w.below(20) {
		m, e := w.message(i)
		messages, events = append(messages, m), append(events, e)
	}
	_, err := framework.Bind(w.client, w.queues[i]).OfferAll(ctx, slices.Values(messages),
		framework.OnResult(func(n int, r framework.Receipt, err error) {
			if err == nil {
				w.offered(events[n], r, from)
			}
		}))
	if err != nil {
		w.trouble(i, "", "offer all", err, from)
	}
}

// changed notes what came of a cancellation or rescheduling by id.
func (w *soakGoWorker) changed(i int, e soakEvent, err error, from time.Time) {
	e.Queue = soakQueues[i].Name
	var gone *fault.NotPendingError
	switch {
	case errors.As(err, &gone) && gone.Forbidden:
		e.Op = soakForbidden
	case errors.Is(err, fault.ErrGone):
		e.Op = soakGone
	case err != nil:
		w.trouble(i, e.Payload, string(e.Op), err, from)
		return
	}
	w.note(e, from)
}

func (w *soakGoWorker) cancelHeld(ctx context.Context) {
	if len(w.held) == 0 {
		return
	}
	h := w.held[w.below(len(w.held))]
	from := time.Now()
	err := framework.Bind(w.client, w.queues[h.queue]).Cancel(ctx, h.id)
	w.changed(h.queue, soakEvent{Op: soakCancelled, Payload: h.payload}, err, from)
}

// cancelFound cancels a message that anybody may have offered.
func (w *soakGoWorker) cancelFound(ctx context.Context, i int) {
	asked := time.Now()
	found, err := framework.Bind(w.client, w.queues[i]).Pending().Page(ctx, int64(w.below(30)), 1)
	if err != nil {
		w.trouble(i, "", "pending", err, asked)
		return
	}
	for _, m := range found {
		w.note(soakEvent{Op: soakHolds, Queue: soakQueues[i].Name, Payload: m.Payload}, asked)
		from := time.Now()
		if w.below(2) == 0 {
			at := from.Add(w.delay())
			err = framework.Bind(w.client, w.queues[i]).Reschedule(ctx, m.ID, at)
			w.changed(i, soakEvent{Op: soakRescheduled, Payload: m.Payload, Due: at.UnixMilli()}, err, from)
			continue
		}
		err = framework.Bind(w.client, w.queues[i]).Cancel(ctx, m.ID)
		w.changed(i, soakEvent{Op: soakCancelled, Payload: m.Payload}, err, from)
	}
}

func (w *soakGoWorker) reschedule(ctx context.Context) {
	if len(w.held) == 0 {
		return
	}
	h := w.held[w.below(len(w.held))]
	from := time.Now()
	at := from.Add(w.delay() - 500*time.Millisecond)
	err := framework.Bind(w.client, w.queues[h.queue]).Reschedule(ctx, h.id, at)
	w.changed(h.queue, soakEvent{Op: soakRescheduled, Payload: h.payload, Due: at.UnixMilli()}, err, from)
}

func (w *soakGoWorker) cancelKey(ctx context.Context, i int) {
	from := time.Now()
	key := fmt.Sprint("key ", w.below(soakKeys))
	var gone *fault.NotPendingError
	switch err := framework.Bind(w.client, w.queues[i]).CancelKey(ctx, key); {
	case errors.As(err, &gone) && gone.Forbidden:
		w.note(soakEvent{Op: soakForbidden, Queue: soakQueues[i].Name, Key: key, Element: element(framework.ID(gone.ID))}, from)
	case err == nil:
		w.note(soakEvent{Op: soakCancelKey, Queue: soakQueues[i].Name, Key: key}, from)
	case !errors.Is(err, fault.ErrGone):
		w.trouble(i, "", "cancel key", err, from)
	}
}

func (w *soakGoWorker) rescheduleKey(ctx context.Context, i int) {
	from := time.Now()
	key, at := fmt.Sprint("key ", w.below(soakKeys)), from.Add(w.delay())
	switch id, err := framework.Bind(w.client, w.queues[i]).RescheduleKey(ctx, key, at); {
	case err == nil:
		w.note(soakEvent{Op: soakRescheduled, Queue: soakQueues[i].Name, Key: key, Element: element(id), Due: at.UnixMilli()}, from)
	case !errors.Is(err, fault.ErrGone):
		w.trouble(i, "", "reschedule key", err, from)
	}
}
