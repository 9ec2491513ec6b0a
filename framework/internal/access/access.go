// Package access opens a client to package admin, which needs of it what its users do not.
package access

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Client is what operators' tools need of a *framework.Client.
type Client struct {
	Redis redisapi.Client
	Lease time.Duration

	// Server is the host and port that name the server in metrics, of several the first; "" where it
	// is embedded.
	Server string

	// Keys checks the name of a queue, as Java names it for getBlockingQueue, and returns
	// its keys; the client's name mapping applies.
	Keys func(queue string) (wire.Keys, error)

	// Own returns the name of a queue by its name in Redis. It reports false for one that the
	// client's name mapping does not give.
	Own func(raw string) (name string, ok bool)

	// Bytes declares a queue whose payloads are bytes, with numbers of partitions that
	// processes have noted, 0 for none. It returns the same declaration each time.
	Bytes func(queue string, partitions, other int) *registry.Queue[[]byte]
}

// Of returns the access to a *framework.Client. Package framework sets it.
var Of func(client any) Client

// PartitionOptions declares the numbers of partitions that processes have noted, 0 for none.
func PartitionOptions(n, other int) (opts []registry.Option) {
	if n > 0 {
		opts = append(opts, registry.Partitions(n))
	}
	if other > 0 {
		opts = append(opts, registry.OtherPartitions(other))
	}
	return opts
}
