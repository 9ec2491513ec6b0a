package framework

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/registry"
)

func init() { access.Of = func(client any) access.Client { return client.(*Client).access() } }

// access is what package admin needs of a client.
func (c *Client) access() access.Client {
	return access.Client{
		Redis: c.rdb, Server: c.redis.Server(), Lease: c.cfg.Lease, Keys: c.keys, Own: c.names.Own, Bytes: c.bytesOf,
	}
}

// bytesOf declares a queue whose payloads are bytes. It returns the same declaration each
// time, as the client remembers each that it meets.
func (c *Client) bytesOf(name string, partitions, other int) *registry.Queue[[]byte] {
	type declaration struct {
		name              string
		partitions, other int
	}
	key := declaration{name, partitions, other}
	q, known := c.ofBytes.Load(key)
	if !known {
		opts := append(access.PartitionOptions(partitions, other), registry.Codec(codecs.ByteArray()))
		q, _ = c.ofBytes.LoadOrStore(key, registry.Define[[]byte](name, "", opts...))
	}
	return q.(*registry.Queue[[]byte])
}
