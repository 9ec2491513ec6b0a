package handlers

import (
	"context"
	"fmt"
	"reflect"
)

// BatchHandler handles several messages of one queue at once, for work that is
// cheaper together: one INSERT of many rows, one call of an API that takes a list.
//
// HandleBatch gets at least one message, never more than the queue's batch size, in
// the order of the queue. It returns nil when all are done, and [PerItem] to say
// what becomes of each one by itself. Any other result concerns the batch as a
// whole; [SettleBatch] tells what it means. It is called by several goroutines at
// once, so an implementation must be safe for concurrent use.
//
// The time that the queue gives is that of the whole batch. The rest is as for a
// [Handler]: a message may come more than once, also because a neighbour panicked,
// and ctx ends for the same reasons. ds may be sorted in place; it belongs to the
// handler until it returns.
type BatchHandler[T any] interface {
	HandleBatch(ctx context.Context, ds []*Delivery[T]) error
}

// BatchFunc lets a plain function be a [BatchHandler].
type BatchFunc[T any] func(ctx context.Context, ds []*Delivery[T]) error

// HandleBatch calls f.
func (f BatchFunc[T]) HandleBatch(ctx context.Context, ds []*Delivery[T]) error { return f(ctx, ds) }

// BatchNext is one step of the chain that a batch goes through; the innermost is the
// handler. Its error is read by [SettleBatch].
type BatchNext func(ctx context.Context, ms []*Message) error

// BatchMiddleware wraps the handler of whole batches with code that all batches of a queue share.
// Work for a single message belongs in the handler, because no step runs between the batch and its
// messages. Like a [Middleware] it is called once, when the chain is built; several goroutines may
// call the returned BatchNext at once. It must return the error of next, or one that wraps it. It
// must neither shorten nor reorder ms, unless it gives the result of each message by [PerItem].
type BatchMiddleware func(next BatchNext) BatchNext

// ChainBatch wraps inner in the middlewares; the first listed is the outermost. Nil
// ones are left out.
func ChainBatch(inner BatchNext, mw ...BatchMiddleware) BatchNext {
	for i := len(mw) - 1; i >= 0; i-- {
		if mw[i] != nil {
			inner = mw[i](inner)
		}
	}
	return inner
}

// BindBatch erases the type of a batch handler: the innermost step of a chain. Values
// of a wrong type are a [*ValueError] of the whole batch. Where the handler sorted
// its slice, the results of [PerItem] are brought back into the order of ms.
// It costs two allocations per batch.
func BindBatch[T any](h BatchHandler[T]) BatchNext {
	isInterface := reflect.TypeFor[T]().Kind() == reflect.Interface
	return func(ctx context.Context, ms []*Message) error {
		room := make([]Delivery[T], len(ms))
		ds := make([]*Delivery[T], len(ms))
		for i, m := range ms {
			v, ok := m.Value.(T)
			if !ok && (m.Value != nil || !isInterface) {
				return &ValueError{Code: m.Code, Want: reflect.TypeFor[T](), Got: reflect.TypeOf(m.Value)}
			}
			room[i] = Delivery[T]{Payload: v, message: m}
			ds[i] = &room[i]
		}
		err := h.HandleBatch(ctx, ds)
		if items := perItem(err); items != nil && len(items.errs) == len(ds) {
			return reordered(err, items, ds, room)
		}
		return err
	}
}

// reordered brings results that go by the order of ds into that of room: errs[i] is the
// result of the delivery that is at ds[i] now.
func reordered[T any](err error, items *ItemsError, ds []*Delivery[T], room []Delivery[T]) error {
	sorted := false
	for i := range ds {
		sorted = sorted || ds[i] != &room[i]
	}
	if !sorted {
		return err
	}
	place := make(map[*Delivery[T]]int, len(room))
	for i := range room {
		place[&room[i]] = i
	}
	errs := make([]error, len(room))
	for i, d := range ds {
		at, ok := place[d]
		if !ok { // a stranger, or one that stands there twice
			return &BatchResultError{Want: len(room), Got: len(items.errs), Shuffled: true}
		}
		delete(place, d)
		errs[at] = items.errs[i]
	}
	return &ItemsError{errs: errs}
}

// RecoverBatch turns a panic in what it wraps into a [*PanicError], as [Recover]
// does: everything said there holds here too.
func RecoverBatch() BatchMiddleware {
	return func(next BatchNext) BatchNext {
		return func(ctx context.Context, ms []*Message) (err error) {
			returned := false
			defer func() {
				if !returned {
					err = panicked(recover())
				}
			}()
			err = next(ctx, ms)
			returned = true
			return err
		}
	}
}

// BatchResultError says that the results of [PerItem] do not match the messages: their
// numbers differ, or the handler's slice holds other deliveries than it was given. It is a
// mistake of the program. All messages of the batch fail with it, so that no message counts
// as done that is not.
type BatchResultError struct {
	Want, Got int  // messages and results
	Shuffled  bool // the slice of deliveries is not a permutation of what it was
}

// Error says what to do.
func (e *BatchResultError) Error() string {
	if e.Shuffled {
		return fmt.Sprintf("batch of %d: its slice holds other deliveries now than were handed out: filter a copy of it", e.Want)
	}
	return fmt.Sprintf("batch of %d: %d results given to handlers.PerItem: give one for each delivery, nil where it is done", e.Want, e.Got)
}

// ErrorType returns "batch_result", the low-cardinality name used in telemetry.
func (e *BatchResultError) ErrorType() string { return "batch_result" }
