// Package access opens a client to package admin, which needs of it what its users do not.
package access

import (
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Client is what operators' tools need of a *framework.Client.
type Client struct {
	Redis redis.UniversalClient
	Lease time.Duration

	// Keys checks the name of a queue, as Java names it for getBlockingQueue, and returns
	// its keys; the client's name mapping applies.
	Keys func(queue string) (wire.Keys, error)

	// Prefix and Suffix are those of names in Redis.
	Prefix, Suffix string
}

// Of returns the access to a *framework.Client. Package framework sets it.
var Of func(client any) Client
