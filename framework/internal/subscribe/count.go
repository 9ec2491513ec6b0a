package subscribe

import (
	"context"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Count counts who listens on a channel of a queue, and so transfers it.
func Count(ctx context.Context, rdb redis.UniversalClient, channel string) (int64, error) {
	n, err := CountAll(ctx, rdb, []string{channel})
	return n[channel], err
}

// countAtOnce is how many channels one command names.
const countAtOnce = 500

// CountAll counts who listens on each of the channels: on a Cluster at all nodes, since each
// knows its own clients only.
func CountAll(ctx context.Context, rdb redis.UniversalClient, channels []string) (map[string]int64, error) {
	var mu sync.Mutex
	all := map[string]int64{}
	err := eachNode(ctx, rdb, func(ctx context.Context, node redis.Cmdable) error {
		for part := range slices.Chunk(channels, countAtOnce) {
			n, err := node.PubSubNumSub(ctx, part...).Result()
			if err != nil {
				return err
			}
			mu.Lock()
			for channel, listeners := range n {
				all[channel] += listeners
			}
			mu.Unlock()
		}
		return nil
	})
	return all, rediserr.Classify("PUBSUB", err)
}

// Channels returns the channels of a pattern on which somebody listens.
func Channels(ctx context.Context, rdb redis.UniversalClient, pattern string) ([]string, error) {
	var mu sync.Mutex
	var all []string
	err := eachNode(ctx, rdb, func(ctx context.Context, node redis.Cmdable) error {
		names, err := node.PubSubChannels(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, names...)
		return err
	})
	slices.Sort(all)
	return slices.Compact(all), rediserr.Classify("PUBSUB", err)
}

func eachNode(ctx context.Context, rdb redis.UniversalClient, f func(context.Context, redis.Cmdable) error) error {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error { return f(ctx, node) })
	}
	return f(ctx, rdb)
}
