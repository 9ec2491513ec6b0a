package framework

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// TooLongError says that a list is too long to be searched; nothing was changed.
type TooLongError = redisson.TooLongError

// ReadyMessage is one message that is due and waits for a consumer.
type ReadyMessage[T any] struct {
	Payload T      // valid only when Err is nil
	Body    []byte // the payload's bytes
	Err     error  // why the payload cannot be read
}

// Ready lists up to limit messages of the ready list from offset on, the next one to
// be handled first: Java's peek and readAll of the queue itself. It changes nothing.
// Its cost grows with offset: read long lists in pages from the head.
func Ready[T any](ctx context.Context, c *Client, q *registry.Queue[T], offset, limit int64) ([]ReadyMessage[T], error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return nil, err
	}
	return readyMessages(q)(redisson.Ready(ctx, c.rdb, t.keys, offset, limit))
}

// PollReady takes up to n messages off the head of the ready list: Java's poll and
// poll(n) of the queue itself, for programs that port such code. A handler
// ([Consume], [Handle]) is the safe way: here a process that dies with messages has
// lost them, and so has one whose connection breaks, which [*ChangeUnknownError]
// tells.
func PollReady[T any](ctx context.Context, c *Client, q *registry.Queue[T], n int) ([]ReadyMessage[T], error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return nil, err
	}
	return readyMessages(q)(redisson.PollReady(ctx, c.rdb, t.keys, n))
}

// RemoveReady takes up to limit messages whose payload is value out of the ready list,
// and returns how many: Java's remove of the queue itself, which removes one. A limit
// of zero means all, a negative one none. Redis searches the list: where it has more than 100,000 entries
// the error is a [*TooLongError].
func RemoveReady[T any](ctx context.Context, c *Client, q *registry.Queue[T], value T, limit int) (int64, error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return 0, err
	}
	body, err := q.Encode(value)
	if err != nil || limit < 0 {
		return 0, err
	}
	return redisson.RemoveReady(ctx, c.rdb, t.keys, body, limit)
}

func readyMessages[T any](q *registry.Queue[T]) func(bodies []string, err error) ([]ReadyMessage[T], error) {
	return func(bodies []string, err error) ([]ReadyMessage[T], error) {
		out := make([]ReadyMessage[T], len(bodies))
		for i, body := range bodies {
			m := ReadyMessage[T]{Body: []byte(body)}
			m.Payload, m.Err = q.Decode(m.Body)
			out[i] = m
		}
		return out, err
	}
}
