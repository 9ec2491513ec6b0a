package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// primaries examines every primary of a Cluster: each has its own clock and settings.
// What is the same at several is told once, with their addresses.
func primaries(ctx context.Context, cluster redisapi.Client) ([]Finding, error) {
	var mu sync.Mutex
	perNode := map[string][]Finding{}
	var errs []error
	// A node that fails or hangs must not hide what is wrong with the others.
	var asked background.Parts
	err := redisapi.EachPrimary(ctx, cluster, func(_ context.Context, node redisapi.Client) error {
		asked.Go(func() {
			s := &server{rdb: node}
			err := s.run(ctx)
			if err == nil {
				s.slots(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			addr := redisapi.OptionsOf(node).Addr
			perNode[addr] = s.found
			if err != nil {
				errs = append(errs, fmt.Errorf("node %s: %w", addr, err))
			}
		})
		return nil
	})
	asked.Wait()
	return merge(perNode), errors.Join(append(errs, err)...)
}

// merge tells what several nodes have in common once, in the order of their addresses.
func merge(perNode map[string][]Finding) []Finding {
	type same struct {
		check, message string
		severity       Severity
	}
	var all []Finding
	nodes := map[same][]string{}
	for addr, found := range perNode {
		for _, f := range found {
			key := same{f.Check, f.Message, f.Severity}
			if nodes[key] == nil {
				all = append(all, f)
			}
			nodes[key] = append(nodes[key], addr)
		}
	}
	for i := range all {
		f := &all[i]
		addrs := nodes[same{f.Check, f.Message, f.Severity}]
		slices.Sort(addrs)
		where := strings.Join(addrs, ", ")
		if len(addrs) == len(perNode) {
			where = fmt.Sprintf("all %d primaries", len(addrs))
		}
		f.Message = where + ": " + f.Message
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Check, b.Check), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// slots reports a Cluster that serves only a part of all names.
func (s *server) slots(ctx context.Context) {
	text, err := s.rdb.ClusterInfo(ctx).Result()
	if err != nil {
		return // a user who may not ask: nothing to report
	}
	if info := connect.InfoFields(text); info["cluster_state"] != "ok" {
		s.add("cluster", SeverityError, fmt.Sprintf("cluster_state is %s, %s of 16384 slots are served: queues in the others stand still",
			info["cluster_state"], info["cluster_slots_ok"]), "redis-cli --cluster check, then fix")
	}
}
