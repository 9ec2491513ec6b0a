package handlers

import (
	"sync"
	"time"
)

// Settled is what became of a delivery, after the rules and limits of its queue; see
// [Message.OnSettled].
type Settled struct {
	// Kind is Done, Retried, Rejected where the message is in the dead store, or Released.
	Kind Kind
	// Reason is, where Kind is Rejected, why: one of ReasonRejected, ReasonExhausted,
	// ReasonHung, ReasonExpired.
	Reason string
	// Delay is, where Kind is Retried, the time to the next attempt.
	Delay time.Duration
	// Err is what the handler returned; nil where Kind is Done.
	Err error
	// Gone says that Redis did not apply the outcome: the message was cancelled during the handler,
	// or its lease was lost and another process has it.
	Gone bool
}

// Settling keeps the functions that wait for the end of one delivery. An engine has one for each
// delivery and calls Tell; the zero value is ready. It is safe for concurrent use.
type Settling struct {
	mu sync.Mutex
	fs []func(Settled)
}

// Tell calls the functions in the order in which they came, once. A function that panics does not
// keep the others from being called; panicked hears of it.
func (s *Settling) Tell(end Settled, panicked func(value any)) {
	s.mu.Lock()
	fs := s.fs
	s.fs = nil
	s.mu.Unlock()
	for _, f := range fs {
		tell(f, end, panicked)
	}
}

func tell(f func(Settled), end Settled, panicked func(value any)) {
	defer func() {
		if p := recover(); p != nil {
			panicked(p)
		}
	}()
	f(end)
}

func (s *Settling) add(f func(Settled)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fs = append(s.fs, f)
}

// OnSettled calls f once it is known what becomes of this delivery: after the queue's rules, its
// limit of attempts and Redis have had their say, which a middleware does not know when the handler
// returns. Call it before the handler returns; f runs behind that, by the worker, so it must be
// quick. f of a handler that hangs runs while the handler does. The functions of a message whose
// batch failed as a whole stay for its next run, alone.
//
//	func Count(next handlers.Next) handlers.Next {
//		return func(ctx context.Context, m *handlers.Message) error {
//			m.OnSettled(func(s handlers.Settled) { settled.WithLabelValues(m.Code, s.Kind.String()).Inc() })
//			return next(ctx, m)
//		}
//	}
//
// When Kind is Done, the acknowledgement is on its way: it goes to Redis with the next take. f is
// not called if the process dies before, nor for a Message that no engine made.
func (m *Message) OnSettled(f func(Settled)) {
	if m.Settling != nil && f != nil {
		m.Settling.add(f)
	}
}

// OnSettled is that of [Message.OnSettled].
func (d *Delivery[T]) OnSettled(f func(Settled)) { d.Message().OnSettled(f) }
