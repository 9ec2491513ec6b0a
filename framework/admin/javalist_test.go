package admin

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A transfer that passes over Java's list while doctor reads it puts entries from the head to
// the end: none of them is told to be missing there.
func TestListIsReadDuringAPass(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, server0.Addr())
	k := queuetest.NewQueue()
	queuetest.FillRandom(t, rdb, k, 1500, func(int) int64 { return time.Now().Add(time.Hour).UnixMilli() })
	reads := lab.Connect(t, server0.Addr())
	reads.AddHook(&passOnce{rdb: rdb, keys: k})
	q := &queue{rdb: reads, keys: k, name: "Q", options: DiagnoseOptions{Walk: 10_000}, now: time.Now()}
	if err := q.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(q.found, func(f Finding) bool { return f.Check == "orphans" }); i >= 0 {
		t.Error(q.found[i].Message)
	}
}

// passOnce puts the first half of the list to its end, once it was read for the first time.
type passOnce struct {
	rdb  *redis.Client
	keys wire.Keys
	once sync.Once
}

func (p *passOnce) DialHook(next redis.DialHook) redis.DialHook { return next }

func (p *passOnce) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (p *passOnce) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if args := cmd.Args(); err == nil && len(args) == 7 && args[4] == p.keys.Pending && args[5] == "" && args[6] == 500 { // the first page
			p.once.Do(func() { err = p.pass(ctx) })
		}
		return err
	}
}

func (p *passOnce) pass(ctx context.Context) error {
	const half = 750
	head, err := p.rdb.LRange(ctx, p.keys.Pending, 0, half-1).Result()
	if err != nil {
		return err
	}
	rest := make([]any, len(head))
	for i, e := range head {
		rest[i] = e
	}
	_, err = p.rdb.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.LTrim(ctx, p.keys.Pending, half, -1)
		pipe.RPush(ctx, p.keys.Pending, rest...)
		return nil
	})
	return err
}
