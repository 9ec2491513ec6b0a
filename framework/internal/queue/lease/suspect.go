package lease

import "context"

// Begin says that the handler of a suspect begins (see Batch.Suspect): from now on the
// death of this process is held against the message. A suspect that was only in hand
// when its process died is not charged. ok is false when the message is not ours any
// more: do not start it. Safe to repeat after an error.
func (s *Session) Begin(ctx context.Context, t Token) (ok bool, err error) {
	f := s.ledger.find(t)
	if f == nil {
		return false, nil
	}
	reply, err := s.run(ctx, suspectScript, []string{f.key, s.keys.Attempts}, t.Index)
	if err != nil {
		return false, err
	}
	marked, isNumber := reply.(int64)
	if !isNumber {
		return false, replyError(suspectScript, "%v", reply)
	}
	return marked == 1, nil
}
