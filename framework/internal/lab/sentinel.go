package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

const (
	sentinelMaster = "duequeue-test"
	sentinelCount  = 3
)

// Sentinel is a group of three Sentinels that watch a master with one replica, all
// on loopback. A master that is silent for three seconds is replaced.
type Sentinel struct {
	master, replica *Server
	sentinels       []*Server
	client          *redis.Client
}

// StartSentinel runs such a group for the duration of the test and returns when all
// Sentinels know one another and the replica. The options apply to master and
// replica.
func StartSentinel(tb testing.TB, opts ...Option) *Sentinel {
	tb.Helper()
	opts = append([]Option{Args("--repl-diskless-sync-delay", "0")}, opts...)
	g := &Sentinel{master: StartRedis(tb, opts...)}
	follow := []Option{Args("--replicaof", "127.0.0.1", strconv.Itoa(g.master.Port()))}
	if pw := g.master.set.password; pw != "" {
		follow = append(follow, Args("--masterauth", pw))
	}
	g.replica = StartRedis(tb, append(follow, opts...)...)
	for range sentinelCount {
		g.sentinels = append(g.sentinels, StartRedis(tb, watch(g.master, newSettings(opts).sentinelPassword)))
	}
	if err := await(tb.Context().Done(), pollEvery, func() string { return g.missing(tb.Context()) }); err != nil {
		tb.Fatalf("lab: form the Sentinel group: %v", err)
	}
	g.client = redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: sentinelMaster, SentinelAddrs: g.Addrs(), Password: g.master.set.password,
		SentinelPassword: newSettings(opts).sentinelPassword, DisableIdentity: true,
	})
	tb.Cleanup(func() { _ = g.client.Close() }) // a test may have closed it itself
	return g
}

// MasterName is the name under which the Sentinels know the master.
func (g *Sentinel) MasterName() string { return sentinelMaster }

// Addrs are the addresses of the Sentinels as host:port.
func (g *Sentinel) Addrs() []string {
	var addrs []string
	for _, s := range g.sentinels {
		addrs = append(addrs, s.Addr())
	}
	return addrs
}

// Master is the server that was the master at the start.
func (g *Sentinel) Master() *Server { return g.master }

// Replica is the server that was the replica at the start.
func (g *Sentinel) Replica() *Server { return g.replica }

// Client returns a client that follows the master, the same one at each call; it is
// closed when the test ends.
func (g *Sentinel) Client() *redis.Client { return g.client }

// missing names the first Sentinel that lacks its quorum or a healthy replica.
func (g *Sentinel) missing(ctx context.Context) string {
	for _, s := range g.sentinels {
		want := fmt.Sprintf("status=ok,address=%s,slaves=1,sentinels=%d", g.master.Addr(), sentinelCount)
		if info, err := s.Client().Info(ctx, "sentinel").Result(); err != nil || !strings.Contains(info, want) {
			return fmt.Sprintf("%s lacks %q in\n%s%v", s.Addr(), want, info, err)
		}
	}
	if link, err := g.replica.Client().Info(ctx, "replication").Result(); err != nil || !strings.Contains(link, "master_link_status:up") {
		return fmt.Sprintf("%s does not follow yet: %v", g.replica.Addr(), err)
	}
	return ""
}

// watch makes a server a Sentinel of a master.
func watch(master *Server, password string) Option {
	text := fmt.Sprintf("bind 127.0.0.1\nsentinel monitor %s 127.0.0.1 %d 2\n", sentinelMaster, master.Port())
	if pw := master.set.password; pw != "" {
		text += fmt.Sprintf("sentinel auth-pass %s %s\n", sentinelMaster, pw)
	}
	text += fmt.Sprintf("sentinel down-after-milliseconds %[1]s 3000\nsentinel failover-timeout %[1]s 5000\n", sentinelMaster)
	if password != "" {
		text += fmt.Sprintf("requirepass %[1]s\nsentinel sentinel-pass %[1]s\n", password)
	}
	return func(s *settings) {
		s.sentinel = text
		if password != "" {
			s.password = password
		}
	}
}

func (s *Server) sentinelFile() string { return filepath.Join(s.dir, "sentinel.conf") }

// writeSentinelFile writes the configuration that the Sentinel then keeps itself.
func (s *Server) writeSentinelFile() error {
	if s.set.sentinel == "" {
		return nil
	}
	text := s.set.sentinel + fmt.Sprintf("dir %q\n", s.dir)
	return os.WriteFile(s.sentinelFile(), []byte(text), 0o600)
}
