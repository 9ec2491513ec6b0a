package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	sentinelMaster  = "duequeue-chaos"
	sentinelCount   = 3
	sentinelTimeout = 30 * time.Second
	sentinelDown    = time.Second // silence after which a primary is given up
)

// Sentinel is a primary with replicas and three Sentinels, all real processes on
// loopback. The servers have configuration files, so that what the Sentinels make of them
// outlasts their restarts. A primary that is silent for a second is replaced.
//
// Replication is asynchronous: what a killed primary had acknowledged and not yet sent is
// gone. The fault does not hide that.
type Sentinel struct {
	servers   []*Server
	sentinels []*Server
}

// StartSentinel runs a group with so many replicas and returns when all Sentinels know
// one another and the replicas; Close ends it.
func StartSentinel(ctx context.Context, replicas int, o ServerOptions) (*Sentinel, error) {
	ctx, cancel := context.WithTimeout(ctx, sentinelTimeout)
	defer cancel()
	g := &Sentinel{}
	if err := g.start(ctx, replicas, o); err != nil {
		return nil, errors.Join(fmt.Errorf("start the Sentinel group: %w", err), g.Close())
	}
	return g, nil
}

func (g *Sentinel) start(ctx context.Context, replicas int, o ServerOptions) error {
	given := o.Config
	for i := range 1 + replicas {
		if i > 0 {
			o.Config = append(append([]string(nil), given...), fmt.Sprintf("replicaof 127.0.0.1 %d", g.servers[0].port))
		}
		s, err := StartServer(ctx, o)
		if err != nil {
			return err
		}
		g.servers = append(g.servers, s)
	}
	for range sentinelCount {
		s, err := StartServer(ctx, ServerOptions{sentinel: true, Config: []string{
			fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 2", sentinelMaster, g.servers[0].port),
			fmt.Sprintf("sentinel down-after-milliseconds %s %d", sentinelMaster, sentinelDown.Milliseconds()),
			fmt.Sprintf("sentinel failover-timeout %s 5000", sentinelMaster),
		}})
		if err != nil {
			return err
		}
		g.sentinels = append(g.sentinels, s)
		// Looks once a second instead of every ten, and so on: an old primary is made a
		// replica within seconds. Redis 6.2 has no such settings and takes its time.
		_ = s.client.Do(ctx, "sentinel", "debug", "info-period", 1000, "publish-period", 500, "ping-period", 200).Err()
	}
	return g.awaitWhole(ctx)
}

// Close ends all processes.
func (g *Sentinel) Close() error {
	var all error
	for _, s := range append(append([]*Server(nil), g.sentinels...), g.servers...) {
		all = errors.Join(all, s.Close())
	}
	return all
}

// MasterName is the name under which the Sentinels know the primary.
func (g *Sentinel) MasterName() string { return sentinelMaster }

// Addrs are the addresses of the Sentinels as host:port.
func (g *Sentinel) Addrs() []string { return addrsOf(g.sentinels) }

// Servers are the primary and the replicas, in no particular roles.
func (g *Sentinel) Servers() []*Server { return append([]*Server(nil), g.servers...) }

// Client returns a client that follows the primary; the caller closes it.
func (g *Sentinel) Client() *redis.Client {
	return redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: sentinelMaster, SentinelAddrs: g.Addrs(), MaxRetries: -1, DisableIdentity: true,
	})
}

// Primary is the server that a majority of the Sentinels names.
func (g *Sentinel) Primary(ctx context.Context) (*Server, error) {
	votes := map[int]int{}
	for _, s := range g.sentinels {
		addr, err := s.client.Do(ctx, "sentinel", "get-master-addr-by-name", sentinelMaster).StringSlice()
		if err != nil || len(addr) != 2 {
			continue // it may be down itself; the majority counts
		}
		port, err := strconv.Atoi(addr[1])
		if err == nil {
			votes[port]++
		}
	}
	for _, s := range g.servers {
		if votes[s.port] > sentinelCount/2 {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: the Sentinels do not agree on a primary: %v", ErrNoTarget, votes)
}

// awaitPrimary waits until the Sentinels name a primary that is one, other than old.
func (g *Sentinel) awaitPrimary(ctx context.Context, old *Server) (*Server, error) {
	var found *Server
	err := await(ctx, func() error {
		s, err := g.Primary(ctx)
		if err != nil {
			return errors.Join(errNotYet, err)
		}
		if s == old {
			return fmt.Errorf("%w: still the old primary", errNotYet)
		}
		role, err := infoField(ctx, s.client, "replication", "role")
		if err != nil || role != "master" {
			return errors.Join(fmt.Errorf("%w: the new primary %s is a %q", errNotYet, s.Addr(), role), err)
		}
		found = s
		return nil
	})
	return found, err
}

// awaitWhole waits until all servers follow the primary and all Sentinels have seen that.
func (g *Sentinel) awaitWhole(ctx context.Context) error {
	primary, err := g.awaitPrimary(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range g.servers {
		if s == primary {
			continue
		}
		if err := awaitFollows(ctx, s, primary); err != nil {
			return err
		}
	}
	return await(ctx, func() error {
		for _, s := range g.sentinels {
			if err := g.agrees(ctx, s, primary); err != nil {
				return fmt.Errorf("%w: Sentinel %s: %w", errNotYet, s.Addr(), err)
			}
		}
		return nil
	})
}

// agrees tells what a Sentinel lacks to see the group as it is.
func (g *Sentinel) agrees(ctx context.Context, sentinel, primary *Server) error {
	info, err := sentinel.client.Info(ctx, "sentinel").Result()
	if err != nil {
		return err
	}
	want := fmt.Sprintf("status=ok,address=%s,slaves=%d,sentinels=%d", primary.Addr(), len(g.servers)-1, sentinelCount)
	if !strings.Contains(info, want) {
		return fmt.Errorf("it lacks %q in\n%s", want, info)
	}
	// What it believes of a replica is as old as the last INFO. One that has not heard
	// since the last failover that the old primary follows would take the next one,
	// which makes it primary again, for a replica that has been wrong for long, and turn
	// it back (+convert-to-slave) under the hands of the Sentinel that fails over.
	replicas := redis.NewMapStringStringSliceCmd(ctx, "sentinel", "replicas", sentinelMaster)
	if err := sentinel.client.Process(ctx, replicas); err != nil {
		return err
	}
	for _, r := range replicas.Val() {
		if r["flags"] != "slave" || r["role-reported"] != "slave" || r["master-link-status"] != "ok" || r["master-port"] != strconv.Itoa(primary.port) {
			return fmt.Errorf("it takes %s for %s, which reported itself as %s of port %s, link %s",
				r["name"], r["flags"], r["role-reported"], r["master-port"], r["master-link-status"])
		}
	}
	return nil
}

// PrimaryKill ends the primary by SIGKILL. Strike returns at once: the Sentinels take a
// second to notice. Heal waits for the new primary, starts the old server again and
// waits until it follows.
func PrimaryKill(g *Sentinel) Fault {
	f := &simple{state: state{name: "Sentinel: primary killed", unit: "failovers"}}
	var old *Server
	f.begin = func(ctx context.Context) error {
		p, err := g.Primary(ctx)
		if err != nil {
			return err
		}
		if !p.Running() {
			return fmt.Errorf("%w: the primary %s is down already", ErrNoTarget, p.Addr())
		}
		old = p
		return p.Kill()
	}
	failedOver := false
	f.end = func(ctx context.Context) error {
		if !failedOver {
			if _, err := g.awaitPrimary(ctx, old); err != nil {
				return err
			}
			failedOver = true
			f.effects.Add(1)
		}
		if !old.Running() {
			if err := old.Restart(ctx); err != nil {
				return err
			}
		}
		if err := g.awaitWhole(ctx); err != nil {
			return err
		}
		failedOver = false
		return nil
	}
	return f
}

// SentinelFailover makes the Sentinels replace a primary that works (SENTINEL FAILOVER).
// Strike returns when they name the new one; Heal when the old one follows it and all
// Sentinels have seen that, so that it can strike again.
//
// A failover that was begun may come to nothing (-failover-abort-slave-timeout,
// -failover-abort-no-good-slave), which nobody but the Sentinel's log tells: Strike asks
// again as long as the old primary is the primary.
func SentinelFailover(g *Sentinel) Fault {
	f := &simple{state: state{name: "SENTINEL FAILOVER", unit: "failovers"}}
	f.begin = func(ctx context.Context) error {
		old, err := g.Primary(ctx)
		if err != nil {
			return err
		}
		if err := await(ctx, func() error { return g.failOver(ctx, old) }); err != nil {
			return err
		}
		if _, err := g.awaitPrimary(ctx, old); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	f.end = g.awaitWhole
	return f
}

// failOver has the first Sentinel replace the primary old, and returns nil when it has.
// While it is about to, nothing is asked.
func (g *Sentinel) failOver(ctx context.Context, old *Server) error {
	first := g.sentinels[0].client
	master := redis.NewMapStringStringCmd(ctx, "sentinel", "master", sentinelMaster)
	if err := first.Process(ctx, master); err != nil {
		return err
	}
	switch seen := master.Val(); {
	case seen["port"] != strconv.Itoa(old.port):
		return nil
	case strings.Contains(seen["flags"], "failover_in_progress"):
		return fmt.Errorf("%w: it is at %s", errNotYet, seen["failover-state"])
	}
	err := first.Do(ctx, "sentinel", "failover", sentinelMaster).Err()
	if err == nil {
		return fmt.Errorf("%w: asked for", errNotYet)
	}
	if code := err.Error(); strings.HasPrefix(code, "INPROG") || strings.HasPrefix(code, "NOGOODSLAVE") {
		return errors.Join(errNotYet, err)
	}
	return err
}

func addrsOf(servers []*Server) []string {
	var all []string
	for _, s := range servers {
		all = append(all, s.Addr())
	}
	return all
}
