package subscribe

import (
	"context"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Count counts who listens on a channel of a queue, and so transfers it.
func Count(ctx context.Context, rdb redisapi.Client, channel string) (int64, error) {
	n, err := CountAll(ctx, rdb, []string{channel})
	return n[channel], err
}

// countAtOnce is how many channels one command names.
const countAtOnce = 500

// CountAll counts who listens on each of the channels: on a Cluster at all nodes, since each
// knows its own clients only.
func CountAll(ctx context.Context, rdb redisapi.Client, channels []string) (map[string]int64, error) {
	var mu sync.Mutex
	all := map[string]int64{}
	err := redisapi.EachNode(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
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
func Channels(ctx context.Context, rdb redisapi.Client, pattern string) ([]string, error) {
	var mu sync.Mutex
	var all []string
	err := redisapi.EachNode(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
		names, err := node.PubSubChannels(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, names...)
		return err
	})
	slices.Sort(all)
	return slices.Compact(all), rediserr.Classify("PUBSUB", err)
}
