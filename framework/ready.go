package framework

import (
	"context"
	"iter"

	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
)

// ReadyMessage is one message that is due and waits for a consumer.
type ReadyMessage[T any] struct {
	Payload T      // valid only when Err is nil
	Body    []byte // the payload's bytes
	Err     error  // why the payload cannot be read
}

// ReadyView shows the messages of a queue that are due and wait for a consumer, of Go and
// Java. In all its methods a limit of zero is no limit. Partitions (registry.Partitions) have
// no common order: the next message of each comes in turn, and Poll begins with another one
// each time.
type ReadyView[T any] struct{ queue *Queue[T] }

// Ready returns the view of the ready messages.
func (q *Queue[T]) Ready() ReadyView[T] { return ReadyView[T]{q} }

// Page lists up to limit messages from offset on, the next one to be handled first: Java's
// peek of the queue itself. It changes nothing. Its cost grows with offset: read long lists
// from the head.
func (v ReadyView[T]) Page(ctx context.Context, offset, limit int64) ([]ReadyMessage[T], error) {
	var page []ReadyMessage[T]
	for m, err := range v.from(ctx, offset, unlimited(limit)) {
		if err != nil {
			return nil, err
		}
		page = append(page, m)
	}
	return page, nil
}

// All reads all messages, the next one to be handled first: Java's readAll of the queue
// itself. It reads pages of about 1 MiB. What consumers take meanwhile moves the others
// towards the head, so that it may miss some. It ends after the first error of Redis;
// payloads that cannot be read have an Err and do not end it.
func (v ReadyView[T]) All(ctx context.Context) iter.Seq2[ReadyMessage[T], error] {
	return v.from(ctx, 0, unlimited(0))
}

func (v ReadyView[T]) from(ctx context.Context, offset, limit int64) iter.Seq2[ReadyMessage[T], error] {
	return func(yield func(ReadyMessage[T], error) bool) {
		q := v.queue
		t, err := q.target()
		if err != nil {
			yield(ReadyMessage[T]{}, err)
			return
		}
		for body, err := range partitions.WalkReady(ctx, q.client.rdb, t.of.keys, offset, limit) {
			if err != nil {
				yield(ReadyMessage[T]{}, err)
				return
			}
			if !yield(q.readyMessage(body), nil) {
				return
			}
		}
	}
}

// Poll takes up to n messages off the head of the ready list: Java's poll and
// poll(n) of the queue itself, for programs that port such code. A handler ([Consume],
// [Handle]) is the safe way: with Poll the messages are lost if the process dies, or if the
// connection breaks, which is a [*fault.ChangeUnknownError].
func (v ReadyView[T]) Poll(ctx context.Context, n int64) ([]ReadyMessage[T], error) {
	q := v.queue
	t, err := q.target()
	if err != nil {
		return nil, err
	}
	bodies, err := partitions.PollReady(ctx, q.client.rdb, t.of.keys, n)
	out := make([]ReadyMessage[T], len(bodies))
	for i, body := range bodies {
		out[i] = q.readyMessage(body)
	}
	return out, err
}

// Remove takes up to limit messages whose payload is value out of the ready list, and returns
// how many: Java's remove of the queue itself, which removes one. Redis searches the list; if
// it has more than 100,000 entries, the error is a [*fault.TooLongError].
func (v ReadyView[T]) Remove(ctx context.Context, value T, limit int64) (int64, error) {
	q := v.queue
	t, body, err := q.wanted(value)
	if err != nil || limit < 0 {
		return 0, err
	}
	return partitions.RemoveReady(ctx, q.client.rdb, t.of.keys, body, limit)
}

// Clear deletes all ready messages, Java's included, and returns how many there were; after
// a lost reply, how many the second try found: Java's clear of the queue itself. What a
// process has taken is handled. The error [*fault.ChangeUnknownError] says that the messages
// may be gone.
func (v ReadyView[T]) Clear(ctx context.Context) (int64, error) {
	t, err := v.queue.target()
	if err != nil {
		return 0, err
	}
	return partitions.ClearReady(ctx, v.queue.client.rdb, t.of.keys)
}

func (q *Queue[T]) readyMessage(body string) ReadyMessage[T] {
	m := ReadyMessage[T]{Body: []byte(body)}
	m.Payload, m.Err = q.decode(m.Body)
	return m
}
