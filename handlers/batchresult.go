package handlers

import (
	"context"
	"fmt"
	"slices"
)

// PerItem gives each message of a batch its result: errs[i] is what a [Handler] would
// return for the delivery at ds[i] when HandleBatch returns, nil if that one is done.
// [Retry], [RetryAfter], [Reject], [Transient], [Permanent] and plain errors mean what they
// mean there. errs is copied.
//
// There must be as many results as deliveries; otherwise all fail with a
// [*BatchResultError]. The error is never nil, even if all results are, so that a missing
// one is noticed.
func PerItem(errs []error) error { return &ItemsError{errs: slices.Clone(errs)} }

// ItemsError is the error that [PerItem] makes.
type ItemsError struct{ errs []error }

// Results returns the results in the order of the deliveries, nil for those that are
// done. The slice must not be changed.
func (e *ItemsError) Results() []error { return e.errs }

// Error counts the failures and gives the first one.
func (e *ItemsError) Error() string {
	failed := 0
	var first error
	for _, err := range e.errs {
		if err == nil {
			continue
		}
		if failed++; first == nil {
			first = err
		}
	}
	if first == nil {
		return fmt.Sprintf("all %d done", len(e.errs))
	}
	return fmt.Sprintf("%d of %d not done, the first: %v", failed, len(e.errs), first)
}

// Unwrap returns the results that are errors.
func (e *ItemsError) Unwrap() []error {
	out := make([]error, 0, len(e.errs))
	for _, err := range e.errs {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// ErrorType returns the type that all results share, or "partial": the
// low-cardinality name used in telemetry.
func (e *ItemsError) ErrorType() string {
	shared := ""
	for i, err := range e.errs {
		if err == nil {
			return "partial"
		}
		switch t := ErrorType(err); {
		case i == 0:
			shared = t
		case t != shared:
			return "partial"
		}
	}
	return shared
}

// perItem finds the results in err: itself, or wrapped by errors that only add text. Nil if
// something outside or beside them has decided for the whole batch.
func perItem(err error) (found *ItemsError) {
	defer func() {
		if recover() != nil {
			found = nil // the Unwrap method of somebody's error panics
		}
	}()
	for range maxErrors {
		switch e := err.(type) { //nolint:errorlint // the chain is walked one by one
		case *ItemsError:
			return e
		case *decision, *transient, *permanent, *PanicError:
			return nil
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return nil
		}
	}
	return nil
}

// SettleBatch tells what the error of a batch handler means that was called with ctx and
// n messages: errs[i] is the result of message i; pass it to [Settle].
//
//	nil                                   all done
//	PerItem                               each as it says
//	Retry, RetryAfter, Reject, Transient  all the same
//	ctx ended by ErrDraining and others   all released, as Settle has it
//	results that do not fit               all fail with a *BatchResultError
//	a panic and any other error           alone
//
// alone says that the error does not tell which message failed: one bad message may have
// spoiled the batch for the others. Then no message is charged and each is handled again at
// once, as a batch of one. So only the bad message fails, and the breaker recognizes an
// outage after its usual number of calls at most. For a batch of one, alone is never set.
// Tests of handlers call SettleBatch too:
//
//	errs, _ := handlers.SettleBatch(ctx, h.HandleBatch(ctx, ds), len(ds))
func SettleBatch(ctx context.Context, err error, n int) (errs []error, alone bool) {
	if items := perItem(err); items != nil {
		if len(items.errs) == n {
			return items.errs, false
		}
		err = &BatchResultError{Want: n, Got: len(items.errs)}
	} else if err != nil && n > 1 && !forAll(ctx, err) {
		return nil, true
	}
	return slices.Repeat([]error{err}, n), false
}

// forAll reports whether an error that is not per item speaks of every message.
func forAll(ctx context.Context, err error) bool {
	if _, ours := err.(*BatchResultError); ours { //nolint:errorlint // made by BindBatch, not wrapped
		return true
	}
	out := Settle(ctx, err)
	return out.Kind == Released || out.Transient || chosen(err)
}

// chosen reports whether the handler decided by [Retry], [RetryAfter] or [Reject].
// Marks of an error that came from below, such as those of [Permanent], are no
// decision about a batch.
func chosen(err error) (found bool) {
	defer func() {
		if recover() != nil {
			found = false // a broken error accuses nobody either
		}
	}()
	for e := range tree(err) {
		switch e.(type) { //nolint:errorlint // tree yields wrapped errors one by one
		case *PanicError, *TimeoutError, *permanent, *transient:
			return false
		case *decision:
			return true
		}
		if p, ok := e.(interface{ Permanent() bool }); ok && p.Permanent() {
			return false
		}
	}
	return false
}
