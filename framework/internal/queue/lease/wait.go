package lease

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Pace of the attempts to end a wait. One attempt is enough unless it comes between
// the sending and the blocking.
const (
	unblockFirst = 2 * time.Millisecond
	unblockMost  = 50 * time.Millisecond
	unblockUntil = 2 * time.Second // then the connection is closed
)

// Waited says how a wait ended.
type Waited struct {
	Landed      bool // a message lies in staging: take it
	Lost        bool // the session had been reaped: what was taken earlier belongs to others
	Interrupted bool // ctx ended or Unblock was called; a message may have landed nevertheless
}

// Wait blocks until a message lands in the session's staging list, Block has passed,
// ctx ends or [Session.Unblock] is called. It renews the lease first. Call it only
// when a Take has found the queue empty: Java consumers that block on the same list
// then get their share. When Redis is full it returns an error that is [ErrFull]; the
// caller polls with Take then.
func (s *Session) Wait(ctx context.Context) (Waited, error) {
	if s.turn.take(ctx) != nil { // as where ctx ends while it blocks
		return Waited{Interrupted: true}, nil
	}
	defer s.turn.pass()
	if err := s.usable(); err != nil {
		return Waited{}, err
	}
	ln, err := s.lanes.get(ctx)
	if err != nil {
		return Waited{}, err
	}
	w, ok := s.startWaiting(ln)
	if !ok {
		return Waited{}, ErrClosed
	}
	defer s.stopWaiting(w)
	stop := context.AfterFunc(ctx, func() { w.interrupt(ctx) })
	defer stop()
	if ctx.Err() != nil {
		return Waited{Interrupted: true}, nil
	}
	return s.block(ctx, w)
}

// block sends the registration and the blocking move as one pipeline over one
// connection, so that nothing can land for a session that is not registered.
func (s *Session) block(ctx context.Context, w *waiter) (Waited, error) {
	start, fetches := time.Now(), s.ledger.lists()
	s.mu.Lock()
	s.touched = true
	s.mu.Unlock()
	pipe := w.lane.wait.Pipeline()
	// The source each time: where Redis did not know the digest the move would go on all the same.
	register := pipe.Eval(ctx, renewScript.Source(), s.renewKeys(), s.opts.SessionID, s.opts.Lease.Milliseconds(), "1")
	move := pipe.BLMove(ctx, s.keys.Queue, s.stage, "LEFT", "RIGHT", s.opts.Block)
	// Exec repeats the errors of the commands, which are read one by one. It gets no
	// cancellation: go-redis would only stop it before it is sent.
	_, _ = pipe.Exec(context.WithoutCancel(ctx))

	var result Waited
	reply, err := register.Result()
	var known renewal
	if err == nil {
		known, err = decodeRenewed(reply) // its clock is of no use: the block has taken its time since
	}
	if err == nil {
		s.mu.Lock()
		s.counted(known, fetches)
		result.Lost = !known.renewed && s.registered
		s.registered = true
		s.epoch++
		s.renewedLocked(start)
		s.mu.Unlock()
		if result.Lost {
			s.ledger.forget()
		}
	}
	moveErr := move.Err()
	result.Landed = moveErr == nil
	result.Interrupted = w.wasInterrupted()
	if errors.Is(moveErr, redis.Nil) {
		moveErr = nil
	}
	if err = errors.Join(err, moveErr); err == nil {
		return result, nil
	}
	var answered redis.Error
	if result.Interrupted && !errors.As(err, &answered) {
		s.sever(ctx, w.lane)
		return result, nil // the interruption closed the connection
	}
	err = s.afterWait(ctx, w.lane, err)
	return result, s.explain(ctx, err)
}

// afterWait types an error of the lane, and drops a lane that is of no use any more.
func (s *Session) afterWait(ctx context.Context, ln *lane, err error) error {
	var answered redis.Error
	if !errors.As(err, &answered) {
		s.sever(ctx, ln)
		return err
	}
	typed := rediserr.Classify("wait", answered)
	var server *fault.ServerError
	if errors.As(typed, &server) {
		switch server.Kind {
		case fault.KindOutOfMemory:
			return errors.Join(ErrFull, typed)
		case fault.KindCluster, fault.KindReadOnly, fault.KindUnblocked:
			s.lanes.drop(ctx, ln)
		default: // the connection is as good as before, unless the server is not
			if rediserr.Leave(typed) {
				s.lanes.drop(ctx, ln)
			}
		}
	}
	return typed
}

// blockSlack is how long a blocking move may take beyond its own time.
const blockSlack = time.Second

// sever drops a lane while Redis may still be blocked for it.
func (s *Session) sever(ctx context.Context, ln *lane) {
	s.mu.Lock()
	s.severedUntil = time.Now().Add(s.opts.Block + blockSlack)
	s.mu.Unlock()
	s.lanes.drop(ctx, ln)
}

// MayLand reports whether a message may still land, or have landed unseen, of a blocking move
// whose connection was closed: Redis may notice that later. A take that begins after the
// move's own time ends that.
func (s *Session) MayLand() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.severedUntil.IsZero()
}

// looked notes that a take which began then has seen the stage.
func (s *Session) looked(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if began.After(s.severedUntil) {
		s.severedUntil = time.Time{}
	}
}

// waiter is one wait in progress.
type waiter struct {
	session *Session
	lane    *lane
	done    chan struct{} // closed when the wait has returned
	asked   chan struct{} // closed when it shall return
	first   atomic.Bool   // an interruption is under way, or done
	over    chan struct{} // closed when that has done what it can
}

func (s *Session) startWaiting(ln *lane) (*waiter, bool) {
	w := &waiter{session: s, lane: ln, done: make(chan struct{}), asked: make(chan struct{}), over: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.waiter = w
	return w, true
}

func (s *Session) stopWaiting(w *waiter) {
	s.mu.Lock()
	s.waiter = nil
	s.mu.Unlock()
	close(w.done)
}

func (w *waiter) wasInterrupted() bool {
	select {
	case <-w.asked:
		return true
	default:
		return false
	}
}

// interrupt ends the wait and returns when it has ended, or after unblockUntil when
// the connection was closed instead.
func (w *waiter) interrupt(ctx context.Context) {
	if w.first.Swap(true) {
		<-w.over
		return
	}
	defer close(w.over)
	close(w.asked)
	if background.Call(ctx, "end a wait", func() error { w.tryToEnd(ctx); return nil }) != nil && !w.ended() {
		w.session.sever(ctx, w.lane)
	}
}

// tryToEnd has Redis end the block, or closes the connection.
func (w *waiter) tryToEnd(ctx context.Context) {
	// The caller's context may have ended: that is why we are here.
	trying, cancel := context.WithTimeout(context.WithoutCancel(ctx), unblockUntil)
	defer cancel()
	for every := unblockFirst; trying.Err() == nil; every = min(2*every, unblockMost) {
		if w.ended() {
			return
		}
		if !w.unblock(trying) {
			break
		}
		t := time.NewTimer(every)
		select {
		case <-w.done:
			t.Stop()
			return
		case <-t.C:
		}
	}
	if !w.ended() {
		w.session.sever(ctx, w.lane)
	}
}

func (w *waiter) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// unblock asks Redis from another connection to end the block. It returns false when
// that is of no use on this server.
func (w *waiter) unblock(ctx context.Context) bool {
	id := w.lane.id.Load()
	if id < 0 {
		return false
	}
	if id == 0 {
		return true // the connection is being opened
	}
	node, err := redisapi.Node(ctx, w.session.shared, w.session.keys.Queue)
	if err != nil {
		return false
	}
	return node.ClientUnblock(ctx, id).Err() == nil
}

// Unblock ends the Wait in progress, if there is one, and returns when it has ended
// or ctx has. It has no effect on a later Wait: to prevent one, end its context.
func (s *Session) Unblock(ctx context.Context) error {
	s.mu.Lock()
	w := s.waiter
	s.mu.Unlock()
	if w == nil {
		return nil
	}
	background.Go(ctx, "end a wait", func() { w.interrupt(ctx) })
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
