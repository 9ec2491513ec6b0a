package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

func TestServerFaultsKeepData(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fsync fault.Fsync
		fault func(*fault.Server) fault.Fault
		kept  bool
	}{
		"kill, always":     {fault.Always, fault.RedisKill, true},
		"kill, everysec":   {fault.EverySec, fault.RedisKill, true}, // written before the reply: only a host's death loses a second
		"kill, no file":    {fault.Nothing, fault.RedisKill, false},
		"restart, always":  {fault.Always, fault.RedisRestart, true},
		"restart, no file": {fault.Nothing, fault.RedisRestart, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			srv := startServer(t, fault.ServerOptions{Fsync: tc.fsync})
			rdb, addr, pid := srv.Client(), srv.Addr(), srv.Pid()
			noError(t, rdb.RPush(ctx, "list", "a", "b").Err())
			f := tc.fault(srv)
			strike(t, f)
			if srv.Running() || rdb.Ping(ctx).Err() == nil {
				t.Error("the server still serves")
			}
			heal(t, f)
			if srv.Addr() != addr || srv.Pid() == pid {
				t.Errorf("serves on %s as %d, was %s as %d", srv.Addr(), srv.Pid(), addr, pid)
			}
			if n, err := rdb.LLen(ctx, "list").Result(); err != nil || (n == 2) != tc.kept {
				t.Errorf("the list has %d entries (%v), kept: %v", n, err, tc.kept)
			}
			wantTally(t, f, 1, 1)
		})
	}
}

func TestScriptFlush(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	f := fault.ScriptFlush(srv)
	if err := f.Strike(ctx); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("a server without scripts: %v, want ErrNoTarget", err)
	}
	sha, err := srv.Client().ScriptLoad(ctx, "return 1").Result()
	noError(t, err, f.Strike(ctx))
	wantRefused(t, srv.Client().EvalSha(ctx, sha, nil).Err(), "NOSCRIPT")
	heal(t, f)
	wantTally(t, f, 1, 1)
}

// TestRefusals: what is refused while the fault holds, and that all is as before after it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	pop := redis.NewScript("return redis.call('LPOP', KEYS[1])")
	for name, tc := range map[string]struct {
		fault func(t *testing.T) (fault.Fault, *fault.Server)
		code  string
		pops  bool // removing is still allowed
	}{
		"full memory": {func(t *testing.T) (fault.Fault, *fault.Server) {
			srv := startServer(t, fault.ServerOptions{})
			return fault.FullMemory(srv), srv
		}, "OOM", true},
		"no replicas": {func(t *testing.T) (fault.Fault, *fault.Server) {
			srv := startServer(t, fault.ServerOptions{})
			return fault.NoReplicas(srv), srv
		}, "NOREPLICAS", false},
		"read only": {func(t *testing.T) (fault.Fault, *fault.Server) {
			pair, err := fault.StartPair(bounded(t), fault.ServerOptions{})
			noError(t, err)
			t.Cleanup(func() { closed(t, pair) })
			return fault.ReadOnly(pair), pair.Primary
		}, "READONLY", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			f, srv := tc.fault(t)
			rdb := srv.Client()
			for round := range 2 {
				noError(t, rdb.Del(ctx, "list").Err(), rdb.RPush(ctx, "list", "a", "b", "c").Err())
				strike(t, f)
				wantRefused(t, rdb.RPush(ctx, "list", "d").Err(), tc.code)
				wantRefused(t, rdb.RPush(ctx, "list", "e").Err(), tc.code)
				left := int64(3)
				if tc.pops {
					noError(t, pop.Run(ctx, rdb, []string{"list"}).Err())
					left--
				}
				if n, err := rdb.LLen(ctx, "list").Result(); err != nil || n != left {
					t.Errorf("reading: %d, %v", n, err)
				}
				heal(t, f)
				wantTally(t, f, round+1, 2*(round+1))
				noError(t, rdb.RPush(ctx, "list", "f").Err())
				if n, err := rdb.LLen(ctx, "list").Result(); err != nil || n != left+1 {
					t.Errorf("after it: %d, %v, want %d", n, err, left+1)
				}
			}
		})
	}
}

// TestReadOnlyThrowsBlockedOut: a blocked client of the demoted server is told so.
func TestReadOnlyThrowsBlockedOut(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	pair, err := fault.StartPair(ctx, fault.ServerOptions{})
	noError(t, err)
	t.Cleanup(func() { closed(t, pair) })
	blocked := make(chan error, 1)
	go func() { blocked <- pair.Primary.Client().BLPop(ctx, 0, "list").Err() }()
	awaitField(t, pair.Primary, "clients", "blocked_clients", "1")
	f := fault.ReadOnly(pair)
	strike(t, f)
	wantRefused(t, <-blocked, "UNBLOCKED")
	heal(t, f)
	noError(t, pair.Primary.Client().RPush(ctx, "list", "a").Err())
}

func TestWrongType(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	rdb := srv.Client()
	// What a script of the project answers that checks the types itself.
	checked := redis.NewScript("return redis.error_reply('WRONGTYPE ' .. KEYS[1])")
	for _, queue := range []string{"plain", "with{tag}inside"} {
		keys := fault.KeysOf(queue)
		for _, key := range []string{keys.Ready, keys.Pending, keys.Due} {
			noError(t, rdb.RPush(ctx, key, "a", "b").Err())
			f := fault.WrongType(rdb, key)
			strike(t, f)
			wantRefused(t, rdb.RPush(ctx, key, "c").Err(), "WRONGTYPE")
			wantRefused(t, checked.Run(ctx, rdb, []string{key}).Err(), "WRONGTYPE")
			heal(t, f)
			if got, err := rdb.LRange(ctx, key, 0, -1).Result(); err != nil || fmt.Sprint(got) != "[a b]" {
				t.Errorf("%s after it: %v, %v", key, got, err)
			}
			wantTally(t, f, 1, 2)
		}
		// A key that was not there is not there afterwards.
		f := fault.WrongType(rdb, keys.Timeout)
		strike(t, f)
		wantRefused(t, rdb.ZCard(ctx, keys.Timeout).Err(), "WRONGTYPE")
		heal(t, f)
		if n := rdb.Exists(ctx, keys.Timeout).Val(); n != 0 {
			t.Errorf("%s exists after it", keys.Timeout)
		}
	}
	if left := rdb.Keys(ctx, "*aside*").Val(); len(left) != 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestWrongTypeKeepsWhatSomebodyWrote: healing must not destroy a value that came meanwhile.
func TestWrongTypeKeepsWhatSomebodyWrote(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	rdb := startServer(t, fault.ServerOptions{Fsync: fault.Nothing}).Client()
	noError(t, rdb.RPush(ctx, "q", "old").Err())
	f := fault.WrongType(rdb, "q")
	strike(t, f)
	noError(t, rdb.Del(ctx, "q").Err(), rdb.RPush(ctx, "q", "new").Err())
	if err := f.Heal(ctx); err == nil {
		t.Error("healed over a value that somebody wrote")
	}
	if got := rdb.LRange(ctx, "q", 0, -1).Val(); fmt.Sprint(got) != "[new]" {
		t.Errorf("q = %v", got)
	}
	noError(t, rdb.Del(ctx, "q").Err(), f.Heal(ctx))
	if got := rdb.LRange(ctx, "q", 0, -1).Val(); fmt.Sprint(got) != "[old]" {
		t.Errorf("q = %v", got)
	}
}
