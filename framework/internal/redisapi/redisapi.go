// Package redisapi is what this module uses of go-redis's clients. A package that names
// redis.Client, ClusterClient, UniversalClient, Conn, PubSub, Options or UniversalOptions, or a
// struct with one of them, gets 1,700 generated methods compiled into it: 1.5 seconds of a
// processor for each. Only this package and internal/connect pay for that, and what has one in it is not inlined
// elsewhere. redis.Cmdable, Pipeliner, Scripter and the commands cost little.
package redisapi

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client is a *redis.Client, also of Sentinel, a *redis.ClusterClient or a [Conn].
type Client interface {
	redis.Cmdable
	Process(ctx context.Context, cmd redis.Cmder) error
	AddHook(hook redis.Hook)
	Close() error
}

// Supported reports whether rdb is a *redis.Client or a *redis.ClusterClient.
//
//go:noinline
func Supported(rdb any) bool {
	_, single := rdb.(*redis.Client)
	return single || IsCluster(rdb)
}

// IsCluster reports whether rdb is the client of a Cluster.
//
//go:noinline
func IsCluster(rdb any) bool {
	_, ok := rdb.(*redis.ClusterClient)
	return ok
}

// User returns the name of the Redis user of rdb, "" where a program chooses it at each login.
//
//go:noinline
func User(rdb any) string {
	name, chosen := "", true
	switch rdb := rdb.(type) {
	case *redis.Client:
		name, chosen = rdb.Options().Username, rdb.Options().CredentialsProviderContext != nil
	case *redis.ClusterClient:
		name, chosen = rdb.Options().Username, rdb.Options().CredentialsProviderContext != nil
	}
	if name == "" && !chosen {
		return "default"
	}
	return name
}

// Node returns the client of the server that holds key: of a Cluster that of the primary, the
// same each time, and any other client as it is. The error is go-redis's.
//
//go:noinline
func Node(ctx context.Context, rdb Client, key string) (Client, error) {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		return rdb, nil
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return nil, err // not a nil *redis.Client
	}
	return node, nil
}

// EachNode calls f with every node of a Cluster, also replicas, several at once. Of other
// clients it calls f with the client.
//
//go:noinline
func EachNode(ctx context.Context, rdb Client, f func(ctx context.Context, node Client) error) error {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error { return f(ctx, node) })
	}
	return f(ctx, rdb)
}

// EachPrimary calls f with each server that holds keys, one after the other.
//
//go:noinline
func EachPrimary(ctx context.Context, rdb Client, f func(ctx context.Context, node Client) error) error {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		return f(ctx, rdb)
	}
	var errs []error
	nodes := make(chan *redis.Client, 1024)
	err := cluster.ForEachMaster(ctx, func(_ context.Context, node *redis.Client) error {
		nodes <- node
		return nil
	})
	close(nodes)
	for node := range nodes {
		errs = append(errs, f(ctx, node))
	}
	return errors.Join(append(errs, err)...)
}

// Reload has the client of a Cluster ask for its nodes anew, in the background. It reports
// whether rdb is one.
//
//go:noinline
func Reload(ctx context.Context, rdb any) bool {
	cluster, ok := rdb.(*redis.ClusterClient)
	if ok {
		cluster.ReloadState(ctx)
	}
	return ok
}

// Conn is one connection of a client. Close gives it back.
type Conn interface {
	Client
	Wait(ctx context.Context, replicas int, timeout time.Duration) *redis.IntCmd
}

// Pinned returns one connection of the client of a server, and nil for other clients.
//
//go:noinline
func Pinned(rdb any) Conn {
	if node, ok := rdb.(*redis.Client); ok {
		return node.Conn()
	}
	return nil
}

// PubSub is a *redis.PubSub.
type PubSub interface {
	Subscribe(ctx context.Context, channels ...string) error
	Unsubscribe(ctx context.Context, channels ...string) error
	Ping(ctx context.Context, payload ...string) error
	ReceiveTimeout(ctx context.Context, timeout time.Duration) (any, error)
	Close() error
}

// Subscribe returns a subscription to channels. The client must be [Supported].
//
//go:noinline
func Subscribe(ctx context.Context, rdb Client, channels ...string) PubSub {
	return rdb.(interface {
		Subscribe(ctx context.Context, channels ...string) *redis.PubSub
	}).Subscribe(ctx, channels...)
}

// Options are those of a client that tell where its server is.
type Options struct {
	Addr string
	DB   int
}

// OptionsOf returns those of the client of a server, none of other clients.
//
//go:noinline
func OptionsOf(rdb any) Options {
	node, ok := rdb.(*redis.Client)
	if !ok {
		return Options{}
	}
	o := node.Options()
	return Options{Addr: o.Addr, DB: o.DB}
}
