package fault_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// impatient is a client that gives a silent connection up after a fifth of a second.
func impatient(s *lab.Server, addr string) *redis.Client {
	return s.NewClient(func(o *redis.Options) { o.Addr, o.ReadTimeout = addr, 200*time.Millisecond })
}

// strikes begins and ends a fault around a look at what it harms: the look must fail while the
// fault holds, and succeed before and after.
func strikes(t *testing.T, f fault.Fault, look func() error) {
	t.Helper()
	noError(t, look())
	f.Begin()
	if look() == nil {
		t.Errorf("%s: all is well while it holds", f.Name)
	}
	f.End()
	lab.WaitFor(t, f.Name+" to end", func() bool { return look() == nil })
	if f.Effects() == 0 {
		t.Errorf("%s counts no effect", f.Name)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRedisFaults(t *testing.T) {
	t.Parallel()
	s := lab.StartRedis(t, lab.AppendOnly())
	rdb := impatient(s, s.Addr())
	noError(t, rdb.Set(t.Context(), "kept", "1", 0).Err())
	for _, f := range []fault.Fault{fault.Kill(s), fault.Pause(s), fault.FullMemory(t, s)} {
		strikes(t, f, func() error { return rdb.Set(t.Context(), "k", "v", 0).Err() })
	}
	noError(t, rdb.Get(t.Context(), "kept").Err())
}

func TestConnectionFaults(t *testing.T) {
	t.Parallel()
	s := lab.StartRedis(t)
	p := lab.StartProxy(t, s.Addr())
	rdb := impatient(s, p.Addr())
	for _, f := range []fault.Fault{fault.Mute(p), fault.Hold(p), fault.Cut(p)} {
		strikes(t, f, func() error { return rdb.Ping(t.Context()).Err() })
	}
}

// TestLostReplies loses replies with a mark in each way; the command was executed.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	s := lab.StartRedis(t)
	p := fault.StartLossy(t, s.Addr(), 1)
	rdb := impatient(s, p.Addr())
	for i, how := range []fault.How{fault.Broken, fault.Hanging, fault.CutOff} {
		noError(t, s.Client().RPush(t.Context(), "list", "a", "with a mark", "b").Err())
		f := p.Lose("a mark", 1, how)
		f.Begin()
		noError(t, rdb.LPop(t.Context(), "list").Err())
		if got, err := rdb.LPop(t.Context(), "list").Result(); err == nil {
			t.Errorf("%v: the reply came: %q", how, got)
		}
		noError(t, rdb.LPop(t.Context(), "list").Err())
		f.End()
		if left, err := s.Client().LLen(t.Context(), "list").Result(); err != nil || left != 0 {
			t.Errorf("%v: %d elements are left, %v", how, left, err)
		}
		if n := f.Effects(); n != 1 {
			t.Errorf("%v: %d replies lost in turn %d, want 1", how, n, i)
		}
	}
}

func TestClusterFaults(t *testing.T) {
	t.Parallel()
	c := lab.StartCluster(t, lab.AppendOnly())
	for _, key := range []string{"{q}:a", "{q}:b", "{q}:c", "{q}:d"} {
		noError(t, c.Client().Set(t.Context(), key, "1", 0).Err())
	}
	both := func() error { return c.Nodes()[0].NewClient(nil).Get(t.Context(), "{q}:a").Err() }
	before := fault.Owner(t, c, "{q}:a")
	move := fault.SlotMove(t, c, "{q}:a")
	move.Begin()
	_ = both() // one node or the other sends it elsewhere
	move.End()
	if after := fault.Owner(t, c, "{q}:a"); after == before || move.Effects() == 0 {
		t.Errorf("the slot is on node %d as before, or nobody was redirected (%d)", after, move.Effects())
	}
	owner := c.Nodes()[fault.Owner(t, c, "{q}:a")]
	strikes(t, fault.NodeKill(t, c, "{q}:a"), func() error { return owner.Client().Get(t.Context(), "{q}:a").Err() })
	for _, key := range []string{"{q}:a", "{q}:b", "{q}:c", "{q}:d"} {
		lab.WaitFor(t, "key "+key, func() bool { return c.Client().Get(t.Context(), key).Err() == nil })
	}
}

// TestLaggingFailover: what the replica had not got is gone after the failover.
func TestLaggingFailover(t *testing.T) {
	t.Parallel()
	g := lab.StartSentinel(t, lab.AppendOnly())
	write := func(key string) error { return g.Client().Set(t.Context(), key, "1", 0).Err() }
	noError(t, write("before"))
	noError(t, g.Client().Wait(t.Context(), 1, 0).Err())
	cut, kill := fault.CutReplication(t, g), fault.PrimaryKill(t, g)
	cut.Begin()
	noError(t, write("behind"))
	cut.End()
	kill.Begin()
	kill.End()
	lab.WaitFor(t, "a write to the new primary", func() bool { return write("after") == nil })
	want := int64(1)
	if kill.Effects()%2 == 0 {
		want = 2 // the old server is the primary again
	}
	if n, err := g.Client().Exists(t.Context(), "before", "behind").Result(); err != nil || n != want || cut.Effects() == 0 || kill.Effects() == 0 {
		t.Errorf("%d of the keys before and behind the cut exist, %v; want %d after %d failovers; the replica lacked %d bytes", n, err, want, kill.Effects(), cut.Effects())
	}
}

func TestRedisClock(t *testing.T) {
	t.Parallel()
	c := fault.NewClock(t)
	s := lab.StartRedis(t, lab.Env(c.Env()...))
	jump := c.Jump(t, s, -time.Minute)
	jump.Begin()
	got, err := s.Client().Time(t.Context()).Result()
	if err != nil || time.Until(got) > -50*time.Second {
		t.Errorf("the clock is %v ahead, %v; want a minute behind", time.Until(got), err)
	}
	jump.End()
}

func TestJavaClock(t *testing.T) {
	t.Parallel()
	if env := strings.Join(fault.JavaClock(t, -10*time.Second), " "); !strings.Contains(env, "FAKETIME=-10.000 ") {
		t.Errorf("environment %q", env)
	}
	for _, v := range fault.JavaClock(t, time.Second) {
		if name, library, _ := strings.Cut(v, "="); name == "LD_PRELOAD" {
			_, err := os.Stat(library)
			noError(t, err)
		}
	}
}

// TestPoison puts pieces that are all different where they belong, at each turn others.
func TestPoison(t *testing.T) {
	t.Parallel()
	s := lab.StartRedis(t)
	p := fault.NewPoison(t, s.Client(), "q", 1)
	p.Begin()
	p.Begin()
	seen := map[string]bool{}
	for _, bad := range p.Injected {
		if seen[string(bad.Body)] {
			t.Errorf("%s comes twice", bad.Kind)
		}
		seen[string(bad.Body)] = true
	}
	ready, err := s.Client().LLen(t.Context(), "q").Result()
	noError(t, err)
	timeout, err := s.Client().ZCard(t.Context(), "redisson_delay_queue_timeout:{q}").Result()
	noError(t, err)
	if int(ready+timeout) != len(p.Injected) || ready == 0 || timeout == 0 || p.Effects() != len(seen) {
		t.Errorf("%d ready and %d delayed of %d", ready, timeout, len(p.Injected))
	}
}
