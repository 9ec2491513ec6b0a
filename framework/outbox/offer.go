package outbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/unsent"
	"github.com/duequeue/duequeue/registry"
)

// Offer writes a message for the queue q into the outbox, as [framework.Queue.Offer] offers
// it. delay counts from this call. It asks the database alone. The message carries the trace
// of ctx, whose span the spans of the relay and of the handler continue.
//
// [framework.Key] is an option. [framework.AwaitReplicas] is not: give it to the relay.
//
// Errors: [*fault.DelayError], [*fault.DedupError], registry.SizeError and
// codecs.EncodeError, and that of the declaration, before anything is written; [*EndedError]
// for a transaction that has ended, [*WriteError] for what the database answered, after which
// PostgreSQL lets the transaction only be rolled back. Offer tries nothing again: only who owns
// the transaction can. Its field Busy says where SQLite's lock was another connection's.
func Offer[T any](ctx context.Context, tx Tx, q *registry.Queue[T], value T, delay time.Duration, opts ...framework.OfferOption) error {
	if delay < 0 || delay > maxDelay {
		return named(q, &fault.DelayError{Delay: delay, Reason: "the delay is negative, or longer than 200 years"})
	}
	return offer(ctx, tx, q, value, delayed.OfferArgs{Delay: delay}, opts)
}

// maxDelay is far below what overflows.
const maxDelay = 200 * 365 * 24 * time.Hour

// OfferAt is [Offer] with a point in time by Redis's clock instead of a delay, as
// [framework.Queue.OfferAt].
func OfferAt[T any](ctx context.Context, tx Tx, q *registry.Queue[T], value T, at time.Time, opts ...framework.OfferOption) error {
	if at.IsZero() {
		return named(q, errNoDue())
	}
	return offer(ctx, tx, q, value, delayed.OfferArgs{At: at}, opts)
}

// named names the queue in an error that does not.
func named(q registry.Descriptor, err error) error {
	if q == nil || reflect.ValueOf(q).IsNil() || errors.As(err, new(*registry.SizeError)) {
		return err
	}
	return &fault.QueueError{Queue: q.Code(), Err: err}
}

func errNoDue() error { return &fault.DelayError{Reason: "the due time is not set"} }

// setDue keeps when the message is due.
func (r *row) setDue(args delayed.OfferArgs) error {
	mode, ms, err := args.Due()
	if err != nil {
		return err
	}
	kept := sql.NullInt64{Int64: ms, Valid: true}
	if mode == "at" {
		r.due = kept
	} else {
		r.delay = kept
	}
	return nil
}

var errReplicas = errors.New("AwaitReplicas is an option of the relay, which sends the message")

func offer[T any](ctx context.Context, tx Tx, q *registry.Queue[T], value T, args delayed.OfferArgs, opts []framework.OfferOption) error {
	for _, o := range opts {
		if o != nil {
			o.ApplyOffer(&args)
		}
	}
	if q == nil {
		return errNilQueue
	}
	if args.Await.Replicas > 0 {
		args.Err = errors.Join(args.Err, errReplicas)
	}
	if err := errors.Join(args.Err, args.Dedup.Check()); err != nil {
		return named(q, err)
	}
	r := row{op: opOffer, queue: q.Code(), trace: traceparent(ctx)}
	if err := r.setDue(args); err != nil {
		return named(q, err)
	}
	r.setDedup(args.Dedup)
	if q.Policy().TraceInBand && r.trace != "" {
		if traced, ok := registry.WithTraceparent(value, r.trace); ok {
			value = traced.(T)
		}
	}
	var err error
	if r.payload, err = q.Encode(value); err != nil {
		return named(q, err)
	}
	return tx.written(ctx, q, r)
}

// Cancel writes that the message with this key, see [framework.Key], is to be taken out of the
// queue, as [framework.Queue.CancelKey] does. What the relay finds no longer pending then is
// no error. Errors are those of [Offer].
func Cancel(ctx context.Context, tx Tx, q registry.Descriptor, key string) error {
	return change(ctx, tx, q, key, row{op: opCancel})
}

// Reschedule writes that the message with this key is to be due at another time by Redis's
// clock, as [framework.Queue.RescheduleKey] does. What the relay finds no longer pending then
// is no error. Errors are those of [OfferAt].
func Reschedule(ctx context.Context, tx Tx, q registry.Descriptor, key string, at time.Time) error {
	r := row{op: opReschedule}
	if at.IsZero() {
		return named(q, errNoDue())
	}
	if err := r.setDue(delayed.OfferArgs{At: at}); err != nil {
		return named(q, err)
	}
	return change(ctx, tx, q, key, r)
}

var (
	errNilQueue = errors.New("outbox: the queue is nil")
	errNilTx    = errors.New("outbox: the transaction is nil: give Box.In a transaction")
)

func change(ctx context.Context, tx Tx, q registry.Descriptor, key string, r row) error {
	if q == nil {
		return errNilQueue
	}
	if err := q.Err(); err != nil {
		return err
	}
	if key == "" {
		return named(q, &fault.DedupError{Reason: "the key is empty"})
	}
	if err := (delayed.Dedup{Key: key}).Check(); err != nil {
		return named(q, err)
	}
	r.queue, r.key, r.trace = q.Code(), []byte(key), traceparent(ctx)
	return tx.written(ctx, q, r)
}

// maxCode is what the column of a queue's code takes, in bytes.
const maxCode = 255

// written adds the row, and tells that this process writes rows for the queue.
func (tx Tx) written(ctx context.Context, q registry.Descriptor, r row) error {
	err := tx.write(ctx, r)
	if err == nil {
		writes().Add(ctx, 1, ofQueue(q.Code()))
		unsent.Note(q.Key())
	}
	return err
}

// write adds the row.
func (tx Tx) write(ctx context.Context, r row) error {
	if tx.box == nil || tx.tx == nil {
		return errNilTx
	}
	if len(r.queue) > maxCode {
		return fmt.Errorf("outbox: the code of queue %.64q… has %d bytes: the table takes %d", r.queue, len(r.queue), maxCode)
	}
	r.nonce = noncePrefix + rand.Text()
	if r.payload == nil {
		r.payload = []byte{}
	}
	args := []any{
		r.nonce, r.op, r.queue, r.key, cmp.Or(r.policy, delayed.DedupKeep.String()), r.window, r.payload, r.delay, r.due, r.trace,
	}
	if r.key == nil {
		args[3] = nil
	}
	if tx.box.channel != "" {
		args = append(args, tx.box.channel)
	}
	_, err := tx.tx.ExecContext(ctx, tx.box.insert(), args...)
	return tx.failed(ctx, r.queue, err)
}

// noncePrefix begins the nonces, which lie among the keys of a queue.
const noncePrefix = "outbox/"

// traceparent returns the trace of ctx as the W3C names it, or "".
func traceparent(ctx context.Context) string {
	return telemetry.FormatTraceparent(trace.SpanContextFromContext(ctx))
}
