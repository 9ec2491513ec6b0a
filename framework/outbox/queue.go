package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/registry"
)

// Queue is a queue whose rows a relay sends. Make it with [For].
type Queue struct {
	of   registry.Descriptor
	bind func(c *framework.Client) sender
}

// For lets a relay send the rows of a queue. The declaration says where they go, so it must be
// that of the service that writes them.
func For[T any](q *registry.Queue[T]) Queue {
	if q == nil {
		return Queue{}
	}
	return Queue{of: q, bind: func(c *framework.Client) sender { return bound[T]{framework.Bind(c, q)} }}
}

// sender sends rows to one queue.
type sender interface {
	send(ctx context.Context, r *row, now int64, relay framework.OfferOption, remember time.Duration) error
}

type bound[T any] struct{ q *framework.Queue[T] }

var errOp = errors.New("the column op is none of offer, cancel, reschedule")

// send sends a row when it is now in the database. The error is nil too where the message is
// no longer pending.
func (b bound[T]) send(ctx context.Context, r *row, now int64, relay framework.OfferOption, remember time.Duration) error {
	switch {
	case r.op == opOffer:
		return b.offer(ctx, r, now, relay, remember)
	case r.op == opCancel:
		return done(b.q.CancelKey(ctx, string(r.key)))
	case r.op == opReschedule && r.due.Valid:
		_, err := b.q.RescheduleKey(ctx, string(r.key), time.UnixMilli(r.due.Int64))
		return done(err)
	default:
		return &refusedError{errOp}
	}
}

// written is the option that offers a row as it was written.
type written struct {
	payload []byte
	dedup   delayed.Dedup
	nonce   delayed.Nonce
}

// ApplyOffer sets what the row says.
func (w written) ApplyOffer(args *delayed.OfferArgs) {
	args.Payload, args.Dedup, args.Nonce = w.payload, w.dedup, w.nonce
}

func (b bound[T]) offer(ctx context.Context, r *row, now int64, relay framework.OfferOption, remember time.Duration) error {
	d, err := r.dedup()
	if err != nil {
		return &refusedError{err}
	}
	payload := r.payload
	if payload == nil { // as a driver may give no bytes; there it means that nothing is encoded yet
		payload = []byte{}
	}
	option := written{payload: payload, dedup: d, nonce: delayed.Nonce{Text: r.nonce, Window: remember}}
	var none T
	if r.due.Valid {
		_, err = b.q.OfferAt(ctx, none, time.UnixMilli(r.due.Int64), option, relay)
	} else {
		_, err = b.q.Offer(ctx, none, r.left(now), option, relay)
	}
	if errors.As(err, new(*fault.ReplicationError)) {
		return nil // it is in; sending it again would change nothing
	}
	return err
}

// done takes the error of a change.
func done(err error) error {
	var gone *fault.NotPendingError
	if errors.As(err, &gone) && gone.Err == nil {
		return nil
	}
	return err
}

// refusedError is that of a row that never becomes right.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return "the row cannot be sent: " + e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// passes reports whether the row is not to blame, however often it was sent: it was not sent at
// all, or the server that holds its partition says that it cannot now.
func passes(err error) bool {
	return rediserr.MayPass(err) && !rediserr.IsAmbiguous(err) && !errors.As(err, new(*fault.OutcomeUnknownError))
}

// permanent reports whether an error comes again however often the row is sent.
func permanent(err error) bool {
	return errors.As(err, new(*refusedError)) || errors.As(err, new(*fault.DelayError)) ||
		errors.As(err, new(*fault.DedupError)) || errors.As(err, new(*registry.SizeError))
}
