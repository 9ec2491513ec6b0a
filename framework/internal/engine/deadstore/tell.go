package deadstore

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
	"github.com/duequeue/duequeue/framework/internal/partitions"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

const (
	lookEvery = time.Second      // for letters
	callLimit = 30 * time.Second // of one call
	callGrace = time.Second      // for a call that does not heed its context: a stop waits for it
	// tellAgain is when a letter is handed out once more that was not told of: the process has
	// died meanwhile, or the call failed. It is longer than any call.
	tellAgain = time.Minute
	// pauseFirst and pauseMost are between calls that fail.
	pauseFirst, pauseMost = time.Second, time.Minute
)

// teller calls the function of one queue for its dead letters, one at a time.
type teller struct {
	rdb     redis.UniversalClient
	log     *slog.Logger
	queue   *Queue
	again   time.Duration
	looking trouble.State // for letters
	failing trouble.State // the function
}

// TellAll calls Queue.Tell for each dead letter, at least once, until ctx ends. A letter is
// told by one process, and by another one where that failed or died.
func TellAll(ctx context.Context, rdb redis.UniversalClient, log *slog.Logger, queues []*Queue) {
	var running sync.WaitGroup
	for _, q := range queues {
		if q.Tell != nil {
			t := &teller{rdb: rdb, log: log, queue: q, again: tellAgain}
			running.Go(func() { t.run(ctx) })
		}
	}
	running.Wait()
}

func (t *teller) run(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		pause := lookEvery
		letter, ok, err := delayed.NextLetter(ctx, t.rdb, t.queue.Keys, t.again)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if t.looking.Begin(err) {
				t.log.WarnContext(ctx, "could not look for dead letters to tell of; tried again until it works", "queue", t.queue.Code, "err", err)
			}
		default:
			t.works(ctx, &t.looking)
		}
		if ok {
			pause = 0
			if t.tell(ctx, partitions.Letter{XMessage: letter, Partition: t.queue.Keys.Partition}) {
				failures = 0
			} else {
				pause = max(retry.Backoff(failures, pauseFirst, pauseMost), pauseFirst)
				failures++
			}
		}
		if pause > 0 && retry.Pause(ctx, pause) != nil {
			return
		}
	}
}

// tell reports whether the letter was told of.
func (t *teller) tell(ctx context.Context, l partitions.Letter) bool {
	err := t.call(ctx, l)
	if err == nil {
		if err = delayed.ToldLetter(ctx, t.rdb, t.queue.Keys, l.ID); err == nil {
			t.works(ctx, &t.failing)
			return true
		}
	}
	if ctx.Err() == nil && t.failing.Begin(err) {
		t.log.WarnContext(ctx, "a dead letter was not told of: framework.OnDead failed; tried again after a minute, and kept until it works",
			"queue", t.queue.Code, "entry", l.Text(), "err", err)
	}
	return false
}

// works notes the end of a trouble.
func (t *teller) works(ctx context.Context, of *trouble.State) {
	if lasted, was := of.End(); was {
		t.log.InfoContext(ctx, "dead letters are told of again", "queue", t.queue.Code, "after", lasted)
	}
}

// call calls the function, and does not wait for one that hangs.
func (t *teller) call(ctx context.Context, l partitions.Letter) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("panic: %v", r)
			}
		}()
		done <- t.queue.Tell(limited, l)
	}()
	select {
	case err := <-done:
		return err
	case <-limited.Done():
	}
	grace := time.NewTimer(callGrace)
	defer grace.Stop()
	select {
	case err := <-done:
		return err
	case <-grace.C:
		return fmt.Errorf("it did not return within %v: %w", callGrace, context.Cause(limited))
	}
}
