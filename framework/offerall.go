package framework

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
)

// Item is one message of [Queue.OfferAll].
type Item[T any] struct {
	Value T

	// Delay counts by Redis's clock, rounded up to a millisecond. Ignored when At is
	// set. The zero value makes the message due at once.
	Delay time.Duration

	// At is the due time by Redis's clock.
	At time.Time

	// Key is the deduplication key, see [DedupKey]. The zero value is none.
	Key DedupKey
}

func (m Item[T]) args() delayed.OfferArgs {
	args := delayed.OfferArgs{Delay: m.Delay, At: m.At}
	m.Key.ApplyOffer(&args)
	return args
}

// Bulk counts what came of a bulk offer.
type Bulk struct {
	Read     int64 // messages taken from the sequence, and reported
	Added    int64 // added, replacing ones included
	Kept     int64 // not added: another message of their key is still to be handled, see [OutcomeKept]
	Handled  int64 // not added: another message of their key was handled within its window, see [OutcomeHandled]
	Replaced int64 // of those added: they replaced another message of their key
	Extended int64 // not added: another message of their key got their due time
	Failed   int64 // not added, with an error
	Unknown  int64 // may or may not have been added, see [fault.OutcomeUnknownError]

	// Unreplicated counts those of the others that are in Redis, but on fewer replicas than
	// [AwaitReplicas] asked for, see [fault.ReplicationError].
	Unreplicated int64
}

// BulkError says that some messages of a bulk offer failed; [OnResult] tells which ones.
type BulkError struct {
	Queue string // queue code
	Bulk  Bulk
	Index int   // of the first one that failed
	Err   error // its error
}

// Error returns the counts and the first error.
func (e *BulkError) Error() string {
	if e.Bulk.Failed+e.Bulk.Unknown == 0 {
		return fmt.Sprintf("bulk offer to queue %q: of %d messages, %d are on too few replicas; message %d: %v",
			e.Queue, e.Bulk.Read, e.Bulk.Unreplicated, e.Index, e.Err)
	}
	return fmt.Sprintf("bulk offer to queue %q: %d of %d messages failed, and of %d the outcome is unknown; message %d: %v",
		e.Queue, e.Bulk.Failed, e.Bulk.Read, e.Bulk.Unknown, e.Index, e.Err)
}

// Unwrap returns the error of the first message that failed.
func (e *BulkError) Unwrap() error { return e.Err }

// BulkOption is an option of [Queue.OfferAll].
type BulkOption interface{ applyBulk(o *bulkOptions) }

type bulkOptions struct {
	result   func(i int, r Receipt, err error)
	progress func(Bulk)
	every    time.Duration
	await    delayed.Await
}

type onResult func(i int, r Receipt, err error)

func (f onResult) applyBulk(o *bulkOptions) { o.result = f }

// OnResult calls f with the result of each message, counted from 0, in the order of the
// sequence and on the goroutine that called [Queue.OfferAll]. The errors are those of
// [Queue.Offer]; a [*fault.ReplicationError] comes with a receipt.
func OnResult(f func(i int, r Receipt, err error)) BulkOption { return onResult(f) }

type onProgress struct {
	f     func(Bulk)
	every time.Duration
}

func (p onProgress) applyBulk(o *bulkOptions) { o.progress, o.every = p.f, p.every }

// OnProgress calls f with the counts so far, at most once in the given time, and at
// the end; on the goroutine that called [Queue.OfferAll].
func OnProgress(every time.Duration, f func(Bulk)) BulkOption { return onProgress{f, every} }

// OfferAll offers all messages of a sequence, two hundred in one script. Each message
// succeeds or fails alone, as with [Queue.Offer]; messages due in the same millisecond keep
// their order. What is read while Redis is busy goes in one pipeline of at most 800
// messages. Memory holds at most four of these, or a few MiB, for a sequence of any length:
// it may read from a database or file. Partitions (registry.Partitions) get theirs side by
// side, each in its own order; then two times 800 messages for each are held. [OnResult], [OnProgress] and [AwaitReplicas] are
// options.
//
// When ctx ends, OfferAll reads no more and reports what it had begun. The error is nil if
// all messages were read and none failed, the context's cause if it ended before, else a
// [*BulkError].
//
// The call has one span, to which the handlers of all its messages link.
func (q *Queue[T]) OfferAll(ctx context.Context, messages iter.Seq[Item[T]], opts ...BulkOption) (_ Bulk, err error) {
	var o bulkOptions
	for _, opt := range opts {
		if opt != nil {
			opt.applyBulk(&o)
		}
	}
	t, err := q.target()
	if err != nil {
		return Bulk{}, err
	}
	if messages == nil {
		return Bulk{}, nil
	}
	if err = q.mayOffer(ctx, t); err != nil {
		return Bulk{}, err
	}
	c := q.client
	t.count(ctx)
	spanned, span := t.Telemetry.StartSendAll(ctx)
	run, creation := &bulkRun{ctx: spanned, client: c, code: t.Code, options: o, last: time.Now()}, span.Creation()
	defer func() { span.EndAll(int(run.bulk.Added), err) }() // when a callback panics, too
	encoded := func(yield func(delayed.OfferArgs) bool) {
		for m := range messages {
			args := m.args()
			if args.Err == nil {
				args.Payload, args.Err = q.encode(t, m.Value, &span)
			}
			if args.Err == nil && len(t.of.parts) == 1 {
				args.Err = t.of.outlasts(spanned, c, t, delayOf(args))
			}
			args.Trace, args.NoView, args.Await = creation, t.NoView, o.await
			if !yield(args) {
				return
			}
		}
		run.whole = true
	}
	partitions.OfferAll(c.parts.Panics.In(spanned), c.rdb, t.of.keys, func(args delayed.OfferArgs) (int, error) {
		to, failed := t.of.place(spanned, c, args.Home())
		if failed == nil {
			failed = t.of.outlasts(spanned, c, to, delayOf(args))
		}
		if failed != nil {
			return 0, failed
		}
		return to.Keys.Partition, nil
	}, encoded, run.done)
	if run.bulk.Read > run.bulk.Failed {
		t.of.begin(c)
	}
	err = run.end(ctx)
	return run.bulk, err
}

// bulkRun is what one call of OfferAll found. All of it is on the caller's goroutine.
type bulkRun struct {
	ctx     context.Context // of the span; it ends with the call
	client  *Client
	code    string
	options bulkOptions
	bulk    Bulk
	first   error // of the first message that failed
	firstAt int
	last    time.Time // of progress
	whole   bool      // the sequence was read to its end
}

// done counts and reports one message.
func (r *bulkRun) done(i int, result delayed.OfferResult, err error) {
	r.bulk.Read++
	in := err == nil || isIn(err)
	if log := r.client.log; err == nil && log.Enabled(r.ctx, slog.LevelDebug) {
		log.DebugContext(r.ctx, "message offered", "queue", r.code, "id", result.Text, "due", time.UnixMilli(result.DueMs), "outcome", result.Dedup.String())
	}
	switch outcome := Outcome(result.Dedup); {
	case !in && isUnknown(err):
		r.bulk.Unknown++
	case !in:
		r.bulk.Failed++
	case outcome == OutcomeKept:
		r.bulk.Kept++
	case outcome == OutcomeHandled:
		r.bulk.Handled++
	case outcome == OutcomeExtended:
		r.bulk.Extended++
	default:
		r.bulk.Added++
		if outcome == OutcomeReplaced {
			r.bulk.Replaced++
		}
	}
	if in && err != nil {
		r.bulk.Unreplicated++
	}
	if err != nil && r.first == nil {
		r.first, r.firstAt = err, i
	}
	if r.options.result != nil {
		receipt := Receipt{}
		if in {
			receipt = receiptOf(result)
		}
		r.options.result(i, receipt, named(r.code, err))
	}
	if r.options.progress == nil {
		return
	}
	if now := time.Now(); now.Sub(r.last) >= r.options.every {
		r.last = now
		r.options.progress(r.bulk)
	}
}

func isUnknown(err error) bool {
	var unknown *fault.OutcomeUnknownError
	return errors.As(err, &unknown)
}

// end returns the error of the whole.
func (r *bulkRun) end(ctx context.Context) error {
	if r.options.progress != nil {
		r.options.progress(r.bulk)
	}
	switch {
	case ctx.Err() != nil && (!r.whole || r.first != nil):
		return context.Cause(ctx)
	case r.first != nil:
		return &BulkError{Queue: r.code, Bulk: r.bulk, Index: r.firstAt, Err: r.first}
	}
	return nil
}
