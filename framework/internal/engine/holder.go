package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lease"
)

// holder is a session with what this process holds under it: the acks that are
// not sent yet and the messages that are not settled. A session is given up when
// the outcome of a take stays unknown; its messages are then finished here while
// another session takes.
type holder struct {
	sess     *lease.Session
	acks     *ackBuffer
	held     sync.WaitGroup // messages not settled
	flushing chan struct{}  // capacity 1: one flush at a time

	fenced  atomic.Bool               // the lease may be over: nothing is started
	losses  atomic.Uint64             // how often others got what was taken before
	renewal trouble                   // of its lease
	acking  trouble                   // of its acks
	mending trouble                   // of comparing what is in flight
	lostAt  atomic.Pointer[time.Time] // fenceAt when a renewal found the session gone
}

func newHolder(sess *lease.Session, onFlush func(*holder, error)) *holder {
	h := &holder{sess: sess, flushing: make(chan struct{}, 1)}
	h.acks = newAckBuffer(func() {
		ctx, cancel := context.WithTimeout(context.Background(), settleTimeout) //nolint:forbidigo // a timer's goroutine has no caller
		defer cancel()
		onFlush(h, h.flush(ctx))
	})
	return h
}

// flush sends the acks that wait for a take, and deletes what is finished.
func (h *holder) flush(ctx context.Context) error {
	select {
	case h.flushing <- struct{}{}:
		defer func() { <-h.flushing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	acks := h.acks.drain()
	if _, err := h.sess.Ack(ctx, acks); err != nil {
		h.acks.putBack(acks)
		return err
	}
	h.acks.sent(acks)
	return nil
}

// close flushes and ends the session: what it still holds goes back to the head.
func (h *holder) close(ctx context.Context) (lease.Handed, error) {
	h.acks.stop()
	flushErr := h.flush(ctx)
	handed, err := h.sess.Close(ctx)
	return handed, errors.Join(flushErr, err)
}

// fenceAt is when this process may no longer act on what it holds.
func (h *holder) fenceAt() time.Time { return h.sess.LeaseValidUntil() }

// gone reports whether the session is known to be lost and has not begun anew: it
// holds nothing, so that there is nothing to protect.
func (h *holder) gone(until time.Time) bool {
	at := h.lostAt.Load()
	return at != nil && at.Equal(until)
}

// overdue reports whether the lease may be over.
func (h *holder) overdue(now time.Time) bool {
	until := h.fenceAt()
	return !until.IsZero() && now.After(until) && !h.gone(until)
}

// owns reports whether a message that was taken when the session had been lost so
// many times may be started here.
func (h *holder) owns(losses uint64) bool { return !h.fenced.Load() && h.losses.Load() == losses }

// holders is a set of sessions that were given up.
type holders struct {
	mu  sync.Mutex
	set map[*holder]struct{}
}

func (s *holders) add(h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set == nil {
		s.set = map[*holder]struct{}{}
	}
	s.set[h] = struct{}{}
}

func (s *holders) remove(h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.set, h)
}

func (s *holders) all() []*holder {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*holder, 0, len(s.set))
	for h := range s.set {
		out = append(out, h)
	}
	return out
}
