package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/trouble"
)

// Keeper renews the leases of all queues of an engine. A take and a blocking
// wait renew too, so that it acts only for queues that are busy, closed, or rest without a
// blocking wait.
// Where no renewal was confirmed for two thirds of a lease it fences the queue:
// nothing is started and running handlers are cancelled, since by the end of
// the lease others may have the messages. Fencing asks Redis nothing and has a
// separate goroutine, so that a Redis that hangs cannot put it off.
type Keeper struct {
	queues  []*Queue
	lease   time.Duration
	cancel  context.CancelFunc
	running background.Group
}

// NewKeeper makes the keeper of an engine.
func NewKeeper(queues []*Queue, length time.Duration) *Keeper {
	return &Keeper{queues: queues, lease: length}
}

// Start begins; ctx must outlive the work of the engine.
func (k *Keeper) Start(ctx context.Context) {
	ctx, k.cancel = context.WithCancel(ctx)
	k.running.Loop(ctx, "renew leases", func() { k.renewOn(ctx) })
	k.running.Loop(ctx, "fence what has lost its lease", func() { k.fenceOn(ctx) })
}

// renewOn renews at once and then for as long as ctx lasts: in time, and sooner while a
// renewal fails.
func (k *Keeper) renewOn(ctx context.Context) {
	var compared time.Time
	for {
		now := time.Now()
		whole := now.Sub(compared) >= k.lease*5/6
		if whole {
			compared = now
		}
		k.running.Task(ctx, "compare what is in flight", func() { k.mendAll(ctx, whole) })
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

// renewAll renews what was not renewed for a third of a lease or, where nothing is held,
// not for long: all at once, since a slow answer for one queue must not cost another one
// its lease. It reports whether all were.
func (k *Keeper) renewAll(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	var due []renewal
	var asked []*lease.Session
	for _, q := range k.queues {
		for _, s := range q.all() {
			until := s.LeaseValidUntil()
			if until.IsZero() || s.Gone(until) {
				continue
			}
			least := k.lease / 3
			if !s.Holds() {
				least = k.lease / 4
			}
			if time.Until(until) > least {
				q.renewed(ctx, s) // by a take or a wait
				continue
			}
			due, asked = append(due, renewal{q, s, until}), append(asked, s.Session)
		}
	}
	all := true
	for i, r := range lease.RenewAll(ctx, asked) {
		all = k.settle(ctx, due[i], r) && all
	}
	k.fenceAll(ctx)
	return all
}

// renewal is a session that is renewed, with the end of its lease before that.
type renewal struct {
	queue   *Queue
	session *Session
	until   time.Time
}

// settle takes in what came of a renewal, and reports whether Redis was told.
func (k *Keeper) settle(ctx context.Context, of renewal, r lease.Renewal) bool {
	q, s := of.queue, of.session
	if r.Err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) && s.renewal.Begin(r.Err) {
			q.Log.WarnContext(ctx, "could not renew the lease; tried again until it works", "session", s.ID(), "err", r.Err)
		}
		return false
	}
	q.renewed(ctx, s)
	if r.Lost && s.LeaseValidUntil().Equal(of.until) { // otherwise a take has found out, and said so
		s.lostAt.Store(&of.until)
		q.Lost(ctx, s)
	}
	return true
}

// mendAll gives back what Redis holds for this process and this process does not know of:
// where the last renewal has seen such, and with whole, once per lease, wherever anything is
// in flight.
func (k *Keeper) mendAll(ctx context.Context, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, k.lease/6)
	defer cancel()
	for _, q := range k.queues {
		for _, s := range q.all() {
			if s.Strays() || whole && s.Holds() {
				q.mend(ctx, s)
			}
		}
	}
}

func (k *Keeper) fenceAll(ctx context.Context) {
	now := time.Now()
	for _, q := range k.queues {
		for _, s := range q.all() {
			q.fence(ctx, s, s.overdue(now))
		}
	}
}
