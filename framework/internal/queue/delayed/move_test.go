package delayed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// args moves everything to a queue.
func args(to wire.Keys, parts int) MoveArgs {
	return MoveArgs{
		To: to.Queue, Parts: parts, Most: math.MaxInt64, Rest: func(ctx context.Context) error { return ctx.Err() },
		Target: func(queue string, n int) ([]wire.Keys, error) {
			keys := make([]wire.Keys, n)
			for i := range keys {
				keys[i] = wire.KeysOf(wire.PartitionName(queue, i))
			}
			return keys, nil
		},
	}
}

// filled offers messages of Go, with keys and without, and of both generations of Java, and pushes
// some. It returns where each is by its bytes: the due time, 0 for ready ones.
func filled(t *testing.T, rdb redis.UniversalClient, k wire.Keys, n int) map[string]float64 {
	t.Helper()
	due := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
	for i := range n {
		payload, at := fmt.Sprintf("%s payload %d", k.Queue, i), due.Add(time.Duration(i%17)*time.Millisecond)
		switch i % 6 {
		case 0:
			queuetest.Put(t, rdb, k, at.UnixMilli(), queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), []byte(payload)))
		case 1:
			queuetest.Put(t, rdb, k, at.UnixMilli(), queuetest.JavaOld(int64(i)<<40, []byte(payload)))
		case 2:
			queuetest.Must[int64](t)(Push(t.Context(), rdb, k, PushArgs{Payload: []byte(payload)}))
		case 3:
			queuetest.Put(t, rdb, k, "inf", []byte("no element "+payload))
		default:
			o := OfferArgs{Payload: []byte(payload), At: at, Trace: []byte(strings.Repeat("t", wire.TraceContextBytes))}
			if i%6 == 4 {
				o.Dedup = Dedup{Key: fmt.Sprint("key", i)}
			}
			queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, o))
		}
	}
	return bodiesIn(t, rdb, k)
}

// bodiesIn returns the messages of queues. One that is there twice fails the test.
func bodiesIn(t *testing.T, rdb redis.UniversalClient, queues ...wire.Keys) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	add := func(body string, due float64) {
		if _, twice := out[body]; twice {
			t.Errorf("twice: %q", body)
		}
		out[body] = due
	}
	for _, k := range queues {
		for _, z := range queuetest.Must[[]redis.Z](t)(rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result()) {
			add(z.Member.(string), z.Score)
		}
		for _, body := range queuetest.Ready(t, rdb, k) {
			add(body, 0)
		}
		list := queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
		if n := queuetest.Must[int64](t)(rdb.ZCard(t.Context(), k.Timeout).Result()); n != int64(len(list)) {
			t.Errorf("%s: %d are pending, %d in Java's list", k.Queue, n, len(list))
		}
	}
	return out
}

// nothing checks that a queue is empty, and that nothing lies aside.
func nothing(t *testing.T, rdb redis.UniversalClient, k wire.Keys) {
	t.Helper()
	for _, key := range []string{k.Queue, k.Timeout, k.Pending, k.Moving, k.Control, k.Attempts, k.MessageNames, k.IDs, k.Trace} {
		if rdb.Exists(t.Context(), key).Val() != 0 {
			t.Errorf("%s is left", key)
		}
	}
}

// Each message comes with its bytes and its due time, once; what is known of it comes along.
func TestMove(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	from, to, ctx := queuetest.NewQueue(), queuetest.NewQueue(), t.Context()
	want := filled(t, rdb, from, 503)
	maps.Copy(want, filled(t, rdb, to, 7))
	order := queuetest.Ready(t, rdb, from)
	key := queuetest.Must[PendingMessage](t)(Get(ctx, rdb, from, ChangeArgs{Key: "key10"}, false))
	calls, traces := 0, rdb.ZCard(ctx, from.Trace).Val()
	a := args(to, 1)
	a.Progress = func(MoveCount) { calls++ }
	done, err := MoveAll(ctx, rdb, from, a)
	if err != nil || done.Moved != 503 || done.There != 0 || done.Before != 0 || calls < 6 {
		t.Errorf("%+v %v in %d batches", done, err, calls)
	}
	if got := bodiesIn(t, rdb, to); !maps.Equal(got, want) {
		t.Errorf("%d messages, want %d", len(got), len(want))
	}
	if got := queuetest.Ready(t, rdb, to); !slices.Equal(got[len(got)-len(order):], order) {
		t.Error("the order of what is ready changed")
	}
	for i, r := range queuetest.DueRecords(t, rdb, to, queuetest.Ready(t, rdb, to)...) {
		if r.DueMs <= 0 {
			t.Errorf("ready message %d: its due time is not known", i)
		}
	}
	nothing(t, rdb, from)
	if got, err := Get(ctx, rdb, to, ChangeArgs{Key: "key10"}, false); err != nil || got.Text != key.Text {
		t.Errorf("by its key: %+v %v, want %+v", got, err, key)
	}
	if n := rdb.ZCard(ctx, to.Trace).Val(); n != traces+2 {
		t.Errorf("%d traces, want %d", n, traces+2)
	}
}

// errCut stands for the end of the process, or of the connection.
var errCut = errors.New("cut")

// cut is a client whose process dies at its n-th call: before it is sent, or before its reply is read.
type cut struct {
	mu   sync.Mutex
	left int
	sent bool
}

func (c *cut) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *cut) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (c *cut) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.mu.Lock()
		c.left--
		dead := c.left <= 0
		first := c.left == 0
		c.mu.Unlock()
		if dead && (!first || !c.sent) {
			cmd.SetErr(errCut)
			return errCut
		}
		err := next(ctx, cmd)
		if dead {
			cmd.SetErr(errCut)
			return errCut
		}
		return err
	}
}

// Wherever the process dies, another run ends with each message once.
func TestMoveKilledAtEachStep(t *testing.T) {
	t.Parallel()
	for _, sent := range []bool{false, true} {
		t.Run(fmt.Sprintf("sent=%v", sent), func(t *testing.T) {
			t.Parallel()
			for n, ended := 1, false; !ended; n++ {
				rdb := lab.Connect(t, lab.Shared.Addr())
				from, to, other := queuetest.NewQueue(), queuetest.NewQueue(), queuetest.NewQueue()
				want := filled(t, rdb, from, 130)
				killed := lab.Connect(t, lab.Shared.Addr())
				killed.AddHook(&cut{left: n, sent: sent})
				_, err := MoveAll(t.Context(), killed, from, args(to, 3))
				if ended = err == nil; !ended && !errors.Is(err, errCut) {
					t.Fatal(err)
				}
				targets := queuetest.Must[[]wire.Keys](t)(args(to, 3).Target(to.Queue, 3))
				// Another run moves what is left, though to another queue: what was put aside goes where
				// it was meant to go.
				done := queuetest.Must[MoveCount](t)(MoveAll(t.Context(), rdb, from, args(other, 1)))
				if got := bodiesIn(t, rdb, append(targets, other)...); !maps.Equal(got, want) {
					t.Fatalf("killed at call %d: %d messages, want %d, %+v", n, len(got), len(want), done)
				}
				if done.Before > 0 && done.BeforeTo != to.Queue {
					t.Errorf("%+v", done)
				}
				nothing(t, rdb, from)
			}
		})
	}
}

// Several at a time, one of them late with a batch that is long done, move each message once.
func TestMovesAtATime(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	from, to := queuetest.NewQueue(), queuetest.NewQueue()
	want := filled(t, rdb, from, 400)
	late, err := claim(t.Context(), rdb, from, newHeader(to.Queue, 1), moveMost)
	if err != nil || len(late.messages) != moveMost {
		t.Fatal(len(late.messages), err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := MoveAll(t.Context(), rdb, from, args(to, 1)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	moved, _, err := finish(t.Context(), rdb, from, late, args(to, 1).Target)
	if got := bodiesIn(t, rdb, to); err != nil || moved != moveMost || !maps.Equal(got, want) {
		t.Errorf("%d messages, want %d, %d %v", len(got), len(want), moved, err)
	}
	nothing(t, rdb, from)
}

// A queue that cannot take them is found before anything is put aside, and a full Redis loses nothing.
func TestMoveRefused(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	from, to := queuetest.NewQueue(), queuetest.NewQueue()
	want := filled(t, rdb, from, 60)
	rdb.Set(t.Context(), to.Due, "text", 0)
	if _, err := MoveAll(t.Context(), rdb, from, args(to, 1)); err == nil || !strings.Contains(err.Error(), to.Due) {
		t.Errorf("a key of another type: %v", err)
	}
	rdb.Del(t.Context(), to.Due)
	rdb.ConfigSet(t.Context(), "maxmemory", "1")
	if _, err := MoveAll(t.Context(), rdb, from, args(to, 1)); err == nil {
		t.Error("a full Redis moved messages")
	}
	if got := bodiesIn(t, rdb, from); !maps.Equal(got, want) {
		t.Errorf("%d messages, want %d", len(got), len(want))
	}
	rdb.ConfigSet(t.Context(), "maxmemory", "0")
	if done, err := MoveAll(t.Context(), rdb, from, args(to, 1)); err != nil || done.Moved != 60 {
		t.Errorf("%+v %v", done, err)
	}
}

// The two queues may lie on different nodes.
func TestMoveOnACluster(t *testing.T) {
	t.Parallel()
	rdb := lab.StartCluster(t).Client()
	node := func(k wire.Keys) string {
		return redisapi.OptionsOf(queuetest.Must[redisapi.Client](t)(redisapi.Node(t.Context(), rdb, k.Queue))).Addr
	}
	from, to := queuetest.NewQueue(), queuetest.NewQueue()
	for node(from) == node(to) {
		to = queuetest.NewQueue()
	}
	want := filled(t, rdb, from, 250)
	done, err := MoveAll(t.Context(), rdb, from, args(to, 1))
	if got := bodiesIn(t, rdb, to); err != nil || done.Moved != 250 || !maps.Equal(got, want) {
		t.Errorf("%d messages, want %d, %+v %v", len(got), len(want), done, err)
	}
}

// Each script does on the embedded server what it does on Redis.
func TestMoveOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, from, to := queuetest.Twin(t), queuetest.NewQueue(), queuetest.NewQueue()
	filled(t, rdb, from, 130)
	for range 2 {
		queuetest.Must[MoveCount](t)(MoveAll(t.Context(), rdb, from, args(to, 2)))
	}
}
