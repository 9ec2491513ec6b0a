package framework

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/handlers"
)

// keeper renews the leases of all queues of an engine. A take and a blocking
// wait renew too, so that it acts only for queues that are busy or closed.
// Where no renewal was confirmed for two thirds of a lease it fences the queue:
// nothing is started and running handlers are cancelled, since by the end of
// the lease others may have the messages.
type keeper struct {
	runners []*runner
	lease   time.Duration
	rdb     redis.UniversalClient
	stop    chan struct{}
	done    chan struct{}
}

func newKeeper(runners []*runner, lease time.Duration, rdb redis.UniversalClient) *keeper {
	return &keeper{runners: runners, lease: lease, rdb: rdb, stop: make(chan struct{}), done: make(chan struct{})}
}

func (k *keeper) loop(ctx context.Context) {
	defer close(k.done)
	t := time.NewTicker(k.lease / 6)
	defer t.Stop()
	for n := 0; ; n++ {
		if n%2 == 0 {
			k.census(ctx)
		}
		select {
		case <-t.C:
		case <-k.stop:
			return
		}
		for _, r := range k.runners {
			k.keep(ctx, r)
		}
	}
}

// keep renews what was not renewed for a third of a lease, and fences.
func (k *keeper) keep(ctx context.Context, r *runner) {
	for _, old := range r.retired.all() {
		k.renew(ctx, r, old)
	}
	h := r.holder.Load()
	until := h.fenceAt()
	if until.IsZero() {
		return // it has not taken yet, and holds nothing
	}
	if time.Until(until) <= k.lease/3 {
		if k.renew(ctx, r, h) {
			r.leaseLost()
		}
		until = h.fenceAt()
	}
	fenced := time.Now().After(until)
	if fenced == r.fenced.Load() {
		return
	}
	r.fenced.Store(fenced)
	if !fenced {
		r.log.InfoContext(ctx, "lease renewed again: intake open")
		r.signal()
		return
	}
	r.log.ErrorContext(ctx, "lease not renewed for two thirds of its time: intake closed, running handlers cancelled")
	r.pool.running(func(_ *worker, j *job) { j.cancel(handlers.ErrLeaseLost) })
}

func (k *keeper) renew(ctx context.Context, r *runner, h *holder) (lost bool) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	lost, err := h.sess.Renew(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "could not renew the lease", "err", err)
	}
	return lost
}

func (k *keeper) close() {
	close(k.stop)
	<-k.done
}

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
