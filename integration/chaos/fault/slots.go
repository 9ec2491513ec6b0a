package fault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	migrateBatch   = 3 // keys per MIGRATE
	migrateTimeout = 5 * time.Second
)

// slotMove is a slot on its way from one node to another.
type slotMove struct {
	cluster  *Cluster
	slot     int
	from, to int // numbers of nodes
}

// SlotMove moves the slot of a key to the next node, step by step as redis-cli does.
// Strike opens the slot and moves half of its keys: from then on clients are sent back
// and forth (ASK), and what needs keys of both halves is refused (TRYAGAIN). Heal moves
// the rest, gives the slot to the new node and waits until all nodes know it. The next
// strike moves it on, so that it comes back in the end.
func SlotMove(c *Cluster, key string) Fault {
	f := &simple{state: state{name: "Cluster: slot moved", unit: "commands redirected or refused (ASK, TRYAGAIN, MOVED)"}}
	var move slotMove
	var before int
	f.begin = func(ctx context.Context) error {
		owner, err := c.Owner(ctx, key)
		if err != nil {
			return err
		}
		slot, _, err := c.look(ctx, key)
		if err != nil {
			return err
		}
		move = slotMove{cluster: c, slot: slot, from: owner, to: (owner + 1) % len(c.nodes)}
		if before, err = c.redirected(ctx); err != nil {
			return err
		}
		if err = move.open(ctx); err != nil {
			return errors.Join(err, move.abandon(ctx))
		}
		n, err := move.source().count(ctx, slot)
		if err == nil {
			_, err = move.migrate(ctx, n/2)
		}
		if err != nil {
			// What has moved stays reachable only if the rest follows.
			return errors.Join(err, move.finish(ctx))
		}
		return nil
	}
	f.end = func(ctx context.Context) error {
		if err := move.finish(ctx); err != nil {
			return err
		}
		after, err := c.redirected(ctx)
		if err != nil {
			return err
		}
		f.effects.Add(int64(max(after-before, 0)))
		before = after
		return c.awaitOwner(ctx, key, move.to)
	}
	return f
}

func (m slotMove) source() migrator { return migrator{m.cluster.nodes[m.from]} }
func (m slotMove) target() migrator { return migrator{m.cluster.nodes[m.to]} }

// open marks the slot on both sides: first where keys arrive, or they would have no place.
func (m slotMove) open(ctx context.Context) error {
	if err := m.target().setSlot(ctx, m.slot, "importing", m.cluster.ids[m.from]); err != nil {
		return err
	}
	return m.source().setSlot(ctx, m.slot, "migrating", m.cluster.ids[m.to])
}

// abandon closes an opened slot from which no key has gone yet.
func (m slotMove) abandon(ctx context.Context) error {
	return errors.Join(m.source().setSlot(ctx, m.slot, "stable"), m.target().setSlot(ctx, m.slot, "stable"))
}

// migrate moves at least so many keys, fewer when there are no more.
func (m slotMove) migrate(ctx context.Context, atLeast int) (moved int, err error) {
	for moved < atLeast {
		n, err := m.source().migrate(ctx, m.slot, m.cluster.nodes[m.to].port)
		if err != nil || n == 0 {
			return moved, err
		}
		moved += n
	}
	return moved, nil
}

// finish moves what is left and gives the slot to its new owner. It may be called again.
func (m slotMove) finish(ctx context.Context) error {
	for {
		n, err := m.source().migrate(ctx, m.slot, m.cluster.nodes[m.to].port)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	// The new owner first: it takes a new epoch, by which it wins over the old one.
	order := []int{m.to, m.from}
	for i := range m.cluster.nodes {
		if i != m.to && i != m.from {
			order = append(order, i)
		}
	}
	for _, i := range order {
		if err := (migrator{m.cluster.nodes[i]}).setSlot(ctx, m.slot, "node", m.cluster.ids[m.to]); err != nil {
			return err
		}
	}
	return nil
}

// migrator is a node of which slots are moved.
type migrator struct{ *Server }

// count is how many keys of a slot the node has.
func (n migrator) count(ctx context.Context, slot int) (int, error) {
	c, err := n.client.ClusterCountKeysInSlot(ctx, slot).Result()
	return int(c), err
}

func (n migrator) setSlot(ctx context.Context, slot int, args ...any) error {
	command := append([]any{"cluster", "setslot", slot}, args...)
	if err := n.client.Do(ctx, command...).Err(); err != nil {
		return fmt.Errorf("%s on %s: %w", fmt.Sprint(command...), n.Addr(), err)
	}
	return nil
}

// migrate sends a few keys of a slot away and returns how many.
func (n migrator) migrate(ctx context.Context, slot, port int) (int, error) {
	keys, err := n.client.ClusterGetKeysInSlot(ctx, slot, migrateBatch).Result()
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	command := []any{"migrate", "127.0.0.1", port, "", 0, migrateTimeout.Milliseconds(), "keys"}
	for _, key := range keys {
		command = append(command, key)
	}
	return len(keys), n.client.Do(ctx, command...).Err() // "NOKEY": they went of themselves
}

// redirected is how many commands the nodes have sent elsewhere or refused.
func (c *Cluster) redirected(ctx context.Context) (int, error) {
	sum := 0
	for _, n := range c.nodes {
		one, err := errorCount(ctx, n.client, "ASK", "TRYAGAIN", "MOVED")
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

// awaitOwner waits until all nodes agree that one of them serves a key.
func (c *Cluster) awaitOwner(ctx context.Context, key string, owner int) error {
	for _, n := range c.nodes {
		seen := &Cluster{nodes: []*Server{n}}
		err := await(ctx, func() error {
			slot, shards, err := seen.look(ctx, key)
			if err != nil {
				return err
			}
			for _, s := range shards {
				if s.Start <= slot && slot <= s.End && len(s.Nodes) > 0 && s.Nodes[0].Addr == c.nodes[owner].Addr() {
					return nil
				}
			}
			return fmt.Errorf("%w: node %s does not know that %s serves slot %d", errNotYet, n.Addr(), c.nodes[owner].Addr(), slot)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
