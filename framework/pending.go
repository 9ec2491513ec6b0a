package framework

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/weight"
)

// PendingMessage is one message that is not due yet, or not transferred yet.
type PendingMessage[T any] struct {
	ID      ID        // "" for an element whose id is not 8 bytes long
	Due     time.Time // zero if it is never due
	Payload T         // valid only when Err is nil
	Body    []byte    // the payload's bytes; nil if the element is malformed
	Err     error     // why the element or its payload cannot be read
}

// PendingView shows the messages of a queue that are not due yet, or not transferred yet,
// of Go and Java. In all its methods a limit of zero is no limit.
type PendingView[T any] struct{ queue *Queue[T] }

// Pending returns the view of the pending messages.
func (q *Queue[T]) Pending() PendingView[T] { return PendingView[T]{q} }

// Page lists up to limit messages in the order in which they fall due, from offset on. It
// changes nothing; its cost grows only with the logarithm of offset.
func (v PendingView[T]) Page(ctx context.Context, offset, limit int64) ([]PendingMessage[T], error) {
	q := v.queue
	t, err := q.target()
	if err != nil {
		return nil, err
	}
	found, err := partitions.PagePending(ctx, q.client.rdb, t.of.keys, offset, unlimited(limit), t.EmptyOK)
	if err != nil {
		return nil, err
	}
	out := make([]PendingMessage[T], len(found))
	for i, f := range found {
		out[i] = q.pendingMessage(f.PendingMessage)
	}
	return out, nil
}

// All reads all messages with their due times, in the order in which they fall due. Java's
// readAll of a delayed queue has the same messages in the order of their offers. All reads pages of 500 from Redis, so that neither side holds all of
// them. It yields a message that stays pending exactly once. One that comes or goes
// meanwhile may be yielded or not, and one that gets another due time once, twice or not at
// all.
//
// It ends after the first error of Redis, which comes with a zero message. Elements and
// payloads that cannot be read have an Err and do not end it.
func (v PendingView[T]) All(ctx context.Context) iter.Seq2[PendingMessage[T], error] {
	return func(yield func(PendingMessage[T], error) bool) {
		q := v.queue
		t, err := q.target()
		if err != nil {
			yield(PendingMessage[T]{}, err)
			return
		}
		for found, err := range partitions.WalkPending(ctx, q.client.rdb, t.of.keys, t.EmptyOK) {
			if err != nil {
				yield(PendingMessage[T]{}, err)
				return
			}
			if !yield(q.pendingMessage(found.PendingMessage), nil) {
				return
			}
		}
	}
}

// Get returns the message with this ID, also one that Java offered or that waits for a
// retry. If it is not pending, the error is a [*fault.NotPendingError], which says where it
// is. Cost and errors are those of [Queue.Reschedule]; it changes nothing.
func (v PendingView[T]) Get(ctx context.Context, id ID) (PendingMessage[T], error) {
	args, t, err := v.queue.change(id)
	if err != nil {
		return PendingMessage[T]{}, err
	}
	return v.queue.get(ctx, t, args)
}

// GetKey is [PendingView.Get] for the message that was offered with a [Key].
func (v PendingView[T]) GetKey(ctx context.Context, key string) (PendingMessage[T], error) {
	args, t, err := v.queue.changeKey(key)
	if err != nil {
		return PendingMessage[T]{}, err
	}
	var m PendingMessage[T]
	err = t.of.onKey(key, func(t *target) (err error) {
		m, err = v.queue.get(ctx, t, args)
		return err
	})
	return m, err
}

func (q *Queue[T]) get(ctx context.Context, t *target, args delayed.ChangeArgs) (m PendingMessage[T], err error) {
	err = q.client.elsewhere(ctx, t, false, func() error {
		found, failed := delayed.Get(ctx, q.client.rdb, t.Keys, args, t.EmptyOK)
		if failed == nil {
			m = q.pendingMessage(found)
		}
		return failed
	})
	return m, err
}

// Find returns the IDs of up to limit messages whose payload is value, by due time: Java's
// contains of a delayed queue, which also compares encoded bytes.
//
// It reads pending messages until it has found enough. To find messages often, keep their
// IDs, or offer them with a [Key].
func (v PendingView[T]) Find(ctx context.Context, value T, limit int64) ([]ID, error) {
	q := v.queue
	t, body, err := q.wanted(value)
	if err != nil || limit < 0 {
		return nil, err
	}
	var ids []ID
	for found, err := range q.equalPending(ctx, t, body) {
		if err != nil {
			return ids, err
		}
		if found.Text != "" {
			if ids = append(ids, ID(found.Text)); int64(len(ids)) == limit {
				break
			}
		}
	}
	return ids, nil
}

// Remove cancels up to limit messages whose payload is value, and returns how many: Java's
// remove of a delayed queue, which removes one. It costs what Find and [Queue.Cancel] cost,
// and also removes messages without an ID. With an error it returns how many it had removed.
//
// Redisson's remove walks the whole list in one script, which holds Redis for 0.3 s at
// 50,000 pending; this one reads pages.
func (v PendingView[T]) Remove(ctx context.Context, value T, limit int64) (int64, error) {
	q := v.queue
	t, body, err := q.wanted(value)
	if err != nil || limit < 0 {
		return 0, err
	}
	removed := int64(0)
	for found, err := range q.equalPending(ctx, t, body) {
		if err == nil {
			_, err = delayed.Cancel(ctx, q.client.rdb, t.of.keys[found.Partition], delayed.ChangeArgs{Element: found.Element, NoView: t.NoView})
		}
		switch {
		case err == nil:
			if removed++; removed == limit {
				return removed, nil
			}
		case !errors.Is(err, fault.ErrGone):
			return removed, err
		}
	}
	return removed, nil
}

// equalPending walks the pending messages with the given payload.
func (q *Queue[T]) equalPending(ctx context.Context, t *target, body []byte) iter.Seq2[partitions.Pending, error] {
	return func(yield func(partitions.Pending, error) bool) {
		for found, err := range partitions.WalkPending(ctx, q.client.rdb, t.of.keys, t.EmptyOK) {
			if (err != nil || found.Err == nil && bytes.Equal(found.Payload, body)) && !yield(found, err) {
				return
			}
		}
	}
}

// MaxPollPending is the most messages that one [PendingView.Poll] takes.
const MaxPollPending = delayed.MaxPollPending

// Poll takes up to n pending messages, at most [MaxPollPending], before they are due, in the
// order of their due times: Java's poll(n) of a delayed queue, which goes by the order of
// offers. Elements that fit no layout of Redisson's stay; payloads that cannot be decoded
// come with an Err and their bytes. It takes fewer if they have more than 4 MiB together.
//
// The messages are the caller's alone: if the process dies, they are lost. Nothing is sent
// twice. The error [*fault.ChangeUnknownError] says that more messages may have been taken
// than are returned; those that are returned are taken, whatever the error is.
func (v PendingView[T]) Poll(ctx context.Context, n int64) ([]PendingMessage[T], error) {
	q := v.queue
	t, err := q.target()
	if err != nil {
		return nil, err
	}
	found, err := partitions.PollPending(ctx, q.client.rdb, t.of.keys, n, t.NoView, t.EmptyOK)
	return q.pendingMessages(found), err
}

// Clear deletes all pending messages, Java's included, and returns how many there were;
// after a lost reply, how many the second try found. Messages on the ready list stay. One
// short script deletes the messages, further ones what is known of each, such as its key.
// The windows of keys stay. The error [*fault.ChangeUnknownError] says that the messages
// may be gone.
func (v PendingView[T]) Clear(ctx context.Context) (int64, error) {
	t, err := v.queue.target()
	if err != nil {
		return 0, err
	}
	return partitions.ClearPending(ctx, v.queue.client.rdb, t.of.keys)
}

// wanted returns the bytes by which messages of a value are found.
func (q *Queue[T]) wanted(value T) (*target, []byte, error) {
	t, err := q.target()
	if err != nil {
		return nil, nil, err
	}
	body, err := q.queue.Encode(value)
	return t, body, err
}

// unlimited returns the bound that a limit means: zero is none, and less than zero lets
// nothing through.
func unlimited(limit int64) int64 {
	if limit == 0 {
		return math.MaxInt64
	}
	return max(limit, 0)
}

func (q *Queue[T]) pendingMessages(found []delayed.PendingMessage) []PendingMessage[T] {
	out := make([]PendingMessage[T], len(found))
	for i, f := range found {
		out[i] = q.pendingMessage(f)
	}
	return out
}

func (q *Queue[T]) pendingMessage(f delayed.PendingMessage) PendingMessage[T] {
	m := PendingMessage[T]{ID: ID(f.Text), Body: f.Payload, Err: f.Err}
	if f.DueMs >= 0 {
		m.Due = time.UnixMilli(f.DueMs)
	}
	if m.Err == nil {
		m.Payload, m.Err = q.decode(f.Payload)
	}
	return m
}

// decode reads a payload that is looked at.
func (q *Queue[T]) decode(payload []byte) (T, error) {
	return weight.Look(q.queue.Typed().Codec(), payload, q.queue.Decode)
}
