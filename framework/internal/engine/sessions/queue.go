package sessions

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Config is what the sessions of a queue need.
type Config struct {
	Panics    *background.Panics
	Redis     redisapi.Client
	Keys      wire.Keys
	Options   lease.Options
	Log       *slog.Logger
	Telemetry *telemetry.Queue

	// Cancel cancels the running handlers of messages that were taken under a session
	// when it had been lost fewer than so many times, and returns how many these are.
	Cancel func(s *Session, losses uint64) int
	// Resume is called when the queue may be taken from again.
	Resume func()
}

// Queue has the sessions of one queue in this process: the one that takes, and those that were
// given up and whose messages are not settled yet.
type Queue struct {
	Config

	current atomic.Pointer[Session]

	mu      sync.Mutex
	retired []*Session // the newest first
}

// New opens the first session of a queue.
func New(c Config) (*Queue, error) {
	q := &Queue{Config: c}
	s, err := q.open()
	q.current.Store(s)
	return q, err
}

func (q *Queue) open() (*Session, error) {
	of, err := lease.New(q.Redis, q.Redis, q.Keys, q.Options)
	if err != nil {
		return nil, err
	}
	return newSession(q.Panics, of, func(s *Session, err error) {
		if err == nil {
			q.Acked(s)
		} else if s.acking.Begin(err) {
			q.Log.Warn("could not acknowledge yet what was handled; tried again until it works", "session", s.ID(), "err", err)
		}
	}), nil
}

// Current is the session that takes.
func (q *Queue) Current() *Session { return q.current.Load() }

// Retired are the sessions that were given up, the newest first.
func (q *Queue) Retired() []*Session {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.retired)
}

// all returns the session that takes and those given up.
func (q *Queue) all() []*Session { return append(q.Retired(), q.Current()) }

// Processes is how many processes served the queue when its lease was renewed last, Java's
// not counted: several take turns at due times instead of all asking at once.
func (q *Queue) Processes() int { return max(q.Current().Processes(), 1) }

// Replace gives up the session whose last take has an unknown outcome: another one takes from
// now on. The old one is to be ended when its messages are settled, and then forgotten: the
// keeper renews its lease until then, or a reaper would count a death against messages that
// this process has not seen.
func (q *Queue) Replace() (old *Session, err error) {
	next, err := q.open()
	if err != nil {
		return nil, err
	}
	old = q.current.Swap(next)
	q.Log.Warn("session abandoned: a take's outcome is unknown; its messages come back", "session", old.ID(), "next", next.ID())
	q.mu.Lock()
	q.retired = slices.Insert(q.retired, 0, old)
	q.mu.Unlock()
	old.Acks.Expect(TakeFar) // no take will carry them
	return old, nil
}

// Forget forgets a session that was given up and has ended.
func (q *Queue) Forget(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.retired = slices.DeleteFunc(q.retired, func(r *Session) bool { return r == s })
}

// Acked notes that acks have reached Redis.
func (q *Queue) Acked(s *Session) {
	if lasted, was := s.acking.End(); was {
		q.Log.Info("acknowledgements reach Redis again", "session", s.ID(), "after", lasted)
	}
}

// Lost cancels the handlers of all messages that were taken before now: other
// processes have, or will have, them. Those that wait for a worker are not started.
func (q *Queue) Lost(ctx context.Context, s *Session) {
	n := q.Cancel(s, s.losses.Add(1))
	q.fence(ctx, s, false) // nothing is held any more: a take begins anew
	q.Telemetry.LostLease(ctx)
	q.Log.WarnContext(ctx, "lease lost: running handlers are cancelled, their messages go to other processes", "session", s.ID(), "running", n)
}

// fence closes or opens what is held under one session.
func (q *Queue) fence(ctx context.Context, s *Session, overdue bool) {
	if !s.fenced.CompareAndSwap(!overdue, overdue) {
		return
	}
	if !overdue {
		q.Log.InfoContext(ctx, "the lease is confirmed again: messages are taken", "session", s.ID())
		q.Resume()
		return
	}
	q.Log.ErrorContext(ctx, "lease not renewed for two thirds of its time: nothing is taken, running handlers are cancelled", "session", s.ID())
	q.Cancel(s, s.losses.Load()+1)
}

// renewed notes that a lease is confirmed.
func (q *Queue) renewed(ctx context.Context, s *Session) {
	if lasted, was := s.renewal.End(); was {
		q.Log.InfoContext(ctx, "the lease is renewed again", "session", s.ID(), "after", lasted)
	}
}

// mend gives back what Redis holds under a session and this process does not know of.
func (q *Queue) mend(ctx context.Context, s *Session) {
	if err := s.Mend(ctx); err != nil {
		if ctx.Err() == nil && s.mending.Begin(err) {
			q.Log.WarnContext(ctx, "could not compare what is in flight; tried again until it works", "session", s.ID(), "err", err)
		}
		return
	}
	if lasted, was := s.mending.End(); was {
		q.Log.InfoContext(ctx, "what is in flight is compared again", "session", s.ID(), "after", lasted)
	}
}
