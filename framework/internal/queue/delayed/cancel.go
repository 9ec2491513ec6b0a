package delayed

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	// cancelScript takes one pending element out; see lua/cancel.lua.
	cancelScript = library.Script("cancel")
	// rescheduleScript gives one pending element another due time; see
	// lua/reschedule.lua.
	rescheduleScript = library.Script("reschedule")
)

// ChangeArgs names one pending message and shapes a change of it.
type ChangeArgs struct {
	// DueMs and ID are what [wire.ParseID] gives. Ignored when Key is set.
	DueMs int64
	ID    wire.ElementID

	// Key names the message by the key it was offered with.
	Key string

	// Element names it by all its bytes, whatever its due time: for [Cancel] alone.
	Element []byte

	// NoView leaves the element in the pending list.
	NoView bool

	// Tries bounds how often a failed call is sent. Defaults to [DefaultOfferTries].
	Tries int
}

// text returns the id for errors.
func (a ChangeArgs) text(k wire.Keys) string {
	if a.Key != "" || a.Element != nil {
		return ""
	}
	return k.ID(a.DueMs, a.ID).String()
}

// name returns the due time and the name of a message for the scripts.
func (a ChangeArgs) name() (due any, name string) {
	switch {
	case a.Key != "":
		return "", "k" + a.Key
	case a.Element != nil:
		return "", "e" + string(a.Element)
	}
	return a.DueMs, a.ID.Field()
}

// changeKeys returns the keys of both scripts.
func changeKeys(k wire.Keys, beside string) []string {
	return []string{k.Timeout, beside, k.Trace, k.Attempts, k.MessageNames, k.IDs}
}

// Cancelled is what [Cancel] took out.
type Cancelled struct {
	ID      wire.MessageID
	Key     string // it was offered with, "" for none
	DueMs   int64  // when it would have been due
	Payload []byte
}

// Cancel takes one message out of the pending ones, whoever offered it. It costs
// O(log n) of the timeout set, and one LREM of the pending list where that is kept exact.
//
// Errors: [*fault.NotPendingError], which says where it is only after lease.Find;
// [*fault.AmbiguousIDError]; [*fault.ChangeUnknownError] when the message
// is gone or Redis does not answer, after a try that may have been executed; those
// of [script.Script.Run]: then nothing was changed.
func Cancel(ctx context.Context, rdb redis.Scripter, k wire.Keys, args ChangeArgs) (Cancelled, error) {
	due, name := args.name()
	call := script.Call{
		Script: cancelScript, Keys: changeKeys(k, k.Pending),
		Args: []any{due, name, script.Flag(!args.NoView)},
	}
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, args.Tries, func(bool) script.Call { return call })
	var c Cancelled
	if err == nil {
		r := script.NewReader(cancelScript, value)
		status, element := r.Text(), r.Text()
		due := r.Text()
		r.Micros()
		told := readTold(r, k)
		switch {
		case r.Err() != nil:
			err = r.Err()
		case status == "removed":
			c.DueMs, c.ID, c.Key = wire.ScoreMs(due), told.id(args), told.key
			var id wire.ElementID
			id, c.Payload, err = wire.Parse([]byte(element), true)
			if c.ID.Element.IsZero() {
				c.ID = k.ID(c.DueMs, id)
			}
			return c, err
		default:
			err = changeError(r, status, args, told)
		}
	}
	if unknown {
		return c, &fault.ChangeUnknownError{Op: "cancel", ID: args.text(k), Tries: tries, Err: err}
	}
	return c, err
}

// told is what the scripts say of a message beside its element.
type told struct {
	field string // of its record
	own   wire.MessageID
	key   string
	keys  wire.Keys
	// handled is when it was handled, in ms; 0 where that is not known.
	handled int64
}

func readTold(r *script.Reader, k wire.Keys) told {
	t := told{field: r.Text(), keys: k}
	due, name := r.Text(), r.Text()
	if ms, err := strconv.ParseInt(due, 10, 64); err == nil && len(name) == 9 {
		t.own = k.ID(ms, wire.ElementOf(name))
	}
	t.key = r.Text()
	if handled := r.Text(); handled != "" {
		t.handled, _ = strconv.ParseInt(handled, 10, 64) // zero is not known
	}
	return t
}

// id returns the ID of the message, zero where it is not known.
func (t told) id(args ChangeArgs) wire.MessageID {
	if t.own.Element.IsZero() && args.Key == "" {
		return t.keys.ID(args.DueMs, args.ID)
	}
	return t.own
}

// changeError turns the status of a script that changed nothing into an error.
func changeError(r *script.Reader, status string, args ChangeArgs, t told) error {
	switch status {
	case "gone", "unknown key":
		gone := &fault.NotPendingError{ID: t.id(args).String(), Key: args.Key, Where: fault.WhereUnknown}
		if t.handled > 0 {
			gone.Where, gone.Since = fault.WhereHandled, time.UnixMilli(t.handled)
		}
		return &NotPending{gone, t.key, t.field}
	case "ambiguous":
		return &fault.AmbiguousIDError{ID: args.text(t.keys)}
	}
	return r.Unexpected("status " + strconv.Quote(status))
}

func rescheduleCall(k wire.Keys, args ChangeArgs, dueMs int64) script.Call {
	due, name := args.name()
	return script.Call{
		Script: rescheduleScript, Keys: changeKeys(k, k.Channel),
		Args: []any{due, name, dueMs, DefaultTraceTTL.Milliseconds()},
	}
}

// Move is a pending message and its new due time.
type Move struct {
	DueMs   int64          // of its ID
	ID      wire.ElementID // of its ID
	ToMs    int64          // the new due time by the clock of Redis
	Settled bool           // set by [RescheduleAll]: it was moved, or is pending no more
}

// RescheduleAll gives pending messages other due times in one round trip, one script
// for each, and returns how many were moved by it. Those that are no longer pending are
// left alone. On an error some may have been moved: call it again with the same moves.
func RescheduleAll(ctx context.Context, rdb script.Pipelined, k wire.Keys, moves []Move) (moved int, err error) {
	var open []*Move
	var calls []script.Call
	for i := range moves {
		if m := &moves[i]; !m.Settled {
			open = append(open, m)
			calls = append(calls, rescheduleCall(k, ChangeArgs{DueMs: m.DueMs, ID: m.ID}, m.ToMs))
		}
	}
	if len(calls) == 0 {
		return 0, nil
	}
	for i, reply := range script.RunAll(ctx, rdb, calls) {
		if reply.Err != nil {
			err = reply.Err
			continue
		}
		open[i].Settled = true
		if script.NewReader(rescheduleScript, reply.Value).Text() == "moved" {
			moved++
		}
	}
	return moved, err
}

// Rescheduled is what [Reschedule] made of a message.
type Rescheduled struct {
	ID    wire.MessageID // as before
	DueMs int64          // the new due time
	Head  bool           // it is the next message due, and the channel was told
}

// Reschedule gives a pending message, whoever offered it, the due time dueMs by the
// clock of Redis: earlier or later, one that is past makes it due at once. The
// element keeps its bytes, so that Java's view of the queue needs no change, and the
// message its ID: O(log n). args.NoView is not used. It may be repeated.
//
// Errors are those of [Cancel], and a [*fault.DelayError] before anything is sent.
func Reschedule(ctx context.Context, rdb redis.Scripter, k wire.Keys, args ChangeArgs, dueMs int64) (Rescheduled, error) {
	switch {
	case dueMs < 0:
		return Rescheduled{}, &fault.DelayError{DueMs: dueMs, Reason: "the due time is before 1970"}
	case dueMs >= wire.MaxDueMs:
		return Rescheduled{}, &fault.DelayError{DueMs: dueMs, Reason: "the due time is at or beyond 2^53 ms"}
	}
	call := rescheduleCall(k, args, dueMs)
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, args.Tries, func(bool) script.Call { return call })
	if err == nil {
		r := script.NewReader(rescheduleScript, value)
		status, head := r.Text(), r.Integer()
		r.Micros()
		told := readTold(r, k)
		switch {
		case r.Err() != nil:
			err = r.Err()
		case status == "moved":
			return Rescheduled{ID: told.id(args), DueMs: dueMs, Head: head == 1}, nil
		default:
			err = changeError(r, status, args, told)
		}
	}
	if unknown {
		return Rescheduled{}, &fault.ChangeUnknownError{Op: "reschedule", ID: args.text(k), Tries: tries, Err: err}
	}
	return Rescheduled{}, err
}
