package framework

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// MaxPollPending is the most messages that one [PollPending] takes.
const MaxPollPending = redisson.MaxPollPending

// PendingAll reads all pending messages, whoever offered them, in the order in which
// they fall due: Java's readAll of a delayed queue, with due times. It reads pages of
// 500 from Redis, so that neither side holds all of them. A message that stays
// pending meanwhile is met exactly once, one that comes or goes may be met or not, and
// one that gets another due time may be met twice or not at all.
//
// It ends after the first error of Redis, which comes with a zero message. Elements
// and payloads that cannot be read come with their own Err and do not end it.
func PendingAll[T any](ctx context.Context, c *Client, q *registry.Queue[T]) iter.Seq2[PendingMessage[T], error] {
	return func(yield func(PendingMessage[T], error) bool) {
		t, err := queueTarget(c, q)
		if err != nil {
			yield(PendingMessage[T]{}, err)
			return
		}
		for found, err := range redisson.WalkPending(ctx, c.rdb, t.keys, q.Policy().Codec.WritesEmpty()) {
			if err != nil {
				yield(PendingMessage[T]{}, err)
				return
			}
			if !yield(pendingMessage(q, found), nil) {
				return
			}
		}
	}
}

// FindPending returns the ids of up to limit pending messages whose payload is value,
// those first that fall due first: Java's contains of a delayed queue, which compares
// encoded bytes, too. A limit of zero means all, a negative one none.
//
// It reads all pending messages until it has them: where messages are to be found
// often, keep their ids, or offer them with a key ([Dedup]).
func FindPending[T any](ctx context.Context, c *Client, q *registry.Queue[T], value T, limit int) ([]ID, error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return nil, err
	}
	body, err := q.Encode(value)
	if err != nil || limit < 0 {
		return nil, err
	}
	var ids []ID
	for found, err := range equalPending(ctx, c, q, t, body) {
		if err != nil {
			return ids, err
		}
		if found.Text != "" {
			if ids = append(ids, ID(found.Text)); len(ids) == limit {
				break
			}
		}
	}
	return ids, nil
}

// equalPending walks the pending messages with the given payload.
func equalPending(ctx context.Context, c *Client, q registry.Descriptor, t *target, body []byte) iter.Seq2[redisson.PendingMessage, error] {
	return func(yield func(redisson.PendingMessage, error) bool) {
		for found, err := range redisson.WalkPending(ctx, c.rdb, t.keys, q.Policy().Codec.WritesEmpty()) {
			if (err != nil || found.Err == nil && bytes.Equal(found.Payload, body)) && !yield(found, err) {
				return
			}
		}
	}
}

// RemovePending cancels up to limit pending messages whose payload is value, and
// returns how many: Java's remove of a delayed queue, which removes one. A limit of
// zero means all, a negative one none. It costs what [FindPending] and [Cancel] cost, and takes messages
// without an ID, too. On an error it returns how many it had removed.
//
// Redisson's remove walks the whole list in one script, which holds Redis for 0.3 s at
// 50,000 pending; this one reads pages.
func RemovePending[T any](ctx context.Context, c *Client, q *registry.Queue[T], value T, limit int) (int, error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return 0, err
	}
	body, err := q.Encode(value)
	if err != nil || limit < 0 {
		return 0, err
	}
	removed := 0
	for found, err := range equalPending(ctx, c, q, t, body) {
		if err == nil {
			_, err = redisson.Cancel(ctx, c.rdb, t.keys, redisson.ChangeArgs{Element: found.Element, View: t.view})
		}
		switch {
		case err == nil:
			if removed++; removed == limit {
				return removed, nil
			}
		case !errors.Is(err, ErrGone):
			return removed, err
		}
	}
	return removed, nil
}

// PollPending takes up to n messages, at most [MaxPollPending], out of the pending
// ones before they are due, those first that fall due first: Java's poll(n) of a
// delayed queue, which goes by the order of offers instead. Elements that fit no layout
// of Redisson's stay; payloads that cannot be decoded come with their Err and bytes. It
// may take fewer where they have more than 4 MiB together.
//
// They are the caller's alone: a process that dies with them has lost them. Nothing is
// sent twice; the error [*ChangeUnknownError] says that more may have been taken than
// are returned, and those that are returned are taken whatever the error is.
func PollPending[T any](ctx context.Context, c *Client, q *registry.Queue[T], n int) ([]PendingMessage[T], error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return nil, err
	}
	found, err := redisson.PollPending(ctx, c.rdb, t.keys, n, t.view, q.Policy().Codec.WritesEmpty())
	out := make([]PendingMessage[T], len(found))
	for i, f := range found {
		out[i] = pendingMessage(q, f)
	}
	return out, err
}

// ClearPending forgets all pending messages of a queue, Java's included, and returns
// how many there were; where a reply was lost, how many the repeat found. Messages on the
// ready list stay. Redis does it in one short step, and then drops what it
// knows of single messages, as their keys, in further ones. Deduplication windows stay closed.
// The error [*ChangeUnknownError] says that they may be gone.
func ClearPending(ctx context.Context, c *Client, q registry.Descriptor) (int64, error) {
	t, err := c.target(q)
	if err != nil {
		return 0, err
	}
	return redisson.ClearPending(ctx, c.rdb, t.keys)
}

func queueTarget[T any](c *Client, q *registry.Queue[T]) (*target, error) {
	if q == nil {
		return nil, errNilQueue
	}
	return c.target(q)
}

func pendingMessage[T any](q *registry.Queue[T], f redisson.PendingMessage) PendingMessage[T] {
	m := PendingMessage[T]{ID: ID(f.Text), Body: f.Payload, Err: f.Err}
	if f.DueMs >= 0 {
		m.Due = time.UnixMilli(f.DueMs)
	}
	if m.Err == nil {
		m.Payload, m.Err = q.Decode(f.Payload)
	}
	return m
}
