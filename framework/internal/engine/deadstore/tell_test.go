package deadstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestMain(m *testing.M) { lab.Main(m) }

// queue returns one without bounds.
func queue(t *testing.T, k wire.Keys, tell func(ctx context.Context, l partitions.Letter) error) *Queue {
	tel := queuetest.Must[*telemetry.Telemetry](t)(telemetry.New(nil, nil, ""))
	return &Queue{Code: "Q", Keys: k, Tell: tell, Telemetry: tel.Queue("Q", "", 0)}
}

// A letter is given up when its function has failed twenty times, or twenty processes have died with
// it; then it may go.
func TestTellGivesUp(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	for times, want := range map[int]int{maxTimes - 2: 1, maxTimes - 1: 1, maxTimes: 0} {
		k := queuetest.NewQueue()
		entry := queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []string{"body", "b"}}).Result())
		calls := 0
		q := queue(t, k, func(context.Context, partitions.Letter) error { calls++; return errors.New("refused") })
		te := newTeller(rdb, slog.New(slog.DiscardHandler), q)
		queuetest.Must[bool](t)(true, delayed.KeepLetters(t.Context(), rdb, k))
		if err := rdb.Do(t.Context(), "XCLAIM", k.Dead, "duequeue", "duequeue", 0, entry, "FORCE", "IDLE", tellLongest.Milliseconds(), "RETRYCOUNT", times, "JUSTID").Err(); err != nil {
			t.Fatal(err)
		}
		te.turn.WaitingFirst = true
		te.step(t.Context())
		waiting := rdb.XPending(t.Context(), k.Dead, "duequeue").Val().Count
		if given := waiting == 0; calls != want || given != (times+1 >= maxTimes) {
			t.Errorf("handed out %d times before: %d calls, given up: %v", times, calls, given)
		}
	}
}

// Of three processes one works, one fails or panics, and one dies while it tells: each letter
// is told of, and none is deleted before, though the store is over its bound all the time.
func TestTellAllMissesNone(t *testing.T) {
	t.Parallel()
	const letters = 300
	rdb := lab.Connect(t, lab.Shared.Addr())
	k := queuetest.NewQueue()
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	told := map[string]int{}
	process := func(ctx context.Context, tell func(ctx context.Context, l partitions.Letter) error) func() {
		te := newTeller(rdb, slog.New(slog.DiscardHandler), queue(t, k, tell))
		te.turn.Again, te.turn.Longest = 300*time.Millisecond, 300*time.Millisecond
		return func() { te.run(ctx) }
	}
	dies, die := context.WithCancel(ctx)
	calls := 0
	var running sync.WaitGroup
	running.Go(process(ctx, func(_ context.Context, l partitions.Letter) error {
		mu.Lock()
		defer mu.Unlock()
		told[l.ID]++
		return nil
	}))
	running.Go(process(ctx, func(context.Context, partitions.Letter) error {
		if calls++; calls%2 == 0 {
			panic("broken")
		}
		return errors.New("refused")
	}))
	running.Go(process(dies, func(ctx context.Context, _ partitions.Letter) error {
		die()
		<-ctx.Done()
		return ctx.Err()
	}))
	trims, bounded := &bounds{rdb: rdb}, queue(t, k, func(context.Context, partitions.Letter) error { return nil })
	bounded.Limit = 100 // the untold have ten times that
	var all []string
	for i := range letters {
		all = append(all, queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []string{"body", fmt.Sprint(i), "reason", "exhausted"}}).Result()))
		r, err := trims.trimOnce(t.Context(), bounded)
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		for _, m := range r.Trimmed {
			if told[m.Entry] == 0 {
				t.Errorf("%s is deleted, and nobody was told of it", m.Entry)
			}
		}
		mu.Unlock()
	}
	lab.WaitFor(t, "all are told of", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(told) == letters
	})
	stop()
	running.Wait()
	for _, entry := range all {
		if told[entry] != 1 { // no call took as long as a letter waits to be told of again
			t.Errorf("%s was told of %d times", entry, told[entry])
		}
	}
}

// A function that does not heed its context holds up no stop for long.
func TestTellEndsWithItsContext(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	k := queuetest.NewQueue()
	queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []string{"body", "b"}}).Result())
	ctx, stop := context.WithCancel(t.Context())
	released := make(chan struct{})
	defer close(released)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var running background.Group
		defer running.Wait()
		TellAll(ctx, &running, rdb, slog.New(slog.DiscardHandler), []*Queue{queue(t, k, nil), queue(t, k, func(context.Context, partitions.Letter) error {
			stop()
			<-released
			return nil
		})})
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it runs on")
	}
}
