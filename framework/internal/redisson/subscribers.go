package redisson

import (
	"context"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Subscribers counts who listens on the channel of a queue, and so transfers it: on a
// Cluster at all nodes, since each knows its own clients only.
func Subscribers(ctx context.Context, rdb redis.UniversalClient, k Keys) (int64, error) {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		n, err := rdb.PubSubNumSub(ctx, k.Channel).Result()
		return n[k.Channel], rediserr.Classify("PUBSUB", err)
	}
	var all atomic.Int64
	err := cluster.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error {
		n, err := node.PubSubNumSub(ctx, k.Channel).Result()
		all.Add(n[k.Channel])
		return err
	})
	return all.Load(), rediserr.Classify("PUBSUB", err)
}
