// Package access opens a client to package admin, which needs of it what its users do not.
package access

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Client is what operators' tools need of a *framework.Client.
type Client struct {
	Redis redis.UniversalClient
	Lease time.Duration

	// Keys checks the name of a queue, as Java names it for getBlockingQueue, and returns
	// its keys; the client's name mapping applies.
	Keys func(queue string) (redisson.Keys, error)

	// Prefix and Suffix are those of names in Redis.
	Prefix, Suffix string

	// Foreign looks at a few payloads of a queue. It returns how many a codec cannot read,
	// whether that is enough to call the codec wrong, and a text that says so.
	Foreign func(ctx context.Context, keys redisson.Keys, queue string, codec codecs.Codec) (n int, wrong bool, text string, err error)
}

// Of returns the access to a *framework.Client. Package framework sets it.
var Of func(client any) Client
