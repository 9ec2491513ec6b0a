package foreign

import (
	"context"
	"log/slog"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Queue is one that is watched.
type Queue struct {
	Declared

	Keys  []wire.Keys                                // of its partitions
	Found func(payloads *fault.ForeignPayloadsError) // is told of each look; nil is none

	told int // how many the log knows of
}

// Watch looks into each queue every minute, as long as there are foreign payloads in it, until
// ctx ends.
func Watch(ctx context.Context, rdb redisapi.Client, log *slog.Logger, queues []*Queue) {
	for len(queues) > 0 && retry.Pause(ctx, Every) == nil {
		left := queues[:0]
		for _, q := range queues {
			if _, again := q.Look(ctx, rdb, log); again {
				left = append(left, q)
			}
		}
		queues = left
	}
}

// Look looks once into the partitions, up to one that has foreign payloads. It returns these, nil
// for none, and whether to look again.
func (q *Queue) Look(ctx context.Context, rdb redisapi.Client, log *slog.Logger) (found *fault.ForeignPayloadsError, again bool) {
	for _, keys := range q.Keys {
		found, _, err := Look(ctx, rdb, keys, q.Declared)
		if err != nil {
			return nil, true //nolint:nilerr // a look that fails says nothing
		}
		if Found(found) > 0 {
			q.Found(found)
			q.told = Warn(ctx, log, found, q.told)
			return found, true
		}
	}
	q.Found(nil)
	return nil, false
}
