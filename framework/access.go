package framework

import "github.com/duequeue/duequeue/framework/internal/access"

func init() { access.Of = func(client any) access.Client { return client.(*Client).access() } }

// access is what package admin needs of a client.
func (c *Client) access() access.Client {
	return access.Client{
		Redis: c.rdb, Lease: c.cfg.Lease, Prefix: c.cfg.Name.Prefix, Suffix: c.cfg.Name.Suffix,
		Keys: c.keys,
	}
}
