package redisson

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// redriveScript puts messages of the dead store back; see lua/redrive.lua.
var redriveScript = embedded("redrive", "clock", "types", "digest", "records", "due", "trace")

// MaxRedrive is the most entries of one [Redrive].
const MaxRedrive = 100

// RedriveArgs shapes a [Redrive].
type RedriveArgs struct {
	Entries       []string // ids in the stream, at most [MaxRedrive]
	Malformed     bool     // redrive malformed ones, too
	NoDueTracking bool
}

// RedriveStatus says what became of one entry.
type RedriveStatus string

// The statuses.
const (
	Redriven       RedriveStatus = "redriven"  // it is ready again
	RedriveGone    RedriveStatus = "gone"      // there is no such entry
	RedriveRefused RedriveStatus = "malformed" // it fits no layout: its body is no payload
	RedriveUnknown RedriveStatus = "unknown"   // it is gone, and a try whose reply was lost may have redriven it
)

// Redrive puts messages of the dead store at the end of the ready list, as new ones:
// due now, without attempts. A call whose reply was lost is sent again. Errors:
// [*ChangeUnknownError] when all replies were lost; else those of [Script.Run]: then
// nothing was changed.
func Redrive(ctx context.Context, rdb redis.Scripter, k Keys, args RedriveArgs) ([]RedriveStatus, error) {
	if len(args.Entries) > MaxRedrive {
		return nil, fmt.Errorf("redrive: %d entries, at most %d at a time", len(args.Entries), MaxRedrive)
	}
	if len(args.Entries) == 0 {
		return nil, nil
	}
	argv := []any{onOff(args.Malformed), onOff(!args.NoDueTracking), DefaultTraceTTL.Milliseconds()}
	for _, e := range args.Entries {
		argv = append(argv, e)
	}
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 0, func(bool) Call {
		return Call{Script: redriveScript, Keys: []string{k.Dead, k.Queue, k.Attempts, k.Due, k.Trace}, Args: argv}
	})
	if err != nil {
		if unknown {
			err = &ChangeUnknownError{Op: "redrive", Tries: tries, Err: err}
		}
		return nil, err
	}
	r := newReader(redriveScript, value)
	out := make([]RedriveStatus, len(args.Entries))
	for i := range out {
		if out[i] = RedriveStatus(r.text()); unknown && out[i] == RedriveGone {
			out[i] = RedriveUnknown
		}
	}
	return out, r.err
}
