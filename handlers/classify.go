package handlers

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/duequeue/duequeue/codecs"
)

// Classify tells what an error of a handler means for its message. The whole
// tree of wrapped and joined errors is searched; the outermost answer wins, and
// among joined errors the first.
//
//	nil                                  Done
//	ErrDraining, ErrLeaseLost            Released
//	*PanicError                          Retried, counts for the breaker
//	Retry, RetryAfter                    Retried; counts as its error would, not at all without one
//	Snooze                               Retried, does not count, marked Transient
//	Reject                               Rejected
//	Transient, Transient() == true       Retried, counts, marked Transient
//	Permanent, Permanent() == true       Rejected
//	*codecs.DecodeError                  Rejected: the same bytes fail again
//	*TimeoutError and any other error    Retried, counts
//
// Classify never panics: where a method of err does, that is the failure.
// Engines call [Settle], which knows the context too.
func Classify(err error) Outcome {
	if err == nil {
		return Outcome{}
	}
	return judge(err).Outcome
}

// Settle is [Classify] for an error of a handler called with ctx. If ctx ended by [ErrDraining] or
// [ErrLeaseLost], the handler was interrupted: the outcome is Released, costs no attempt and is no
// failure. Success, a panic, an earlier timeout and an explicit decision ([Retry], [Reject],
// [Permanent]) stay as they are, except a decision that only wraps [context.Canceled]. If ctx ended
// by [ErrTimeout], Outcome.Err is a [*TimeoutError] by the rule of [Timeout].
func Settle(ctx context.Context, err error) Outcome {
	if err == nil {
		return Outcome{}
	}
	v := judge(err)
	if v.Kind == Released || ctx.Err() == nil {
		return v.Outcome
	}
	if endedBy(ctx, ErrTimeout) && timedOut(err, v) {
		v.Err = &TimeoutError{Err: err}
		return v.Outcome
	}
	interrupted := endedBy(ctx, ErrDraining) || endedBy(ctx, ErrLeaseLost)
	if !interrupted || v.final || v.explicit && !v.cancelled {
		return v.Outcome
	}
	return Outcome{Kind: Released, Err: fmt.Errorf("%w: %w", context.Cause(ctx), err)}
}

// endedBy reports whether ctx ended for the given reason.
func endedBy(ctx context.Context, why error) bool { return matches(context.Cause(ctx), why) }

// verdict is an outcome and how firm it is.
type verdict struct {
	Outcome
	explicit  bool // decided by the handler, not by default
	final     bool // stands whatever happened to the context
	cancelled bool // the error is, or wraps, context.Canceled
}

// judge is Classify, of an error that is not nil, with what Settle and Timeout
// must know besides.
func judge(err error) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			broken := &PanicError{Value: p, Stack: debug.Stack()}
			v = verdict{Outcome: Outcome{Kind: Retried, Delay: ByPolicy, Err: broken, CountsForBreaker: true}, final: true}
		}
	}()
	v = search(err)
	v.Err = err
	v.cancelled = matches(err, context.Canceled)
	if v.Kind == Rejected && v.Reason == "" {
		v.Reason = err.Error()
	}
	return v
}

// search finds the outermost answer in the tree of err.
func search(err error) verdict {
	for e := range tree(err) {
		switch e := e.(type) { //nolint:errorlint // tree yields wrapped errors one by one
		case *PanicError:
			v := unmarked()
			v.final = true
			return v
		case *TimeoutError:
			v := search(e.Err)
			v.final = true
			return v
		case *decision:
			return e.verdict()
		case *codecs.DecodeError:
			return verdict{Outcome: Outcome{Kind: Rejected}, explicit: true}
		case *cause:
			if e.interrupts {
				return verdict{Outcome: Outcome{Kind: Released}}
			}
		}
		if t, ok := e.(interface{ Transient() bool }); ok && t.Transient() {
			v := unmarked()
			v.Transient = true
			return v
		}
		if p, ok := e.(interface{ Permanent() bool }); ok && p.Permanent() {
			return verdict{Outcome: Outcome{Kind: Rejected}, explicit: true}
		}
	}
	return unmarked()
}

// unmarked is the answer to an error that says nothing: try again, and suspect
// what the handler depends on.
func unmarked() verdict {
	return verdict{Outcome: Outcome{Kind: Retried, Delay: ByPolicy, CountsForBreaker: true}}
}

// verdict says what the decision means; its error only tells who is to blame.
func (d *decision) verdict() verdict {
	v := verdict{Outcome: Outcome{Kind: d.kind, Reason: d.reason}, explicit: true}
	if d.kind != Retried {
		return v
	}
	v.Delay, v.Transient = d.delay, d.snooze
	if d.err != nil && !d.snooze {
		inner := search(d.err)
		v.CountsForBreaker, v.Transient = inner.CountsForBreaker, inner.Transient
	}
	return v
}
