package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// ErrGone says that a message is no longer pending: it is due already (ready or
// running), handled, dead, was cancelled before, or never was.
var ErrGone = redisson.ErrGone

// Errors of changes to pending messages. Find them with errors.As.
type (
	// ChangeUnknownError says that a cancellation or rescheduling may or may not have
	// been carried out: a connection broke, and asking again could not tell.
	ChangeUnknownError = redisson.ChangeUnknownError
	// AmbiguousIDError says that two pending messages have one id; nothing was changed.
	AmbiguousIDError = redisson.AmbiguousIDError
)

// Cancel takes a pending message out of the queue, whoever offered it, so that it
// is never handled. It is safe at the moment of the due time: either the message is
// cancelled, or it is handled and the error is [ErrGone].
//
// A retry by the engine gives a message a new id, which the handler's Delivery
// carries; its old id answers ErrGone.
//
// Costs: O(log n) of the pending messages, and a search of Redisson's list of them
// from its oldest entry. Errors: ErrGone, [*IDError], [*ChangeUnknownError],
// [*AmbiguousIDError], that of the queue's declaration, and what Redis answered.
func Cancel(ctx context.Context, c *Client, q registry.Descriptor, id ID) error {
	args, t, err := c.change(q, id)
	if err != nil {
		return err
	}
	_, err = redisson.Cancel(ctx, c.rdb, t.keys, args)
	return err
}

// CancelKey is [Cancel] for the message that holds a deduplication key, see
// [Dedup]: its id need not be kept. The key is free afterwards, though its window
// is not over. A key that no message was offered with, or whose window is over,
// answers [ErrGone], too.
func CancelKey(ctx context.Context, c *Client, q registry.Descriptor, key string) error {
	args, t, err := c.changeKey(q, key)
	if err != nil {
		return err
	}
	_, err = redisson.Cancel(ctx, c.rdb, t.keys, args)
	return err
}

// Reschedule gives a pending message, whoever offered it, another due time by
// Redis's clock, earlier or later, and returns its new id. A time that is past
// makes it due at once. Java consumers learn of an earlier time as of a new message.
// The window of a deduplication key stays as it is; [RescheduleKey] knows better.
//
// Costs: O(log n). Errors are those of [Cancel], and [*DelayError].
func Reschedule(ctx context.Context, c *Client, q registry.Descriptor, id ID, at time.Time) (ID, error) {
	args, t, err := c.change(q, id)
	if err != nil {
		return "", err
	}
	r, err := redisson.Reschedule(ctx, c.rdb, t.keys, args, redisson.CeilMs(at))
	return ID(r.Text), err
}

// RescheduleKey is [Reschedule] for the message that holds a deduplication key. A window
// that lasts until the message is due moves with it, another one stays as it is.
func RescheduleKey(ctx context.Context, c *Client, q registry.Descriptor, key string, at time.Time) (ID, error) {
	args, t, err := c.changeKey(q, key)
	if err != nil {
		return "", err
	}
	r, err := redisson.Reschedule(ctx, c.rdb, t.keys, args, redisson.CeilMs(at))
	return ID(r.Text), err
}

func (c *Client) change(q registry.Descriptor, id ID) (redisson.ChangeArgs, *target, error) {
	t, err := c.target(q)
	if err != nil {
		return redisson.ChangeArgs{}, nil, err
	}
	due, element, err := redisson.ParseID(string(id))
	return redisson.ChangeArgs{DueMs: due, ID: element, View: t.view}, t, err
}

func (c *Client) changeKey(q registry.Descriptor, key string) (redisson.ChangeArgs, *target, error) {
	t, err := c.target(q)
	if err != nil {
		return redisson.ChangeArgs{}, nil, err
	}
	if key == "" {
		return redisson.ChangeArgs{}, nil, &DedupError{Reason: "the key is empty"}
	}
	return redisson.ChangeArgs{Key: key, View: t.view}, t, nil
}
