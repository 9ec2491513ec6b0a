package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/handlers"
)

// keeper renews the leases of all queues of an engine. A take and a blocking
// wait renew too, so that it acts only for queues that are busy or closed.
// Where no renewal was confirmed for two thirds of a lease it fences the queue:
// nothing is started and running handlers are cancelled, since by the end of
// the lease others may have the messages. Fencing asks Redis nothing and has a
// goroutine of its own, so that a Redis that hangs cannot put it off.
type keeper struct {
	runners []*runner
	lease   time.Duration
	rdb     redis.UniversalClient
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func newKeeper(runners []*runner, lease time.Duration, rdb redis.UniversalClient) *keeper {
	return &keeper{runners: runners, lease: lease, rdb: rdb}
}

func (k *keeper) start(ctx context.Context) {
	ctx, k.cancel = context.WithCancel(ctx)
	k.running.Go(func() { k.renewOn(ctx) })
	k.running.Go(func() { k.fenceOn(ctx) })
}

// renewOn renews at once and then for as long as ctx lasts: in time, and sooner while a
// renewal fails.
func (k *keeper) renewOn(ctx context.Context) {
	var compared time.Time
	for {
		if now := time.Now(); now.Sub(compared) >= k.lease*5/6 {
			compared = now
			k.running.Go(func() { k.census(ctx) })
			k.running.Go(func() { k.mendAll(ctx) })
		}
		wait := k.lease / 6
		if !k.renewAll(ctx) {
			wait = min(wait, retryMost)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// fenceOn fences what is over, for as long as ctx lasts.
func (k *keeper) fenceOn(ctx context.Context) {
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

// close ends the keeper; a request under way is waited for until ctx ends.
func (k *keeper) close(ctx context.Context) {
	k.cancel()
	bounded(ctx, k.running.Wait)
}

// renewAll renews what was not renewed for a third of a lease, all at once: a slow
// answer for one queue must not cost another one its lease. It reports whether all were.
func (k *keeper) renewAll(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	var asked sync.WaitGroup
	var failed atomic.Bool
	for _, r := range k.runners {
		for _, h := range r.holders() {
			until := h.fenceAt()
			if until.IsZero() || h.gone(until) {
				continue
			}
			if time.Until(until) > k.lease/3 {
				r.renewed(ctx, h) // by a take or a wait
				continue
			}
			asked.Go(func() {
				if !k.renew(ctx, r, h, until) {
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
func (k *keeper) mendAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	for _, r := range k.runners {
		for _, h := range r.holders() {
			if h.fenceAt().IsZero() {
				continue // nothing was taken yet
			}
			r.mend(ctx, h)
		}
	}
}

func (r *runner) mend(ctx context.Context, h *holder) {
	if err := h.sess.Mend(ctx); err != nil {
		if ctx.Err() == nil && h.mending.begin(err) {
			r.log.WarnContext(ctx, "could not compare what is in flight; tried again until it works", "session", h.sess.ID(), "err", err)
		}
		return
	}
	if lasted, was := h.mending.end(); was {
		r.log.InfoContext(ctx, "what is in flight is compared again", "session", h.sess.ID(), "after", lasted)
	}
}

// renew renews one lease, and reports whether Redis was told.
func (k *keeper) renew(ctx context.Context, r *runner, h *holder, until time.Time) bool {
	lost, err := h.sess.Renew(ctx)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) && h.renewal.begin(err) {
			r.log.WarnContext(ctx, "could not renew the lease; tried again until it works", "session", h.sess.ID(), "err", err)
		}
		return false
	}
	r.renewed(ctx, h)
	if lost && h.fenceAt().Equal(until) { // otherwise a take has found out, and said so
		h.lostAt.Store(&until)
		r.leaseLost(h)
	}
	return true
}

// renewed notes that a lease is confirmed.
func (r *runner) renewed(ctx context.Context, h *holder) {
	if lasted, was := h.renewal.end(); was {
		r.log.InfoContext(ctx, "the lease is renewed again", "session", h.sess.ID(), "after", lasted)
	}
}

func (k *keeper) fenceAll(ctx context.Context) {
	now := time.Now()
	for _, r := range k.runners {
		for _, h := range r.holders() {
			r.fence(ctx, h, h.overdue(now))
		}
	}
}

// fence closes or opens what is held under one session.
func (r *runner) fence(ctx context.Context, h *holder, overdue bool) {
	if !h.fenced.CompareAndSwap(!overdue, overdue) {
		return
	}
	if !overdue {
		r.log.InfoContext(ctx, "the lease is confirmed again: messages are taken", "session", h.sess.ID())
		r.signal()
		return
	}
	r.log.ErrorContext(ctx, "lease not renewed for two thirds of its time: nothing is taken, running handlers are cancelled", "session", h.sess.ID())
	r.pool.running(func(_ *worker, j *job) {
		if j.holder == h {
			j.ctx.end(handlers.ErrLeaseLost)
		}
	})
}

// holders returns the session that takes and those given up.
func (r *runner) holders() []*holder { return append(r.retired.all(), r.holder.Load()) }

// census counts the processes at every queue, so that several take turns at due
// times instead of all asking at once.
func (k *keeper) census(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	pipe := k.rdb.Pipeline()
	cards := make([]*redis.IntCmd, len(k.runners))
	for i, r := range k.runners {
		cards[i] = pipe.ZCard(ctx, r.keys.Sessions)
	}
	_, _ = pipe.Exec(ctx) // the commands are read one by one; an old count does no harm
	for i, r := range k.runners {
		if n, err := cards[i].Result(); err == nil {
			r.processes.Store(max(n, 1))
		}
	}
}
