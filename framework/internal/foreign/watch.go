package foreign

import (
	"context"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Queue is one that [Watch] looks into.
type Queue struct {
	Code  string
	Keys  []wire.Keys // of its partitions
	Codec codecs.Codec
	Typed func(payload []byte) error                 // reads into the queue's type
	Found func(payloads *fault.ForeignPayloadsError) // is told of each look; nil is none

	told int // how many the log knows of
}

// Watch looks once into each queue, and every minute again as long as there are some, until
// ctx ends.
func Watch(ctx context.Context, rdb redis.UniversalClient, log *slog.Logger, queues []Queue) {
	for len(queues) > 0 {
		left := queues[:0]
		for _, q := range queues {
			if q.look(ctx, rdb, log) {
				left = append(left, q)
			}
		}
		queues = left
		if len(queues) > 0 && retry.Pause(ctx, Every) != nil {
			return
		}
	}
}

// look looks once. It reports whether there may be some.
func (q *Queue) look(ctx context.Context, rdb redis.UniversalClient, log *slog.Logger) bool {
	for _, keys := range q.Keys {
		found, _, err := Look(ctx, rdb, keys, q.Code, q.Codec, q.Typed)
		if err != nil {
			return true
		}
		if found.Foreign > 0 {
			q.Found(found)
			q.told = Warn(ctx, log, found, q.told)
			return true
		}
	}
	q.Found(nil)
	return false
}
