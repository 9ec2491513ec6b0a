// Package sessions has what Redis has lent to this process: the sessions of each queue with what
// is held under them, the acks that are not sent yet, and the keeper that renews their leases.
package sessions

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/trouble"
)

// Session is a session with what this process holds under it: the acks that are
// not sent yet and the messages that are not settled. A session is given up when
// the outcome of a take stays unknown; its messages are then finished here while
// another session takes.
type Session struct {
	*lease.Session

	Acks     *Acks
	held     sync.WaitGroup // messages not settled
	flushing chan struct{}  // capacity 1: one flush at a time

	fenced  atomic.Bool               // the lease may be over: nothing is started
	losses  atomic.Uint64             // how often others got what was taken before
	renewal trouble.State             // of its lease
	acking  trouble.State             // of its acks
	mending trouble.State             // of comparing what is in flight
	lostAt  atomic.Pointer[time.Time] // LeaseValidUntil when a renewal found the session gone
}

// flushTimeout bounds the sending of acks that no take carries.
const flushTimeout = 5 * time.Second

func newSession(panics *background.Panics, of *lease.Session, onFlush func(*Session, error)) *Session {
	s := &Session{Session: of, flushing: make(chan struct{}, 1)}
	s.Acks = newAcks(func() {
		ctx, cancel := context.WithTimeout(panics.In(context.Background()), flushTimeout) //nolint:forbidigo // a timer's goroutine has no caller
		defer cancel()
		onFlush(s, s.Flush(ctx))
	})
	return s
}

// Hold counts messages that were taken under the session.
func (s *Session) Hold(n int) { s.held.Add(n) }

// Settled counts one message of the session that was settled, by an ack or otherwise.
func (s *Session) Settled(acked bool) {
	if !acked {
		s.Acks.Loosen()
	}
	s.held.Done()
}

// AwaitSettled waits until all messages of the session are settled.
func (s *Session) AwaitSettled() { s.held.Wait() }

// Flush sends the acks that wait for a take, and deletes what is finished.
func (s *Session) Flush(ctx context.Context) error {
	select {
	case s.flushing <- struct{}{}:
		defer func() { <-s.flushing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	acks := s.Acks.Drain()
	err := background.Call(ctx, "send acks", func() error { // a panic must not lose them
		_, err := s.Ack(ctx, acks)
		return err
	})
	if err != nil {
		s.Acks.PutBack(acks)
		return err
	}
	s.Acks.Sent(acks)
	return nil
}

// End flushes and ends the session: what it still holds goes back to the head.
func (s *Session) End(ctx context.Context) (lease.Handed, error) {
	s.Acks.stop()
	flushErr := s.Flush(ctx)
	handed, err := s.Close(ctx)
	return handed, errors.Join(flushErr, err)
}

// Fenced reports whether the lease may be over, so that nothing may be started.
func (s *Session) Fenced() bool { return s.fenced.Load() }

// Losses is how often the session was lost, with all that was taken before.
func (s *Session) Losses() uint64 { return s.losses.Load() }

// Owns reports whether a message that was taken when the session had been lost so
// many times may be started here.
func (s *Session) Owns(losses uint64) bool { return !s.fenced.Load() && s.losses.Load() == losses }

// Gone reports whether the session is known to be lost and has not begun anew since its lease
// ended at until: it holds nothing, so that there is nothing to protect.
func (s *Session) Gone(until time.Time) bool {
	at := s.lostAt.Load()
	return at != nil && at.Equal(until)
}

// overdue reports whether the lease may be over.
func (s *Session) overdue(now time.Time) bool {
	until := s.LeaseValidUntil()
	return !until.IsZero() && now.After(until) && !s.Gone(until)
}
