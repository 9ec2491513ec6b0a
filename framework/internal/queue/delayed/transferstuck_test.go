package delayed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Where the dead store takes nothing, what is malformed is passed by in large steps, and
// each transfer reaches the messages behind.
func TestTransferPassesByWhatIsStuck(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin, rdb := srv.Client(), lab.AsUser(t, srv, "-xadd")
	for _, noView := range []bool{false, true} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, admin)
		pipe := admin.Pipeline()
		for i := range 2000 {
			garbage := fmt.Sprintf("garbage %d", i)
			pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(now - 1000), Member: garbage})
			pipe.RPush(t.Context(), k.Pending, garbage)
		}
		queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
		queuetest.Put(t, admin, k, now-10, wire.Pack(wire.NewIDs().Next(), []byte("message")))
		if err := admin.ConfigResetStat(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: 1000, NoView: noView, budget: patient}))
		if r.Moved != 1 || r.Malformed != 0 || r.DeadErr == nil || strings.Join(queuetest.Ready(t, admin, k), " ") != "message" {
			t.Errorf("no view %v: %+v", noView, r)
		}
		if n := lab.Commands(t, admin)["zrangebyscore"].Calls; n < 1 || n > 40 {
			t.Errorf("no view %v: %d looks at the set", noView, n)
		}
	}
}

// Of a server that stops the clock of TIME in scripts and tells the processor's time, the
// first walk is timed, too: one that takes all the time is the only one.
func TestTransferTimesTheFirstWalk(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	queuetest.FillRandom(t, rdb, k, 1200, func(i int) int64 { return now - 5 - int64(i*7919%1009) + int64(i/300)*3_600_000 })
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
	value, err := script.New("transfer/exact", source).Run(t.Context(), rdb, call.Keys, call.Args...)
	if err != nil {
		t.Fatal(err)
	}
	r := queuetest.Must[TransferResult](t)(parseTransfer(call.Script, value, 0))
	if r.Moved != 1 || r.Walks != 1 || !r.More() {
		t.Errorf("%+v", r)
	}
}
