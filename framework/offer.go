package framework

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/engine/offered"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// ID names one delayed message. It is a short text to keep in an order's row; it contains
// the due time of the offer. A message keeps it through retries, reschedules, the dead store
// and redrives.
type ID string

// Due returns the due time in the ID, or a [*fault.IDError] if the text is not an ID.
func (id ID) Due() (time.Time, error) {
	of, err := wire.ParseID(string(id))
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(of.DueMs), nil
}

// Offer puts value on the queue, to be handled after delay, which is counted by
// Redis's clock in whole milliseconds, rounded up; zero makes it due at once. Java services
// see and handle the message as if Redisson had offered it. [Key] and [AwaitReplicas] are
// options.
//
// Offers to a queue that come while one is on its way to Redis go together as soon as that
// has its answer: goroutines that offer at the same time cost a script for all of them. Each
// has its own result, and each goroutine's messages that are due together keep their order.
//
// After a lost connection the same element is sent again, so that the message is added
// once. When ctx ends, an offer that is not under way is withdrawn, and of one that is, the
// outcome is unknown. Errors: [*fault.OutcomeUnknownError] when the
// message may or may not have been added, [*fault.ClosedError] when the client was closed
// before, [*fault.DelayError] for a delay that is
// negative or does not fit, [*fault.DedupError] for the key, registry.SizeError and
// codecs.EncodeError for the value, that of the queue's declaration,
// [*fault.ForeignPayloadsError] where another codec wrote what lies in the queue, and what Redis
// answered ([*fault.ServerError], [*fault.WrongTypeError], [*fault.PermissionError]): then nothing was added.
// A [*fault.ReplicationError] comes with a valid Receipt.
func (q *Queue[T]) Offer(ctx context.Context, value T, delay time.Duration, opts ...OfferOption) (Receipt, error) {
	return q.offer(ctx, value, delayed.OfferArgs{Delay: delay}, opts)
}

// OfferAt is [Queue.Offer] with a point in time by Redis's clock instead of a delay. A time
// in the past makes the message due at once; the zero time, and any other before 1970, is a
// [*fault.DelayError].
func (q *Queue[T]) OfferAt(ctx context.Context, value T, at time.Time, opts ...OfferOption) (Receipt, error) {
	if at.IsZero() {
		return Receipt{}, q.named(&fault.DelayError{Reason: "the due time is not set"})
	}
	return q.offer(ctx, value, delayed.OfferArgs{At: at}, opts)
}

// OfferOption adds to [Queue.Offer] and [Queue.OfferAt]: [Key] and [AwaitReplicas] make one.
type OfferOption interface {
	// ApplyOffer is for this module alone.
	ApplyOffer(args *delayed.OfferArgs)
}

// ReplicaOption is what [AwaitReplicas] returns: an option of [Queue.Offer],
// [Queue.OfferAt] and [Queue.OfferAll].
type ReplicaOption interface {
	OfferOption
	BulkOption
}

type awaitReplicas delayed.Await

// ApplyOffer is for this module alone.
func (a awaitReplicas) ApplyOffer(args *delayed.OfferArgs) { args.Await = delayed.Await(a) }

func (a awaitReplicas) applyBulk(o *bulkOptions) { o.await = delayed.Await(a) }

// AwaitReplicas makes an offer wait until n replicas have it (WAIT of Redis), at most for
// the timeout, which is rounded to whole milliseconds and defaults to one second. If fewer
// have it by then, the error is a [*fault.ReplicationError], and the [Receipt] is valid all
// the same. With n of zero or less the offer does not wait.
//
// It makes a loss by failover unlikely, not impossible: Sentinel or a Cluster may choose
// another replica. [Queue.OfferAll] waits once for each two hundred messages.
func AwaitReplicas(n int, timeout time.Duration) ReplicaOption {
	return awaitReplicas{Replicas: n, Timeout: timeout}
}

func (q *Queue[T]) offer(ctx context.Context, value T, args delayed.OfferArgs, opts []OfferOption) (Receipt, error) {
	for _, opt := range opts {
		if opt != nil {
			opt.ApplyOffer(&args)
		}
	}
	t, err := q.target()
	if err == nil {
		t, err = t.of.place(ctx, q.client, args.Home())
	}
	if err != nil {
		return Receipt{}, err
	}
	t.count(ctx)
	ctx, span := t.Telemetry.StartSend(ctx, delayOf(args))
	receipt, err := q.send(ctx, t, value, args, &span)
	err = q.named(err)
	t.rest.after(err)
	span.End(err)
	if log := q.client.log; err == nil && log.Enabled(ctx, slog.LevelDebug) {
		log.DebugContext(ctx, "message offered", "queue", t.Code, "id", string(receipt.ID), "key", args.Dedup.Key, "due", receipt.Due, "outcome", receipt.Outcome.String())
	}
	return receipt, err
}

// delayOf is how long a message is to wait that is offered now.
func delayOf(args delayed.OfferArgs) time.Duration {
	if args.At.IsZero() {
		return args.Delay
	}
	return max(time.Until(args.At), 0)
}

func (q *Queue[T]) send(ctx context.Context, t *target, value T, args delayed.OfferArgs, span *telemetry.Sending) (Receipt, error) {
	c := q.client
	payload, err := args.Payload, args.Err // an outbox has it already
	if err == nil && payload == nil {
		payload, err = q.encode(t, value, span)
	} else if err == nil && len(payload) > t.maxPayload {
		err = &registry.SizeError{Code: t.Code, Size: len(payload), Limit: t.maxPayload}
	}
	if err == nil {
		err = q.mayOffer(ctx, t)
	}
	if err == nil {
		err = t.of.outlasts(ctx, c, t, delayOf(args))
	}
	if err != nil {
		return Receipt{}, err
	}
	args.Payload, args.Trace, args.NoView = payload, span.Creation(), t.NoView
	res, err := c.offers.Offer(ctx, t.Keys, args)
	if err == nil || isIn(err) || isUnknown(err) {
		t.of.begin(c)
	}
	if err != nil && !isIn(err) {
		return Receipt{}, err
	}
	if span.Recording() {
		span.Message(wire.Digest(payload), res.Text, len(payload), time.UnixMilli(res.DueMs))
	}
	return receiptOf(res), err
}

// named names the queue in an error that does not.
func (q *Queue[T]) named(err error) error {
	if q == nil || missing(q.queue) {
		return err
	}
	return named(q.queue.Code(), err)
}

func named(code string, err error) error {
	for _, has := range []any{
		new(*fault.QueueError), new(*fault.ClosedError), new(*fault.ExpiryError), new(*fault.ForeignPayloadsError),
		new(*fault.PartitionsError), new(*fault.SlotWarning), new(*registry.SizeError),
	} {
		if err == nil || errors.As(err, has) {
			return err
		}
	}
	return &fault.QueueError{Queue: code, Err: err}
}

// isIn reports whether an error of an offer comes with a result: the message is in.
func isIn(err error) bool {
	var unreplicated *fault.ReplicationError
	return errors.As(err, &unreplicated)
}

// encode returns the payload, with the trace context in it where the queue asks for
// that.
func (q *Queue[T]) encode(t *target, value T, span *telemetry.Sending) ([]byte, error) {
	if t.inBand {
		if tp := span.Traceparent(); tp != "" {
			if traced, ok := registry.WithTraceparent(value, tp); ok {
				value = traced.(T)
			}
		}
	}
	return q.queue.Encode(value)
}

// missing reports whether there is no queue, or a nil pointer in its place.
func missing(q registry.Descriptor) bool { return q == nil || reflect.ValueOf(q).IsNil() }

// target is what a client keeps of a queue that it offers to or, where that has partitions,
// of one of them.
type target struct {
	offered.Queue
	inBand     bool
	maxPayload int
	of         *spread
	rest       rest
	journal    *journal.Book // of cancellations
}

// count lets the counters of a queue begin, when it is offered to or changed first: who only looks
// has no use for them.
func (t *target) count(ctx context.Context) {
	t.of.counted.Do(func() { t.Telemetry.BeginOffers(ctx) })
}

// keys checks the name of a queue, as Java names it for getBlockingQueue, and returns its keys.
func (c *Client) keys(queue string) (wire.Keys, error) { return c.keysBy(queue, wire.CheckName) }

// found is keys for tools, which look at whatever queue Java has made.
func (c *Client) found(queue string) (wire.Keys, error) { return c.keysBy(queue, wire.CheckFound) }

func (c *Client) keysBy(queue string, check func(string) error) (wire.Keys, error) {
	name := c.names.To(queue)
	if err := check(name); err != nil && (c.cluster || !isSlotError(err)) {
		return wire.Keys{}, err
	}
	return wire.KeysOf(name), nil
}

// target checks a queue at its first use and remembers it.
func (c *Client) target(q registry.Descriptor) (*target, error) {
	if t, ok := c.targets.Load(q); ok {
		return t.(*target), nil
	}
	if missing(q) {
		return nil, errNilQueue
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	p := q.Policy()
	name, check := q.Key(), c.keys
	if odd, ok := c.oddNames.Load(q); ok {
		name, check = odd.(string), c.found
	}
	keys, err := partitions.Keys(name, p.AllPartitions(), check)
	if err != nil {
		return nil, &fault.SlotWarning{Code: q.Code(), Declared: q.Declared(), Err: err}
	}
	of := newSpread(delayed.Declared{
		Code: q.Code(), Keys: keys[0], Spread: delayed.Spread{N: p.Partitions, Other: p.OtherPartitions},
	}, keys)
	tel := c.tel.Queue(q.Code(), p.Codec.Name(), p.ChildWithin)
	for _, k := range keys {
		of.parts = append(of.parts, &target{
			Queue: offered.Queue{
				Code: q.Code(), Keys: k, NoView: p.View == registry.ViewOff, Telemetry: tel,
				EmptyOK: p.Codec.WritesEmpty(), DueTracking: p.DueTracking,
			},
			inBand: p.TraceInBand, maxPayload: p.MaxPayload, of: of, journal: journal.CancelBookOf(q),
		})
	}
	kept, _ := c.targets.LoadOrStore(q, of.parts[0])
	return kept.(*target), nil
}
