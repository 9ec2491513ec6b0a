package connect

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

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

// eachNode asks all nodes: on a Cluster each knows its own clients only. Nobody listens at a node that
// is down, so its error counts only where no node answers.
func eachNode(ctx context.Context, rdb redisapi.Client, ask func(ctx context.Context, node redisapi.Client) error) error {
	var answered atomic.Bool
	err := redisapi.EachNode(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
		err := ask(ctx, node)
		if err == nil {
			answered.Store(true)
		}
		return err
	})
	if err != nil && answered.Load() && rediserr.MayPass(err) {
		err = nil
	}
	return rediserr.Classify("PUBSUB", err)
}

// CountAll counts who listens on each of the channels, on a Cluster at all nodes that answer.
func CountAll(ctx context.Context, rdb redisapi.Client, channels []string) (map[string]int64, error) {
	var mu sync.Mutex
	all := map[string]int64{}
	err := eachNode(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
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
	return all, err
}

// Channels returns the channels of a pattern on which somebody listens.
func Channels(ctx context.Context, rdb redisapi.Client, pattern string) ([]string, error) {
	var mu sync.Mutex
	var all []string
	err := eachNode(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
		names, err := node.PubSubChannels(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, names...)
		return err
	})
	slices.Sort(all)
	return slices.Compact(all), err
}
