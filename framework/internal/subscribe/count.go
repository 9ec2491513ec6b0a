package subscribe

import (
	"context"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Count counts who listens on a channel of a queue, and so transfers it: on a
// Cluster at all nodes, since each knows its own clients only.
func Count(ctx context.Context, rdb redis.UniversalClient, channel string) (int64, error) {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		n, err := rdb.PubSubNumSub(ctx, channel).Result()
		return n[channel], rediserr.Classify("PUBSUB", err)
	}
	var all atomic.Int64
	err := cluster.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error {
		n, err := node.PubSubNumSub(ctx, channel).Result()
		all.Add(n[channel])
		return err
	})
	return all.Load(), rediserr.Classify("PUBSUB", err)
}
