package lease

import (
	"context"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// silent reports whether Redis has not confirmed the lease for a sixth of it. Then it is
// pinged before anything is sent that moves the lease on: over a connection that is half
// open Redis would hear us and we would not hear Redis, and each request would keep our
// messages from others for another lease.
func (s *Session) silent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registered && time.Until(s.validUntil) < s.opts.Lease*2/3-s.opts.Lease/6
}

// Renew moves the end of the lease to one lease from now. Call it every third of the
// lease while messages are held. lost means that others have reaped the session:
// what it took is theirs now, so running handlers should stop; the next Take reports
// it again and goes on afresh. Before the first Take it does nothing.
func (s *Session) Renew(ctx context.Context) (lost bool, err error) {
	s.mu.Lock()
	registered, epoch := s.registered, s.epoch
	s.mu.Unlock()
	if !registered {
		return false, nil
	}
	if s.silent() {
		node, failed := nodeOf(ctx, s.shared, s.keys.Queue)
		if failed == nil {
			failed = node.Ping(ctx).Err()
		}
		if failed != nil {
			return false, rediserr.Classify("PING", failed)
		}
	}
	start := time.Now()
	reply, err := s.run(ctx, renewScript, []string{s.keys.Sessions, s.keys.Leases}, s.opts.SessionID, s.opts.Lease.Milliseconds(), "0")
	if err != nil {
		return false, err
	}
	renewed, now, err := decodeRenewed(reply)
	if err != nil {
		return false, err
	}
	if renewed {
		s.confirmed(start, now)
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch {
		return false, nil // a take in between has registered the session again
	}
	s.ledger.forget()
	return true, nil
}

func decodeRenewed(reply any) (renewed bool, now int64, err error) {
	parts, _ := reply.([]any)
	if len(parts) != 2 {
		return false, 0, replyError(renewScript, "%v", reply)
	}
	known, _ := parts[0].(int64)
	text, _ := parts[1].(string)
	if now, err = strconv.ParseInt(text, 10, 64); err != nil {
		return false, 0, replyError(renewScript, "time %q", text)
	}
	return known == 1, now, nil
}
