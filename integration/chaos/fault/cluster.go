package fault

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	migrateBatch     = 3 // keys per MIGRATE
	migrateTimeoutMs = 5000
)

// Owner is the number of the node that serves a key.
func Owner(tb testing.TB, c *lab.Cluster, key string) int {
	tb.Helper()
	owner := -1
	lab.WaitFor(tb, "a node that serves "+key, func() bool {
		for _, n := range c.Nodes() {
			if owner = ownerSeenBy(tb, c, n, key); owner >= 0 {
				return true
			}
		}
		return false
	})
	return owner
}

// ownerSeenBy is Owner as one node sees it, -1 where that does not know.
func ownerSeenBy(tb testing.TB, c *lab.Cluster, n *lab.Server, key string) int {
	ctx := tb.Context()
	slot, err := n.Client().ClusterKeySlot(ctx, key).Result()
	if err != nil {
		return -1
	}
	shards, err := n.Client().ClusterSlots(ctx).Result() //nolint:staticcheck // CLUSTER SHARDS came with Redis 7.0
	if err != nil {
		return -1
	}
	for _, shard := range shards {
		if shard.Start <= int(slot) && int(slot) <= shard.End && len(shard.Nodes) > 0 {
			return slices.IndexFunc(c.Nodes(), func(s *lab.Server) bool { return s.Addr() == shard.Nodes[0].Addr })
		}
	}
	return -1
}

// NodeKill ends the node that serves key by SIGKILL; End starts it again and waits
// until the cluster is whole.
func NodeKill(tb testing.TB, c *lab.Cluster, key string) Fault {
	var victim *lab.Server
	return counted("Cluster: node kill -9",
		func() {
			victim = c.Nodes()[Owner(tb, c, key)]
			victim.Kill()
		},
		func() {
			victim.Restart()
			lab.WaitFor(tb, "a whole cluster", func() bool {
				return !slices.ContainsFunc(c.Nodes(), func(n *lab.Server) bool {
					info, err := n.Client().ClusterInfo(tb.Context()).Result()
					return err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_slots_ok:16384")
				})
			})
		})
}

// slotMove is a slot on its way from one node to another.
type slotMove struct {
	tb       testing.TB
	cluster  *lab.Cluster
	slot     int
	from, to *lab.Server
	fromID   string
	toID     string
}

// SlotMove moves the slot of a key to the next node, step by step as redis-cli does.
// Begin opens the slot and moves half of its keys: from then on clients are sent back
// and forth (ASK), and what needs keys of both halves is refused (TRYAGAIN). End moves
// the rest, gives the slot to the new node and waits until all nodes know it.
func SlotMove(tb testing.TB, c *lab.Cluster, key string) Fault {
	move := slotMove{tb: tb, cluster: c}
	effects, before, to := 0, 0, 0
	return Fault{
		Name: "Cluster: slot moved",
		Begin: func() {
			from := Owner(tb, c, key)
			to = (from + 1) % len(c.Nodes())
			slot, err := c.Client().ClusterKeySlot(tb.Context(), key).Result()
			noError(tb, err)
			move.slot, move.from, move.to = int(slot), c.Nodes()[from], c.Nodes()[to]
			move.fromID, move.toID = move.id(move.from), move.id(move.to)
			before = move.redirected()
			// First where keys arrive, or they would have no place.
			move.setSlot(move.to, "importing", move.fromID)
			move.setSlot(move.from, "migrating", move.toID)
			n, err := move.from.Client().ClusterCountKeysInSlot(tb.Context(), move.slot).Result()
			noError(tb, err)
			move.migrate(int(n / 2))
		},
		End: func() {
			move.migrate(1 << 30)
			// The new owner first: it takes a new epoch, by which it wins over the old one.
			move.setSlot(move.to, "node", move.toID)
			for _, n := range c.Nodes() {
				if n != move.to {
					move.setSlot(n, "node", move.toID)
				}
			}
			effects += move.redirected() - before
			lab.WaitFor(tb, fmt.Sprintf("all nodes know that node %d serves slot %d", to, move.slot), func() bool {
				return !slices.ContainsFunc(c.Nodes(), func(n *lab.Server) bool { return ownerSeenBy(tb, c, n, key) != to })
			})
		},
		Effects: func() int { return effects },
	}
}

func (m *slotMove) id(n *lab.Server) string {
	id, err := n.Client().Do(m.tb.Context(), "cluster", "myid").Text()
	noError(m.tb, err)
	return id
}

func (m *slotMove) setSlot(n *lab.Server, state, id string) {
	noError(m.tb, n.Client().Do(m.tb.Context(), "cluster", "setslot", m.slot, state, id).Err())
}

// migrate moves at least so many keys, fewer when there are no more.
func (m *slotMove) migrate(atLeast int) {
	ctx := m.tb.Context()
	for moved := 0; moved < atLeast; {
		keys, err := m.from.Client().ClusterGetKeysInSlot(ctx, m.slot, migrateBatch).Result()
		noError(m.tb, err)
		if len(keys) == 0 {
			return
		}
		command := []any{"migrate", "127.0.0.1", m.to.Port(), "", 0, migrateTimeoutMs, "keys"}
		for _, key := range keys {
			command = append(command, key)
		}
		noError(m.tb, m.from.Client().Do(ctx, command...).Err()) // "NOKEY": they went of themselves
		moved += len(keys)
	}
}

// redirected is how many commands the nodes have sent elsewhere or refused.
func (m *slotMove) redirected() (sum int) {
	for _, n := range m.cluster.Nodes() {
		sum += errorCount(m.tb, n.Client(), "ASK", "TRYAGAIN", "MOVED")
	}
	return sum
}
