package framework

import (
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

func init() { access.Of = func(client any) access.Client { return client.(*Client).access() } }

// access is what package admin needs of a client.
func (c *Client) access() access.Client {
	return access.Client{
		Redis: c.rdb, Lease: c.cfg.Lease, Prefix: c.cfg.Name.Prefix, Suffix: c.cfg.Name.Suffix,
		Keys: func(queue string) (redisson.Keys, error) {
			name := c.mapper(queue)
			if err := redisson.CheckName(name); err != nil && (c.cluster || !isSlotError(err)) {
				return redisson.Keys{}, err
			}
			return redisson.KeysOf(name), nil
		},
	}
}
