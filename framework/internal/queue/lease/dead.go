package lease

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// DeadArgs say why a message is given up.
type DeadArgs struct {
	Reason string // "rejected", "undecodable", …
	Detail string // cut after 4096 bytes
	Charge bool   // count a failure
	Trace  []byte // 25 bytes that replace the message's trace context; nil keeps it
}

// DeadResult says what became of the message.
type DeadResult struct {
	Entry     string // id of its entry in the dead store
	Cancelled bool   // it was cancelled while it was in flight, and is gone
	Gone      bool   // the message is not ours any more: nothing was done
}

// Dead moves a message to the dead store, with its bytes, and forgets its counters. One
// that was cancelled while it was in flight just ends.
// Repeated after a lost reply it answers the same.
func (s *Session) Dead(ctx context.Context, t Token, a DeadArgs) (DeadResult, error) {
	f := s.ledger.find(t)
	if f == nil {
		return DeadResult{Gone: true}, nil
	}
	reply, err := s.run(ctx, deadScript, []string{f.key, s.keys.Dead, s.keys.Attempts, s.keys.MessageNames, s.keys.IDs},
		t.Index, a.Reason, cut(a.Detail), script.Flag(a.Charge), a.Trace)
	if err != nil {
		return DeadResult{}, err
	}
	words, err := texts(deadScript, reply, 0)
	if err != nil {
		return DeadResult{}, err
	}
	s.ledger.settleTokens(t)
	switch {
	case len(words) == 2 && words[0] == "dead":
		return DeadResult{Entry: words[1]}, nil
	case len(words) == 1 && words[0] == "cancelled":
		return DeadResult{Cancelled: true}, nil
	}
	return DeadResult{Gone: true}, nil
}
