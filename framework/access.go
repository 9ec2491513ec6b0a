package framework

import (
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

func init() { access.Of = func(client any) access.Client { return client.(*Client).access() } }

// access is what package admin needs of a client.
func (c *Client) access() access.Client {
	return access.Client{
		Redis: c.rdb, Server: c.redis.Server(), Lease: c.cfg.Lease, Keys: c.found, Own: c.names.Own, Bytes: c.bytesOf,
	}
}

// mostByBytes is how many declarations of bytesOf are remembered.
const mostByBytes = 4096

// byBytes names a declaration of bytesOf.
type byBytes struct {
	name              string
	partitions, other int
}

// bytesOf declares a queue whose payloads are bytes. It returns the same declaration each time, as
// the client remembers each that it meets, until there are very many: who looks at one queue after
// the other must not fill the memory.
func (c *Client) bytesOf(name string, partitions, other int) *registry.Queue[[]byte] {
	key := byBytes{name, partitions, other}
	c.bytesMu.Lock()
	q, known := c.ofBytes[key]
	c.bytesMu.Unlock()
	if known {
		return q
	}
	opts := append(access.PartitionOptions(partitions, other), registry.Codec(codecs.ByteArray()),
		registry.MaxPayload(codecs.DefaultMaxBytes)) // the queue's own is not known
	q = registry.Define[[]byte](name, "", opts...)
	odd := q.Err() != nil && wire.CheckFound(name) == nil // Java takes more names than a declaration
	if odd {
		q = registry.Define[[]byte](codecs.Printable(strconv.Quote(name), shownName), "", opts...)
	}
	c.bytesMu.Lock()
	defer c.bytesMu.Unlock()
	if first, known := c.ofBytes[key]; known { // somebody was faster
		return first
	}
	if len(c.ofBytes) >= mostByBytes {
		for _, q := range c.ofBytes {
			c.targets.Delete(q)
			c.oddNames.Delete(q)
		}
		clear(c.ofBytes)
	}
	if odd {
		c.oddNames.Store(q, name)
	}
	c.ofBytes[key] = q
	return q
}

// shownName is how many bytes of a name that no declaration may have stand in errors.
const shownName = 200
