package delayed

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Records returns what is known of messages by the ids of their elements, the zero record
// for those without one. O(n) of the ids, of which there should be some hundred at most.
func Records(ctx context.Context, rdb redis.Cmdable, k wire.Keys, ids []wire.ElementID) ([]wire.MessageRecord, error) {
	out := make([]wire.MessageRecord, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	fields := make([]string, len(ids))
	for i, id := range ids {
		fields[i] = id.Field()
	}
	values, err := rdb.HMGet(ctx, k.Attempts, fields...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, rediserr.Classify("HMGET", err)
	}
	for i, v := range values {
		if text, ok := v.(string); ok {
			out[i], _ = wire.ParseMessageRecord(text)
			out[i].ID.Partition = k.Partition
		}
	}
	return out, nil
}
