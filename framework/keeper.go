package framework

import (
	"context"
	"sync"
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
	k.running.Go(func() { k.every(ctx, k.lease/6, k.renewAll) })
	k.running.Go(func() { k.every(ctx, k.lease/12, k.fenceAll) })
}

// every calls do at once and then at each tick, until ctx ends.
func (k *keeper) every(ctx context.Context, tick time.Duration, do func(ctx context.Context, n int)) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for n := 0; ; n++ {
		do(ctx, n)
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
// answer for one queue must not cost another one its lease.
func (k *keeper) renewAll(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	var asked sync.WaitGroup
	if n%6 == 0 {
		asked.Go(func() { k.census(ctx) })
	}
	for _, r := range k.runners {
		for _, h := range r.holders() {
			until := h.fenceAt()
			if until.IsZero() || h.gone(until) || time.Until(until) > k.lease/3 {
				continue
			}
			asked.Go(func() { k.renew(ctx, r, h, until) })
		}
	}
	asked.Wait()
	k.fenceAll(ctx, n)
}

func (k *keeper) renew(ctx context.Context, r *runner, h *holder, until time.Time) {
	lost, err := h.sess.Renew(ctx)
	switch {
	case err != nil:
		r.log.WarnContext(ctx, "could not renew the lease", "err", err)
	case lost && h.fenceAt().Equal(until): // otherwise a take has found out, and said so
		h.lostAt.Store(&until)
		r.leaseLost(h)
	}
}

func (k *keeper) fenceAll(ctx context.Context, _ int) {
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
		r.log.InfoContext(ctx, "fence lifted: intake open", "session", h.sess.ID())
		r.signal()
		return
	}
	r.log.ErrorContext(ctx, "lease not renewed for two thirds of its time: intake closed, running handlers cancelled", "session", h.sess.ID())
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
