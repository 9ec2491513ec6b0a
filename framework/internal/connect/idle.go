package connect

import (
	"context"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// idleFor is how often what is idle is looked at: a connection that a rush has left behind
// stays open that long.
const idleFor = 5 * time.Second

// Idle closes the connections of a client that are idle, but for some, now and then. The pool
// of go-redis would close each at once that it does not want to keep, and under many callers
// it makes a new one a moment later, which costs Redis as much as eight commands. Make it with
// [NewIdle], before the client is used; it is safe for concurrent use.
type Idle struct {
	keep    int
	running background.Group

	mu    sync.Mutex
	nodes []func() redisapi.Client // of a cluster, those that were seen and are not gone; else the client
	end   context.CancelFunc
}

// NewIdle is to keep so many idle connections of a client, on a cluster per node.
func NewIdle(rdb redisapi.Client, keep int) *Idle {
	i := &Idle{keep: keep}
	switch c := rdb.(type) {
	case *redis.Client:
		i.nodes = append(i.nodes, weakly(c))
	case *redis.ClusterClient:
		c.OnNewNode(func(node *redis.Client) {
			i.mu.Lock()
			defer i.mu.Unlock()
			i.nodes = append(i.nodes, weakly(node))
		})
	}
	return i
}

// Start begins. The end of ctx does not end it.
func (i *Idle) Start(ctx context.Context) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ctx, i.end = context.WithCancel(context.WithoutCancel(ctx))
	i.running.Loop(ctx, "close idle connections", func() { i.run(ctx) })
}

// Stop ends it, where it was started.
func (i *Idle) Stop() {
	i.mu.Lock()
	end := i.end
	i.mu.Unlock()
	if end != nil {
		end()
		i.running.Wait()
	}
}

func (i *Idle) run(ctx context.Context) {
	ticker := time.NewTicker(idleFor)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			i.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look closes what is idle now.
func (i *Idle) look(ctx context.Context) {
	for _, of := range i.present() {
		node := of.(*redis.Client)
		for surplus := int(node.PoolStats().IdleConns) - i.keep; surplus > 0; surplus-- {
			if !discard(ctx, node) {
				break // it does not answer: so nothing of it is idle for long
			}
		}
	}
}

// present returns the nodes, and forgets those that have left the cluster: the client of a
// cluster lets go of them.
func (i *Idle) present() (nodes []redisapi.Client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.nodes = slices.DeleteFunc(i.nodes, func(of func() redisapi.Client) bool {
		node := of()
		if node != nil {
			nodes = append(nodes, node)
		}
		return node == nil
	})
	return nodes
}

// weakly returns what gives a client that is not gone, else nil. It does not keep it. A
// weak.Pointer[redis.Client] would cost who uses Idle, see package redisapi.
func weakly(c *redis.Client) func() redisapi.Client {
	p := weak.Make(c)
	return func() redisapi.Client {
		if node := p.Value(); node != nil {
			return node
		}
		return nil
	}
}

// discard closes one connection. The pool gives one away only for a command.
func discard(ctx context.Context, node *redis.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn := node.EphemeralConn()
	err := conn.Ping(ctx).Err()
	return conn.Close() == nil && err == nil
}
