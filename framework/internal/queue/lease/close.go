package lease

import (
	"context"
	"time"
)

// Close ends the session: an interrupted Wait returns, all it still holds goes back
// to the head of the queue uncharged, and Redis forgets it. Settle, nack or release
// what handlers have worked on before. An abandoned session may be closed too, which
// returns the messages it never learnt of. On an error call it again; without that
// the reaper does the work when the lease ends. Later calls return nothing.
//
// Where the connection of a blocking move had to be closed, for want of CLIENT UNBLOCK,
// Redis may still let that move have a message until it notices, or Block is over. The
// session stays registered for so long, and the reaper of whichever process comes first
// then returns what landed; no death is charged, since nothing is in flight.
func (s *Session) Close(ctx context.Context) (Handed, error) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if err := s.Unblock(ctx); err != nil {
		return Handed{}, err
	}
	if err := s.turn.take(ctx); err != nil { // a take that is on its way comes to its end first
		return Handed{}, err
	}
	defer s.turn.pass()
	s.lanes.close()
	s.mu.Lock()
	touched, keep := s.touched, max(time.Until(s.severedUntil), 0)
	s.mu.Unlock()
	if !touched {
		return Handed{Session: s.opts.SessionID}, nil
	}
	h, err := handback(ctx, s.shared, s.keys, s.opts.SessionID, "close", keep, s.emptySince())
	if err != nil {
		return Handed{}, err
	}
	s.ledger.forget()
	s.mu.Lock()
	s.registered, s.touched = false, false
	s.mu.Unlock()
	s.pending = nil
	return h, nil
}
