package delayed

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// redriveScript puts messages of the dead store back; see lua/redrive.lua.
var redriveScript = library.Script("redrive")

// MaxRedrive is the most entries of one [Redrive].
const MaxRedrive = 100

// RedriveEntry names one entry of the dead store.
type RedriveEntry struct {
	Entry string // its id in the stream
	// Delay is how long after now it is due, rounded up to a ms: it is offered again,
	// where Java sees it. 0 puts it at the end of the ready list.
	Delay time.Duration
}

// RedriveArgs shapes a [Redrive].
type RedriveArgs struct {
	Entries       []RedriveEntry // at most [MaxRedrive]
	Malformed     bool           // redrive malformed ones, too
	NoDueTracking bool
	MaxPayload    int       // larger payloads stay where they are; 0 is no bound
	NoView        bool      // keeps what is delayed out of the pending list
	IDs           *wire.IDs // make new element ids; defaults to one generator for the process
}

// RedriveStatus says what became of one entry.
type RedriveStatus string

// The statuses.
const (
	Redriven       RedriveStatus = "redriven"  // it is ready or pending again
	RedriveGone    RedriveStatus = "gone"      // there is no such entry
	RedriveRefused RedriveStatus = "malformed" // it fits no layout: its body is no payload
	RedriveLarge   RedriveStatus = "oversized" // its payload is larger than MaxPayload
	RedriveUnknown RedriveStatus = "unknown"   // it is gone, and a try whose reply was lost may have redriven it

	redriveTaken RedriveStatus = "taken" // another element has the new id
	redriveLater RedriveStatus = "later" // a script moves about fifty, or 1 MiB
)

// Redrive puts messages of the dead store back, as new ones without attempts, but with
// their ID, key and history. A call whose reply was lost is sent again. Errors:
// [*fault.ChangeUnknownError] when all replies were lost; else those of [script.Script.Run]. Then
// nothing was changed, but that a script moves about fifty messages, or 1 MiB, and those
// of the scripts before it stay where they are.
func Redrive(ctx context.Context, rdb redis.Scripter, k wire.Keys, args RedriveArgs) ([]RedriveStatus, error) {
	if len(args.Entries) > MaxRedrive {
		return nil, fmt.Errorf("redrive: %d entries, at most %d at a time", len(args.Entries), MaxRedrive)
	}
	if args.IDs == nil {
		args.IDs = wire.ProcessIDs
	}
	out := make([]RedriveStatus, len(args.Entries))
	open := make([]int, len(args.Entries)) // indexes not settled yet
	for i := range open {
		open[i] = i
	}
	for draws := 0; len(open) > 0; {
		if draws > offerRedraws {
			return nil, &script.ReplyError{Script: redriveScript.Name(), Reason: "every new element id is taken"}
		}
		statuses, err := redriveOnce(ctx, rdb, k, args, open)
		if err != nil {
			return nil, err
		}
		var again []int
		collided := false
		for n, i := range open {
			out[i] = statuses[n]
			if out[i] == redriveTaken {
				args.IDs.Collided()
				collided = true
			}
			if out[i] == redriveTaken || out[i] == redriveLater {
				again = append(again, i)
			}
		}
		if collided {
			draws++
		}
		open = again
	}
	return out, nil
}

// redriveOnce redrives the entries of these indexes in one script.
func redriveOnce(ctx context.Context, rdb redis.Scripter, k wire.Keys, args RedriveArgs, open []int) ([]RedriveStatus, error) {
	argv := []any{
		script.Flag(args.Malformed), script.Flag(!args.NoDueTracking), DefaultTraceTTL.Milliseconds(), script.Flag(!args.NoView), args.MaxPayload,
	}
	for _, i := range open {
		e := args.Entries[i]
		id := args.IDs.Next()
		if e.Delay <= 0 {
			argv = append(argv, e.Entry, "", id.Raw[:])
			continue
		}
		argv = append(argv, e.Entry, int64((e.Delay-1)/time.Millisecond)+1, id.Raw[:])
	}
	keys := []string{k.Timeout, k.Pending, k.Channel, k.Dead, k.Queue, k.Attempts, k.Due, k.Trace, k.MessageNames, k.IDs}
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 0, func(bool) script.Call {
		return script.Call{Script: redriveScript, Keys: keys, Args: argv}
	})
	if err != nil {
		if unknown {
			err = &fault.ChangeUnknownError{Op: "redrive", Tries: tries, Err: err}
		}
		return nil, err
	}
	r := script.NewReader(redriveScript, value)
	out := make([]RedriveStatus, len(open))
	for n := range out {
		if out[n] = RedriveStatus(r.Text()); unknown && out[n] == RedriveGone {
			out[n] = RedriveUnknown
		}
	}
	return out, r.Err()
}
