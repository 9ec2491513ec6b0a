package deadstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
)

const (
	lookEvery = time.Second      // for letters
	callLimit = 30 * time.Second // of one call
	callGrace = time.Second      // for a call that does not heed its context: a stop waits for it
	// tellAgain is when a letter is handed out once more that was not told of: the process has
	// died meanwhile, or the call failed. It is longer than any call, and doubles behind each
	// further time, up to tellLongest.
	tellAgain, tellLongest = time.Minute, 6 * time.Hour
	// maxTimes is how often a letter is handed out; together that takes some three days.
	maxTimes = 20
	// Where so many different letters fail one after the other, the function is to blame, and
	// pauseFirst to pauseMost are between its calls.
	manyFailed            = 3
	pauseFirst, pauseMost = time.Second, 5 * time.Second
	// maxHung is how many calls of a process may hang at a time.
	maxHung = 4
)

// teller calls the function of one queue for its dead letters, one at a time.
type teller struct {
	rdb     redisapi.Client
	log     *slog.Logger
	queue   *Queue
	turn    delayed.LetterTurn
	looking trouble.State   // for letters
	failing trouble.State   // the function
	failed  map[string]bool // letters, since one was told of
	repeats int             // pauses in a row
}

func newTeller(rdb redisapi.Client, log *slog.Logger, q *Queue) *teller {
	return &teller{rdb: rdb, log: log, queue: q, failed: map[string]bool{}, turn: delayed.LetterTurn{Again: tellAgain, Longest: tellLongest}}
}

// TellAll begins to call Queue.Tell for each dead letter, at least once, until ctx ends. A letter is
// told by one process, and by another one where that failed or died. One that fails again and
// again is given up after maxTimes: it hurts itself only.
func TellAll(ctx context.Context, running *background.Group, rdb redisapi.Client, log *slog.Logger, queues []*Queue) {
	for _, q := range queues {
		if q.Tell != nil {
			t := newTeller(rdb, log, q)
			q.Telemetry.Untold(ctx, 0)
			running.Loop(ctx, "tell of dead letters", func() { t.run(ctx) })
		}
	}
}

func (t *teller) run(ctx context.Context) {
	for ctx.Err() == nil {
		if t.queue.hung.room(ctx) != nil || retry.Pause(ctx, t.step(ctx)) != nil {
			return
		}
	}
}

// step hands out a letter, and returns how long to wait before the next one. New letters and
// those that failed before come in turn, so that neither holds up the other.
func (t *teller) step(ctx context.Context) time.Duration {
	letter, ok, err := delayed.NextLetter(ctx, t.rdb, t.queue.Keys, &t.turn)
	t.turn.WaitingFirst = !t.turn.WaitingFirst
	switch {
	case ctx.Err() != nil:
		return 0
	case err != nil:
		if t.looking.Begin(err) {
			t.log.WarnContext(ctx, "could not look for dead letters for framework.OnDead; tried again until it works", "queue", t.queue.Code, "err", err)
		}
		return lookEvery
	}
	t.works(ctx, &t.looking)
	if !ok {
		return lookEvery
	}
	t.tell(ctx, partitions.Letter{DeadEntry: delayed.EntryOf(letter.XMessage), Partition: t.queue.Keys.Partition}, letter.Times)
	if len(t.failed) < manyFailed {
		return 0
	}
	t.repeats++
	return max(retry.Backoff(t.repeats-1, pauseFirst, pauseMost), pauseFirst)
}

// tell tells of a letter, and notes what came of it.
func (t *teller) tell(ctx context.Context, l partitions.Letter, times int64) {
	err := fmt.Errorf("it was handed out %d times, and no process has lived to say what came of it", times-1)
	if times <= maxTimes { // else the last process has died
		err = t.call(ctx, l)
	}
	if err == nil {
		if err = delayed.ToldLetter(ctx, t.rdb, t.queue.Keys, l.ID); err == nil {
			clear(t.failed)
			t.repeats = 0
			t.works(ctx, &t.failing)
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	if len(t.failed) < manyFailed {
		t.failed[l.ID] = true
	}
	switch {
	case times >= maxTimes && delayed.ToldLetter(ctx, t.rdb, t.queue.Keys, l.ID) == nil:
		t.queue.Telemetry.Untold(ctx, 1)
		t.log.ErrorContext(ctx, "framework.OnDead has failed too often for a dead letter, and is not called for it again. It stays in the dead store",
			"queue", t.queue.Code, "entry", l.Text(), "times", times, "err", err)
	case len(t.failed) >= manyFailed:
		if t.failing.Begin(err) {
			t.log.WarnContext(ctx, "framework.OnDead fails for one dead letter after another; it is called again until it succeeds",
				"queue", t.queue.Code, "entry", l.Text(), "err", err)
		}
	case times == 1:
		t.log.WarnContext(ctx, "framework.OnDead failed for a dead letter; it is called again after a minute, then less often, for about three days",
			"queue", t.queue.Code, "entry", l.Text(), "err", err)
	}
}

// works notes the end of a trouble.
func (t *teller) works(ctx context.Context, of *trouble.State) {
	if lasted, was := of.End(); was {
		t.log.InfoContext(ctx, "framework.OnDead succeeds again", "queue", t.queue.Code, "after", lasted)
	}
}

// call calls the function, and does not wait for one that hangs.
func (t *teller) call(ctx context.Context, l partitions.Letter) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	done := make(chan error, 1)
	this := &call{began: time.Now()}
	background.Go(ctx, "call the function of OnDead", func() {
		defer t.queue.hung.returned(this)
		done <- background.Try(func() error { return t.queue.Tell(limited, l) })
	})
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
		t.queue.hung.add(this)
		return fmt.Errorf("it did not return within %v: %w", callGrace, context.Cause(limited))
	}
}
