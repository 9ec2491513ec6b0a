package lease

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// From its first wait on, takes and waits of a session go over one connection, and its
// number is that of the wait: an interruption that named another connection would not end
// it. Disconnected, the session goes on taking without it.
func TestSessionUsesOneConnection(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	opt := &redis.Options{Addr: srv.Addr(), ClientName: "lane", MaxRetries: -1}
	template := redis.NewClient(opt)
	t.Cleanup(func() { _ = template.Close() })
	s, err := New(template, srv.Client(), wire.KeysOf("q"), Options{})
	must(t, err)
	wantConnections := func(want int) {
		t.Helper()
		list := ""
		lab.WaitFor(t, "connections that are closed", func() bool {
			list = srv.Client().ClientList(t.Context()).Val()
			return strings.Count(list, " name=lane ") <= want
		})
		if n := strings.Count(list, " name=lane "); n != want {
			t.Errorf("%d connections, want %d:\n%s", n, want, list)
		}
	}
	for range 2 {
		done := waiting(t.Context(), t, s)
		wantConnections(1)
		must(t, s.Unblock(t.Context()))
		must(t, <-done)
		take(t, s, 1)
	}
	wantConnections(1)
	s.Disconnect()
	wantConnections(0)
	take(t, s, 1)
	wantConnections(1) // one of the client's
	done := waiting(t.Context(), t, s)
	wantConnections(2)
	must(t, s.Unblock(t.Context()))
	must(t, <-done)
}

// A user who may not say CLIENT can neither learn the connection's number nor end a
// block: the connection is closed then. On Redis 6.2 that is everybody without the
// dangerous commands.
func TestUnblockWithoutClient(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	must(t, srv.Client().Do(t.Context(), "acl", "setuser", "bare", "on", ">pw", "~*", "&*", "+@all", "-client").Err())
	rdb := redis.NewClient(&redis.Options{
		Addr: srv.Addr(), Username: "bare", Password: "pw", MaxRetries: -1, DisableIdentity: true,
	})
	t.Cleanup(func() { _ = rdb.Close() })
	e := &env{rdb: rdb, keys: newKeys()}
	s := e.session(t, Options{})
	for range 2 { // the second over a new connection
		done := waiting(t.Context(), t, s)
		must(t, s.Unblock(t.Context()))
		must(t, <-done)
	}
	lab.WaitFor(t, "redis notices the end of the connection", func() bool {
		return srv.Client().InfoMap(t.Context(), "clients").Item("Clients", "blocked_clients") == "0"
	})
	e.push(t, "a")
	wantBodies(t, take(t, s, 1), "a")
}

// TestWaitReadsUntilTheBlockIsOver: a wait over a connection that went silent holds what lands
// for it, so it ends one read timeout after its block and no later.
func TestWaitReadsUntilTheBlockIsOver(t *testing.T) {
	t.Parallel()
	for read, want := range map[time.Duration]time.Duration{
		time.Millisecond:        5*time.Second + blockSlack,
		1500 * time.Millisecond: 6500 * time.Millisecond,
		3 * time.Second:         8 * time.Second,
		30 * time.Second:        35 * time.Second,
	} {
		node := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", ReadTimeout: read})
		ln := openLane(node, 5*time.Second)
		if got := ln.wait.(*redis.Client).Options().ReadTimeout; got != want {
			t.Errorf("read timeout %v: the wait reads for %v, want %v", read, got, want)
		}
		must(t, errors.Join(ln.take.Close(), node.Close()))
	}
}
