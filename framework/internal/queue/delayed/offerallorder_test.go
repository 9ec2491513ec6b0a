package delayed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// spoiler answers single calls in the place of Redis.
type spoiler struct {
	mu     sync.Mutex
	spoil  func(call int) error // called for each script call, in the order of sending
	before func(pipeline int)   // a call that goes alone is one, too
	sent   int
	pipes  int
}

func (s *spoiler) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *spoiler) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "evalsha" && cmd.Name() != "eval" {
			return next(ctx, cmd)
		}
		return s.pass([]redis.Cmder{cmd}, func([]redis.Cmder) error { return next(ctx, cmd) })
	}
}

func (s *spoiler) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return s.pass(cmds, func(cmds []redis.Cmder) error { return next(ctx, cmds) })
	}
}

func (s *spoiler) pass(cmds []redis.Cmder, send func(cmds []redis.Cmder) error) error {
	s.mu.Lock()
	pipe := s.pipes
	s.pipes++
	var spoilt, through []redis.Cmder
	for _, cmd := range cmds {
		var err error
		if s.spoil != nil {
			err = s.spoil(s.sent)
		}
		if s.sent++; err != nil {
			cmd.SetErr(err)
			spoilt = append(spoilt, cmd)
		} else {
			through = append(through, cmd)
		}
	}
	s.mu.Unlock()
	if s.before != nil {
		s.before(pipe)
	}
	var err error
	if len(through) > 0 {
		err = send(through)
	}
	if len(spoilt) > 0 {
		err = errors.Join(err, spoilt[0].Err())
	}
	return err
}

// spoiled returns a further client of the same server whose calls pass p.
func spoiled(t *testing.T, rdb *redis.Client, p *spoiler) *redis.Client {
	t.Helper()
	rdb = lab.Connect(t, rdb.Options().Addr)
	rdb.AddHook(p)
	return rdb
}

// refusal is an answer of Redis that ends a call.
type refusal string

func (e refusal) Error() string { return string(e) }
func (refusal) RedisError()     {}

// bodies returns the payloads of elements.
func bodies(t *testing.T, elements []string) []string {
	t.Helper()
	var out []string
	for _, e := range elements {
		_, payload, err := wire.Parse([]byte(e), true)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(payload))
	}
	return out
}

// Whatever pipelines are lost or answered with an error, each message is reported once
// and in its place, is in Redis exactly when its outcome says so, and the list has them in
// order where nothing had to be sent again.
func TestOfferAllProperty(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, bulkItems+allItems).Draw(rt, "messages")
		dues := rapid.IntRange(1, 12).Draw(rt, "due times")
		keyedEvery := rapid.SampledFrom([]int{0, 0, 50, 300}).Draw(rt, "one of them with a key")
		final := rapid.SliceOfN(rapid.IntRange(0, 7), 0, 2).Draw(rt, "calls refused for good")
		again := rapid.SliceOfN(rapid.IntRange(0, 7), 0, 2).Draw(rt, "calls refused for now")
		k := queuetest.NewQueue()
		p := &spoiler{spoil: func(call int) error {
			switch {
			case slices.Contains(final, call):
				return refusal("OOM command not allowed when used memory > 'maxmemory'.")
			case slices.Contains(again, call):
				return refusal("LOADING Redis is loading the dataset in memory")
			}
			return nil
		}}
		at := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
		out := all(t, spoiled(t, rdb, p), k, numbered(n, func(i int) OfferArgs {
			a := OfferArgs{At: at.Add(time.Duration(i%dues) * time.Second)}
			if keyedEvery > 0 && i%keyedEvery == 0 {
				a.Dedup = Dedup{Key: strconv.Itoa(i)}
			}
			return a
		}))
		var in []string
		for i, o := range out {
			if o.err == nil {
				in = append(in, strconv.Itoa(i))
				if want := at.UnixMilli() + int64(i%dues)*1000; o.result.DueMs != want {
					rt.Fatalf("%d is due at %d, want %d", i, o.result.DueMs, want)
				}
			} else if full := (*fault.ServerError)(nil); !errors.As(o.err, &full) || full.Kind != fault.KindOutOfMemory {
				rt.Fatalf("%d: %v", i, o.err)
			}
		}
		got := bodies(t, queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result()))
		if len(again) > 0 || keyedEvery > 0 {
			got = byNumber(got)
		}
		if !slices.Equal(got, in) {
			rt.Fatalf("listed %d, reported as added %d", len(got), len(in))
		}
		if c := queuetest.Counts(t, rdb, k); int(c[1]) != len(in) {
			rt.Fatalf("counts %v, want %d", c, len(in))
		}
	})
}

func byNumber(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	return texts
}

// What falls due in one millisecond comes in the order of the offers, though a whole
// pipeline in the middle was lost and sent again.
func TestOfferAllOrderAfterLoss(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, plan := range []loss{lostReply, lostCall} {
		const n = 4 * bulkItems
		k := queuetest.NewQueue()
		faulty, _ := losing(t, rdb, noLoss, plan)
		due := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
		for _, o := range all(t, faulty, k, numbered(n, func(int) OfferArgs { return OfferArgs{At: due} })) {
			if o.err != nil {
				t.Fatal(o.err)
			}
		}
		pending := queuetest.Must[[]string](t)(rdb.ZRange(t.Context(), k.Timeout, 0, -1).Result())
		list := queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
		if !slices.Equal(bodies(t, pending), numbers(n)) || !slices.Equal(pending, list) {
			t.Errorf("%v: %d pending, %d listed, or in another order", plan, len(pending), len(list))
		}
	}
}

// Elements that exist are found, whichever way the script takes, and nobody else's
// message is touched or lost.
func TestOfferAllFindsWhatExists(t *testing.T) {
	t.Parallel()
	const n = 20
	for name, c := range map[string]struct {
		exists []int // of the numbers offered: the same element is there
		early  bool  // with another due time
	}{
		"first, same due":       {[]int{0}, false},
		"middle, same due":      {[]int{7, 8}, false},
		"last, same due":        {[]int{n - 1}, false},
		"all, same due":         {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, false},
		"first, other due":      {[]int{0}, true},
		"middle, other due":     {[]int{7, 8}, true},
		"all but one elsewhere": {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := lab.Shared.Client()
			k := queuetest.NewQueue()
			due := queuetest.NowMs(t, rdb) + 3_600_000
			frozen := wire.IDsAt(year2000, 5)
			again := wire.IDsAt(year2000, 5)
			for i := range n {
				if id := frozen.Next(); slices.Contains(c.exists, i) {
					score := due
					if c.early {
						score -= 1000
					}
					queuetest.Put(t, rdb, k, score, wire.Pack(id, fmt.Append(nil, i)))
				}
			}
			out := all(t, rdb, k, numbered(n, func(int) OfferArgs { return OfferArgs{IDs: again, At: time.UnixMilli(due)} }))
			seen := map[wire.ElementID]bool{}
			for _, o := range out {
				if o.err != nil || seen[o.result.ID] || o.result.DueMs != due {
					t.Errorf("%+v", o)
				}
				seen[o.result.ID] = true
			}
			if got := queuetest.Counts(t, rdb, k); int(got[1]) != n+len(c.exists) || int(got[2]) != n+len(c.exists) {
				t.Errorf("counts %v, want %d", got, n+len(c.exists))
			}
			if moved := int(queuetest.Must[int64](t)(rdb.ZCount(t.Context(), k.Timeout, "-inf", fmt.Sprintf("(%d", due)).Result())); c.early && moved != len(c.exists) {
				t.Errorf("%d of the others' messages keep their due time", moved)
			}
		})
	}
}

// However slow Redis is, not more than four batches are read beyond what is reported.
func TestOfferAllMemory(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	const n = 8 * bulkItems
	var mu sync.Mutex
	read, reported, most := 0, 0, 0
	p := &spoiler{before: func(pipeline int) {
		if pipeline > 1 {
			return
		}
		// Until the reader has nothing left to do.
		for last, same := -1, 0; same < 1000; {
			mu.Lock()
			now := read
			mu.Unlock()
			if same++; now != last {
				last, same = now, 0
			}
			runtime.Gosched()
		}
	}}
	offers := numbered(n, func(int) OfferArgs {
		mu.Lock()
		defer mu.Unlock()
		read++
		most = max(most, read-reported)
		return OfferArgs{Delay: time.Hour}
	})
	OfferAll(t.Context(), spoiled(t, rdb, p), queuetest.NewQueue(), offers, func(_ int, _ OfferResult, err error) {
		mu.Lock()
		defer mu.Unlock()
		if reported++; err != nil {
			t.Error(err)
		}
	})
	if reported != n || most > (bulkAhead+2)*bulkItems {
		t.Errorf("%d reported, at most %d held", reported, most)
	}
}

// A context that ends while a pipeline is on its way: what is begun is reported, in its
// place, and what is reported as added is there.
func TestOfferAllCancelledInFlight(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for at := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := queuetest.NewQueue()
		p := &spoiler{before: func(pipeline int) {
			if pipeline == at {
				cancel()
			}
		}}
		added, reported := 0, 0
		n := OfferAll(ctx, spoiled(t, rdb, p), k, endless(), func(i int, _ OfferResult, err error) {
			if i != reported {
				t.Errorf("reported %d in the place of %d", i, reported)
			}
			reported++
			var unknown *fault.OutcomeUnknownError
			switch {
			case err == nil:
				added++
			case !errors.Is(err, context.Canceled) && !errors.As(err, &unknown):
				t.Error(err)
			}
		})
		if n != reported {
			t.Errorf("%d read, %d reported", n, reported)
		}
		if c := queuetest.Counts(t, rdb, k); int(c[1]) < added || c[1] != c[2] {
			t.Errorf("%d reported as added, counts %v", added, c)
		}
	}
}

func endless() iter.Seq[OfferArgs] {
	return numbered(1<<40, func(int) OfferArgs { return OfferArgs{Delay: time.Hour} })
}
