package sessions

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
)

// Keeper renews the leases of all queues of an engine. A take and a blocking
// wait renew too, so that it acts only for queues that are busy or closed.
// Where no renewal was confirmed for two thirds of a lease it fences the queue:
// nothing is started and running handlers are cancelled, since by the end of
// the lease others may have the messages. Fencing asks Redis nothing and has a
// separate goroutine, so that a Redis that hangs cannot put it off.
type Keeper struct {
	queues  []*Queue
	lease   time.Duration
	rdb     redis.UniversalClient
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// NewKeeper makes the keeper of an engine.
func NewKeeper(queues []*Queue, lease time.Duration, rdb redis.UniversalClient) *Keeper {
	return &Keeper{queues: queues, lease: lease, rdb: rdb}
}

// Start begins; ctx must outlive the work of the engine.
func (k *Keeper) Start(ctx context.Context) {
	ctx, k.cancel = context.WithCancel(ctx)
	k.running.Go(func() { k.renewOn(ctx) })
	k.running.Go(func() { k.fenceOn(ctx) })
}

// renewOn renews at once and then for as long as ctx lasts: in time, and sooner while a
// renewal fails.
func (k *Keeper) renewOn(ctx context.Context) {
	var compared time.Time
	for {
		if now := time.Now(); now.Sub(compared) >= k.lease*5/6 {
			compared = now
			k.running.Go(func() { k.census(ctx) })
			k.running.Go(func() { k.mendAll(ctx) })
		}
		wait := k.lease / 6
		if !k.renewAll(ctx) {
			wait = min(wait, trouble.RetryMost)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// fenceOn fences what is over, for as long as ctx lasts.
func (k *Keeper) fenceOn(ctx context.Context) {
	t := time.NewTicker(k.lease / 12)
	defer t.Stop()
	for {
		k.fenceAll(ctx)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the keeper; a request under way is waited for until ctx ends.
func (k *Keeper) Close(ctx context.Context) {
	k.cancel()
	trouble.Bounded(ctx, k.running.Wait)
}

// renewAll renews what was not renewed for a third of a lease, all at once: a slow
// answer for one queue must not cost another one its lease. It reports whether all were.
func (k *Keeper) renewAll(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	var asked sync.WaitGroup
	var failed atomic.Bool
	for _, q := range k.queues {
		for _, s := range q.all() {
			until := s.LeaseValidUntil()
			if until.IsZero() || s.Gone(until) {
				continue
			}
			if time.Until(until) > k.lease/3 {
				q.renewed(ctx, s) // by a take or a wait
				continue
			}
			asked.Go(func() {
				if !k.renew(ctx, q, s, until) {
					failed.Store(true)
				}
			})
		}
	}
	asked.Wait()
	k.fenceAll(ctx)
	return !failed.Load()
}

// mendAll gives back what Redis holds for this process and this process does not know of,
// once per lease.
func (k *Keeper) mendAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	for _, q := range k.queues {
		for _, s := range q.all() {
			if s.LeaseValidUntil().IsZero() {
				continue // nothing was taken yet
			}
			q.mend(ctx, s)
		}
	}
}

// renew renews one lease, and reports whether Redis was told.
func (k *Keeper) renew(ctx context.Context, q *Queue, s *Session, until time.Time) bool {
	lost, err := s.Renew(ctx)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) && s.renewal.Begin(err) {
			q.Log.WarnContext(ctx, "could not renew the lease; tried again until it works", "session", s.ID(), "err", err)
		}
		return false
	}
	q.renewed(ctx, s)
	if lost && s.LeaseValidUntil().Equal(until) { // otherwise a take has found out, and said so
		s.lostAt.Store(&until)
		q.Lost(ctx, s)
	}
	return true
}

func (k *Keeper) fenceAll(ctx context.Context) {
	now := time.Now()
	for _, q := range k.queues {
		for _, s := range q.all() {
			q.fence(ctx, s, s.overdue(now))
		}
	}
}

// census counts the processes at every queue, so that several take turns at due
// times instead of all asking at once.
func (k *Keeper) census(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	pipe := k.rdb.Pipeline()
	cards := make([]*redis.IntCmd, len(k.queues))
	for i, q := range k.queues {
		cards[i] = pipe.ZCard(ctx, q.Keys.Sessions)
	}
	_, _ = pipe.Exec(ctx) // the commands are read one by one; an old count does no harm
	for i, q := range k.queues {
		if n, err := cards[i].Result(); err == nil {
			q.processes.Store(max(n, 1))
		}
	}
}
