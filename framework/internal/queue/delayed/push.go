package delayed

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// pushScript adds one payload to the ready list; see lua/push.lua.
var pushScript = library.Script("push")

// PushArgs is one payload to push.
type PushArgs struct {
	Payload       []byte
	Trace         []byte // a packed trace context of [wire.TraceContextBytes] bytes, or empty
	NoDueTracking bool
}

// Push adds a payload to the end of the ready list, as Java's queue.add does, and
// returns the time of Redis in ms. It is sent once: what has no id cannot be told
// from its double.
//
// Errors: [*fault.OutcomeUnknownError] when it may have been added; else it was not.
func Push(ctx context.Context, rdb redis.Scripter, k wire.Keys, args PushArgs) (nowMs int64, err error) {
	if n := len(args.Trace); n != 0 && n != wire.TraceContextBytes {
		return 0, fmt.Errorf("redisson: trace context of %d bytes, want %d", n, wire.TraceContextBytes)
	}
	track := "1"
	if args.NoDueTracking {
		track = ""
	}
	call := script.Call{
		Script: pushScript, Keys: []string{k.Queue, k.Due, k.Trace},
		Args: []any{args.Payload, track, args.Trace, DefaultTraceTTL.Milliseconds()},
	}
	value, _, unknown, err := resend(ctx, rdb, k.Queue, 1, func(bool) script.Call { return call })
	switch {
	case unknown:
		return 0, &fault.OutcomeUnknownError{Payload: wire.Digest(args.Payload), Tries: 1, Err: err}
	case err != nil:
		return 0, err
	}
	r := script.NewReader(pushScript, value)
	r.Integer() // the length of the list
	us := r.Micros()
	return us / 1000, r.Err()
}
