package redisson

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

var (
	// cancelScript takes one pending element out; see lua/cancel.lua.
	cancelScript = embedded("cancel", "clock", "types", "element", "digest", "records", "trace", "tracechange", "dedup", "locate")
	// rescheduleScript gives one pending element another due time; see
	// lua/reschedule.lua.
	rescheduleScript = embedded("reschedule", "clock", "types", "refusal", "element", "digest", "records", "trace", "tracechange", "dedup", "locate")
)

// ErrGone says that a message is no longer pending: it is ready, running, handled,
// dead, or was cancelled before.
var ErrGone = errors.New("the message is no longer pending: it is due already, handled or cancelled")

// AmbiguousIDError reports that two pending elements have one id and due time: two
// processes drew the same id. Nothing was changed.
type AmbiguousIDError struct {
	ID string
}

// Error names the id.
func (e *AmbiguousIDError) Error() string {
	return fmt.Sprintf("message id %s: two pending messages have it; nothing was changed", e.ID)
}

// ChangeUnknownError reports a change, a cancellation say, that may or may not have
// been carried out: the connection broke after a try was sent, and no later try could
// learn more.
type ChangeUnknownError struct {
	Op    string // "cancel", "reschedule", "poll", "remove", "clear" or "redrive"
	ID    string // of the message; empty where it was named otherwise
	Tries int    // how often it was sent
	Err   error  // the last error, or [ErrGone]
}

// Error says so and gives the last error.
func (e *ChangeUnknownError) Error() string {
	return fmt.Sprintf("%s: outcome unknown after %d tries: %v", e.Op, e.Tries, e.Err)
}

// Unwrap returns the last error, unless it is [ErrGone]: the message may have been
// taken by this very call.
func (e *ChangeUnknownError) Unwrap() error {
	if errors.Is(e.Err, ErrGone) {
		return nil
	}
	return e.Err
}

// ErrorType returns a short name for telemetry.
func (e *ChangeUnknownError) ErrorType() string { return "outcome_unknown" }

// ChangeArgs names one pending message and shapes a change of it.
type ChangeArgs struct {
	// DueMs and ID are what [ParseID] gives. Ignored when Key is set.
	DueMs int64
	ID    ElementID

	// Key names the message by the key it was offered with.
	Key string

	// Element names it by all its bytes, whatever its due time: for [Cancel] alone.
	Element []byte

	// View says whether the element is taken out of the pending list. Defaults to
	// [ViewExact].
	View View

	// Tries bounds how often a failed call is sent. Defaults to [DefaultOfferTries].
	Tries int
}

// text returns the id for errors.
func (a ChangeArgs) text() string {
	if a.Key != "" || a.Element != nil {
		return ""
	}
	return FormatID(a.DueMs, a.ID)
}

// prefix returns the bytes that elements with this id begin with.
func (id ElementID) prefix() []byte {
	if id.Kind == KindJava {
		return append([]byte{8}, id.Raw[:]...)
	}
	return id.Raw[:]
}

// Cancelled is what [Cancel] took out.
type Cancelled struct {
	DueMs   int64
	Payload []byte
}

// Cancel takes one message out of the pending ones, whoever offered it. It costs
// O(log n) of the timeout set, and one LREM of the pending list where that is kept exact.
//
// Errors: [ErrGone]; [*AmbiguousIDError]; [*ChangeUnknownError] when the message
// is gone or Redis does not answer, after a try that may have been executed; those
// of [Script.Run]: then nothing was changed.
func Cancel(ctx context.Context, rdb redis.Scripter, k Keys, args ChangeArgs) (Cancelled, error) {
	call := Call{
		Script: cancelScript, Keys: []string{k.Timeout, k.Pending, k.Trace},
		Args: []any{args.DueMs, args.ID.prefix(), args.View.exact()},
	}
	switch {
	case args.Key != "":
		call.Keys, call.Args[0], call.Args[1] = append(call.Keys, k.DedupRecord(args.Key)), "", ""
	case args.Element != nil:
		call.Args[0], call.Args[1] = "", args.Element
	}
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, args.Tries, func(bool) Call { return call })
	var c Cancelled
	if err == nil {
		r := newReader(cancelScript, value)
		status, element := r.text(), r.text()
		due := r.text()
		switch {
		case r.err != nil:
			err = r.err
		case status == "removed":
			c.DueMs = scoreMs(due)
			_, c.Payload, err = Parse([]byte(element), true)
			return c, err
		default:
			err = changeError(r, status, args)
		}
	}
	if unknown {
		return c, &ChangeUnknownError{Op: "cancel", ID: args.text(), Tries: tries, Err: err}
	}
	return c, err
}

// changeError turns the status of a script that changed nothing into an error.
func changeError(r *reader, status string, args ChangeArgs) error {
	switch status {
	case "gone", "unknown key":
		return ErrGone
	case "ambiguous":
		return &AmbiguousIDError{ID: args.text()}
	}
	return r.unexpected("status " + strconv.Quote(status))
}

// Rescheduled is what [Reschedule] made of a message.
type Rescheduled struct {
	Text  string // the new id
	DueMs int64  // the new due time
	Head  bool   // it is the next message due, and the channel was told
}

// Reschedule gives a pending message, whoever offered it, the due time dueMs by the
// clock of Redis: earlier or later, one that is past makes it due at once. The
// element keeps its bytes, so that Java's view of the queue needs no change: O(log n).
// args.View is not used.
//
// Errors are those of [Cancel], and a [*DelayError] before anything is sent.
func Reschedule(ctx context.Context, rdb redis.Scripter, k Keys, args ChangeArgs, dueMs int64) (Rescheduled, error) {
	switch {
	case dueMs < 0:
		return Rescheduled{}, &DelayError{DueMs: dueMs, Reason: "the due time lies before 1970"}
	case dueMs >= MaxDueMs:
		return Rescheduled{}, &DelayError{DueMs: dueMs, Reason: "the due time is at or beyond 2^53 ms"}
	}
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, args.Tries, func(again bool) Call {
		resent := ""
		if again {
			resent = "1"
		}
		call := Call{
			Script: rescheduleScript, Keys: []string{k.Timeout, k.Channel, k.Trace},
			Args: []any{args.DueMs, args.ID.prefix(), dueMs, resent, DefaultTraceTTL.Milliseconds()},
		}
		if args.Key != "" {
			call.Keys, call.Args[0], call.Args[1] = append(call.Keys, k.DedupRecord(args.Key)), "", ""
		}
		return call
	})
	if err == nil {
		r := newReader(rescheduleScript, value)
		status, head, element := r.text(), r.integer(), r.text()
		switch {
		case r.err != nil:
			err = r.err
		case status == "moved":
			id := args.ID
			if args.Key != "" {
				id, _, _ = Parse([]byte(element), true) // only Go offers with keys: it is universal
			}
			return Rescheduled{Text: FormatID(dueMs, id), DueMs: dueMs, Head: head == 1}, nil
		default:
			err = changeError(r, status, args)
		}
	}
	if unknown {
		return Rescheduled{}, &ChangeUnknownError{Op: "reschedule", ID: args.text(), Tries: tries, Err: err}
	}
	return Rescheduled{}, err
}
