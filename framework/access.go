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
		Redis: c.rdb, Lease: c.cfg.Lease, Keys: c.keys, Own: c.names.Own, Bytes: c.bytesOf,
	}
}

// bytesOf declares a queue whose payloads are bytes. It returns the same declaration each
// time, as the client remembers each that it meets.
func (c *Client) bytesOf(name string, partitions, other int) *registry.Queue[[]byte] {
	opts := []registry.Option{registry.Codec(codecs.ByteArray())}
	if partitions > 0 {
		opts = append(opts, registry.Partitions(partitions))
	}
	if other > 0 {
		opts = append(opts, registry.OtherPartitions(other))
	}
	type declaration struct {
		name              string
		partitions, other int
	}
	q, _ := c.ofBytes.LoadOrStore(declaration{name, partitions, other}, registry.Define[[]byte](name, "", opts...))
	return q.(*registry.Queue[[]byte])
}
