package lease

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of [Held]: what lies beyond is not counted.
const (
	heldSessions = 1000
	heldFetches  = 1000
)

// Held is what one session of a Go process holds.
type Held struct {
	Session    string
	DeadlineMs int64 // end of its lease by the clock of Redis
	Messages   int64 // in flight, or staged by a blocking move
}

// Ended reports whether the lease was over at the given time of Redis: the process died,
// was cut off, or stopped.
func (h Held) Ended(nowMs int64) bool { return h.DeadlineMs <= nowMs }

// HeldBy returns what the sessions of a queue hold, those whose lease ends first in front.
// It takes three round trips, and Redis reads what is in flight: about 1 ms for each MiB
// of bodies, one fetch at a time. At most 1,000 sessions and 1,000 fetches are looked at.
func HeldBy(ctx context.Context, rdb redis.UniversalClient, k wire.Keys) ([]Held, error) {
	sessions, err := rdb.ZRangeWithScores(ctx, k.Sessions, 0, heldSessions-1).Result()
	if err != nil || len(sessions) == 0 {
		return nil, rediserr.Classify("ZRANGE", err)
	}
	held := make([]Held, len(sessions))
	names := make([]string, len(sessions))
	staged := make([]*redis.IntCmd, len(sessions))
	pipe := rdb.Pipeline()
	for i, s := range sessions {
		names[i], _ = s.Member.(string)
		held[i] = Held{Session: names[i], DeadlineMs: int64(s.Score)}
		staged[i] = pipe.LLen(ctx, k.Stage(names[i]))
	}
	lists, err := inflightLists(ctx, pipe, k, names)
	if err != nil {
		return nil, err
	}
	var calls []script.Call
	var owner []int
	for i := range held {
		held[i].Messages = staged[i].Val()
		for _, list := range lists[i] {
			if len(calls) < heldFetches {
				calls = append(calls, script.Call{Script: heldScript, Keys: []string{list}})
				owner = append(owner, i)
			}
		}
	}
	for at, reply := range script.RunAll(ctx, rdb, calls) {
		if reply.Err != nil {
			return nil, reply.Err
		}
		n, ok := reply.Value.(int64)
		if !ok {
			return nil, replyError(heldScript, "%v", reply.Value)
		}
		held[owner[at]].Messages += n
	}
	return held, nil
}
