package framework

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Cancel takes a pending message out of the queue, so that it is never handled: before
// its due time, and while it waits for a retry. Go or Java may have offered it. Cancel is
// safe at the moment of the due time: either the message is cancelled, or the error is a
// [*fault.NotPendingError], which says where the message is.
//
// The handler of a message in flight decides its outcome. But Cancel forbids its retry and
// the dead store: if this attempt fails in any way, or its process dies, the message ends
// as cancelled, and the error says so in Forbidden.
//
// It costs O(log n) of the pending messages, and a search of Redisson's list of them from
// its oldest entry. If it is not pending, looking for it elsewhere takes Redis 10 ms at most,
// and the time to read one dead body. Errors: [*fault.NotPendingError], [*fault.IDError],
// [*fault.ChangeUnknownError], [*fault.AmbiguousIDError], that of the queue's declaration,
// and what Redis answered.
func (q *Queue[T]) Cancel(ctx context.Context, id ID) error {
	args, t, err := q.change(id)
	if err != nil {
		return q.named(err)
	}
	return q.named(q.client.ended(ctx, q.client.cancel(ctx, t, args), t))
}

// CancelKey is [Queue.Cancel] for the message that was offered with a [Key]: its ID need
// not be kept. The key names its message until the message is done or a later one is
// offered with the key, whatever the window. After CancelKey the key is free for offers,
// even if its window is not over.
//
// Of a message that was handled or cancelled before, the [*fault.NotPendingError] says so, and
// when, where the key has a window (DedupKey.Within) or the queue a journal
// (registry.Journal), of which the newest records are asked: a MiB at most.
func (q *Queue[T]) CancelKey(ctx context.Context, key string) error {
	args, t, err := q.changeKey(key)
	if err != nil {
		return q.named(err)
	}
	err = t.of.onKey(key, func(t *target) error { return q.client.cancel(ctx, t, args) })
	home, other := t.of.homes(key)
	return q.named(q.client.ended(ctx, err, home, other))
}

func (c *Client) cancel(ctx context.Context, t *target, args delayed.ChangeArgs) error {
	t.count(ctx)
	ctx, span := t.Telemetry.StartCancel(ctx)
	var done delayed.Cancelled
	err := c.elsewhere(ctx, t, true, func() (err error) {
		done, err = delayed.Cancel(ctx, c.rdb, t.Keys, args)
		return err
	})
	var gone *fault.NotPendingError
	switch errors.As(err, &gone); {
	case err == nil:
		id := done.ID.String()
		span.End(id, time.Time{}, nil)
		t.Telemetry.Cancelled(ctx, telemetry.CancelledPending, 1)
		t.journal.Cancelled(ctx, c.log, c.rdb, t.Keys, id, done.Key, done.Payload)
		c.log.DebugContext(ctx, "message cancelled", "queue", t.Code, "id", id, "key", done.Key)
	case gone != nil && gone.Forbidden:
		span.End(gone.ID, time.Time{}, err)
		t.journal.Cancelled(ctx, c.log, c.rdb, t.Keys, gone.ID, gone.Key, nil)
		c.log.DebugContext(ctx, "message cancelled while it is in flight: it is not retried if its attempt fails",
			"queue", t.Code, "id", gone.ID, "key", gone.Key)
	case gone != nil:
		span.End(gone.ID, time.Time{}, err)
	default:
		span.End("", time.Time{}, err)
	}
	return err
}

// Reschedule gives a pending message another due time by Redis's clock, earlier or later,
// also while it waits for a retry. Go or Java may have offered it; it keeps its ID. A time
// in the past makes it due at once. Java consumers learn of an earlier time as of a new
// message. The window of its [Key] does not move.
//
// It costs O(log n). Errors are those of [Queue.Cancel], and [*fault.DelayError].
func (q *Queue[T]) Reschedule(ctx context.Context, id ID, at time.Time) error {
	args, t, err := q.change(id)
	if err != nil {
		return q.named(err)
	}
	_, err = q.client.reschedule(ctx, t, args, at)
	return q.named(q.client.ended(ctx, err, t))
}

// RescheduleKey is [Queue.Reschedule] for the message that was offered with a [Key], and
// returns its ID.
func (q *Queue[T]) RescheduleKey(ctx context.Context, key string, at time.Time) (ID, error) {
	args, t, err := q.changeKey(key)
	if err != nil {
		return "", q.named(err)
	}
	var id ID
	err = t.of.onKey(key, func(t *target) (err error) {
		id, err = q.client.reschedule(ctx, t, args, at)
		return err
	})
	home, other := t.of.homes(key)
	return id, q.named(q.client.ended(ctx, err, home, other))
}

func (c *Client) reschedule(ctx context.Context, t *target, args delayed.ChangeArgs, at time.Time) (id ID, err error) {
	t.count(ctx)
	ctx, span := t.Telemetry.StartReschedule(ctx)
	var done delayed.Rescheduled
	err = c.elsewhere(ctx, t, false, func() (err error) {
		done, err = delayed.Reschedule(ctx, c.rdb, t.Keys, args, wire.CeilMs(at))
		return err
	})
	id = ID(done.ID.String())
	span.End(string(id), at, err)
	if err == nil {
		c.log.DebugContext(ctx, "message rescheduled", "queue", t.Code, "id", string(id), "key", args.Key, "due", time.UnixMilli(done.DueMs))
	}
	return id, err
}

// elsewhere makes a change. If the message is not pending, it looks where the message is.
// A message that is nowhere may have been between two places, so the change is tried once
// more.
func (c *Client) elsewhere(ctx context.Context, t *target, forbid bool, change func() error) error {
	err := change()
	var gone *delayed.NotPending
	if !errors.As(err, &gone) {
		return err
	}
	if gone.Key == "" {
		defer func() { gone.Key = gone.Offered }() // a search by it would find others of that key
	}
	if gone.Where != fault.WhereUnknown {
		return gone.NotPendingError
	}
	if failed := lease.Find(ctx, c.rdb, t.Keys, gone, forbid); failed != nil {
		gone.Where, gone.Err = fault.WhereCut, failed
	}
	if gone.Where != fault.WhereUnknown {
		return gone.NotPendingError
	}
	again := change()
	if errors.As(again, new(*delayed.NotPending)) {
		return gone.NotPendingError
	}
	return again
}

// ended is told how a change of a message has failed, and the targets where the message may have
// been. If it is not found it asks the journal what became of it.
func (c *Client) ended(ctx context.Context, err error, where ...*target) error {
	var gone *fault.NotPendingError
	if !errors.As(err, &gone) || gone.Where != fault.WhereUnknown && gone.Where != fault.WhereCut {
		return err
	}
	for i, t := range where {
		if t.journal == nil || i > 0 && t == where[0] {
			continue
		}
		r, found, failed := journal.Last(ctx, c.rdb, t.Keys, gone.ID, gone.Key)
		switch {
		case failed != nil:
			gone.Where, gone.Err = fault.WhereCut, failed
		case found:
			gone.ID, gone.Since, gone.Err = cmp.Or(gone.ID, r.ID), r.At(), nil
			gone.Where = map[string]fault.Where{journal.Handled: fault.WhereHandled, journal.Cancelled: fault.WhereCancelled}[r.Outcome]
			if gone.Where == "" {
				gone.Where = fault.WhereDead
			}
			return err
		}
	}
	return err
}

func (q *Queue[T]) change(id ID) (delayed.ChangeArgs, *target, error) {
	t, err := q.target()
	if err != nil {
		return delayed.ChangeArgs{}, nil, err
	}
	of, err := wire.ParseID(string(id))
	if err == nil {
		t, err = t.of.of(id, of.Partition)
	}
	if err != nil {
		return delayed.ChangeArgs{}, nil, err
	}
	return delayed.ChangeArgs{DueMs: of.DueMs, ID: of.Element, NoView: t.NoView}, t, nil
}

func (q *Queue[T]) changeKey(key string) (delayed.ChangeArgs, *target, error) {
	t, err := q.target()
	if err != nil {
		return delayed.ChangeArgs{}, nil, err
	}
	if key == "" {
		return delayed.ChangeArgs{}, nil, &fault.DedupError{Reason: "the key is empty"}
	}
	return delayed.ChangeArgs{Key: key, NoView: t.NoView}, t, nil
}
