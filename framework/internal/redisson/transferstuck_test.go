package redisson

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// Where the dead store takes nothing, what is malformed is passed by in large steps, and
// each transfer reaches the messages behind.
func TestTransferPassesByWhatIsStuck(t *testing.T) {
	t.Parallel()
	srv := redisserver.Start(t)
	admin, rdb := srv.Client(), asUser(t, srv, "-xadd")
	for _, view := range []View{ViewExact, ViewLazy} {
		k, now := newQueue(), nowMs(t, admin)
		pipe := admin.Pipeline()
		for i := range 2000 {
			garbage := fmt.Sprintf("garbage %d", i)
			pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(now - 1000), Member: garbage})
			pipe.RPush(t.Context(), k.Pending, garbage)
		}
		must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
		put(t, admin, k, now-10, Pack(NewIDs().Next(), []byte("message")))
		if err := admin.ConfigResetStat(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		r := must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: 1000, View: view, budget: patient}))
		if r.Moved != 1 || r.Malformed != 0 || r.DeadErr == nil || strings.Join(ready(t, admin, k), " ") != "message" {
			t.Errorf("%v: %+v", view, r)
		}
		if n := calls(t, admin, "zrangebyscore"); n < 1 || n > 40 {
			t.Errorf("%v: %d looks at the set", view, n)
		}
	}
}

// calls returns how often the server has executed a command.
func calls(t *testing.T, rdb *redis.Client, command string) int {
	t.Helper()
	_, rest, _ := strings.Cut(must[string](t)(rdb.Info(t.Context(), "commandstats").Result()), "cmdstat_"+command+":calls=")
	n := 0
	_, _ = fmt.Sscanf(rest, "%d", &n)
	return n
}

// Of a server that stops the clock of TIME in scripts and tells the processor's time, the
// first walk is timed, too: one that takes all the time is the only one.
func TestTransferTimesTheFirstWalk(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, now := newQueue(), nowMs(t, s.rdb)
		fillRandom(t, s.rdb, k, 1200, func(i int) int64 { return now - 5 - int64(i*7919%1009) })
		call := transferCall(k, TransferArgs{Limit: 1000})
		// By this clock each walk takes a second.
		source := call.Script.Source()
		for standing, ticking := range map[string]string{
			"if spent > 0 then\n      return spent": "if false then\n      return spent",
			"pcall(function() return os.clock end)": "true, function() return -redis.call('LLEN', KEYS[2]) end",
		} {
			if strings.Count(source, standing) != 1 {
				t.Fatalf("not once: %s", standing)
			}
			source = strings.Replace(source, standing, ticking, 1)
		}
		value, err := script.New("transfer/exact", source).Run(t.Context(), s.rdb, call.Keys, call.Args...)
		if err != nil {
			t.Fatal(err)
		}
		r := must[TransferResult](t)(parseTransfer(call.Script, value, 0))
		if r.Moved != 1 || r.Walks != 1 || !r.More() {
			t.Errorf("%+v", r)
		}
	})
}
