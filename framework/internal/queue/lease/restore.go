package lease

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// RestoreResult says what came back from the dead store.
type RestoreResult struct {
	Restored int
	Missing  int // entries that were not there any more
}

// Restore moves entries of the dead store back to the head of the queue in the order
// given, the oldest message first, in one script where they are no more than 1 MiB: the
// head that ten undecodable messages in a row had left. Counters, due and trace entries come back with them.
// Repeated after a lost reply it finds nothing to do. At most [MaxTake] entries.
func Restore(ctx context.Context, rdb redis.Scripter, keys wire.Keys, entries []string) (RestoreResult, error) {
	if len(entries) > MaxTake {
		return RestoreResult{}, &OptionError{"entries", fmt.Sprint("more than ", MaxTake)}
	}
	var total RestoreResult
	for {
		args := []any{delayed.DefaultTraceTTL.Milliseconds(), giveBackStep}
		for _, e := range entries {
			args = append(args, e)
		}
		reply, err := restoreScript.Run(ctx, rdb,
			[]string{keys.Queue, keys.Dead, keys.Attempts, keys.Due, keys.Trace, keys.MessageNames, keys.IDs}, args...)
		if err != nil {
			return RestoreResult{}, err
		}
		words, err := texts(restoreScript, reply, 3)
		if err != nil {
			return RestoreResult{}, err
		}
		total.Restored, total.Missing = total.Restored+atoi(words[0]), total.Missing+atoi(words[1])
		left := atoi(words[2])
		if left <= 0 || left >= len(entries) {
			return total, nil
		}
		entries = entries[:left]
	}
}

// Restore is the function [Restore] for the session's queue.
func (s *Session) Restore(ctx context.Context, entries []string) (RestoreResult, error) {
	return Restore(ctx, s.shared, s.keys, entries)
}
