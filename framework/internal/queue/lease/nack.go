package lease

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// maxDetail bounds what is kept of an error text.
const maxDetail = 4096

// nackTries is how often a nack is sent when its outcome is unknown or its id is taken.
const nackTries = 4

// nackChunk is how many nacks go into one pipeline.
const nackChunk = 128

// NackArgs say what becomes of a message that did not succeed.
type NackArgs struct {
	Charge bool // count a failure; otherwise only the hand-out counts
	// Uncalled says that no handler was called: nothing counts, nor may Charge or MaxHangs be set.
	Uncalled bool
	// MaxHangs says that the handler hung, which is counted, and the number of times at which
	// the message goes to the dead store instead. Zero means that it did not hang.
	MaxHangs int
	// MaxAttempts is the number of failures at which a charged message goes to the
	// dead store instead. Zero means no limit.
	MaxAttempts int
	Delay       time.Duration // until it is due again; negative counts as zero
	Reason      string        // for the dead store; defaults to "exhausted"
	ErrText     string        // for the dead store; cut after 4096 bytes
	Trace       []byte        // 25 bytes that replace the message's trace context; nil keeps it
}

// Outcome is what a nack did.
type Outcome int

// The outcomes.
const (
	Gone      Outcome = iota // the message is not ours any more: nothing was done
	Retried                  // it is pending again
	Dead                     // it lies in the dead store
	Cancelled                // it was cancelled while it was in flight, and is gone
)

// NackResult says what became of the message.
type NackResult struct {
	Outcome   Outcome
	DueMs     int64  // Retried: when it is due again, in ms
	Entry     string // Dead: id of its entry
	Delivered int    // hand-outs so far, this one included
	Failed    int    // failures so far
}

// Nacking is one nack of several, see [Session.NackAll]. It keeps the id that it drew, so
// that it is repeated as it is.
type Nacking struct {
	Token Token
	NackArgs

	Settled bool       // Result says what became of the message
	Result  NackResult // zero until then

	id wire.ElementID
}

// Nack offers a message again through the delayed structures, where Java sees it and
// may transfer it, or gives it up when its attempts are used up. It repeats itself
// when a reply is lost; the message is never offered twice by that.
func (s *Session) Nack(ctx context.Context, t Token, a NackArgs) (NackResult, error) {
	n := Nacking{Token: t, NackArgs: a}
	err := s.NackAll(ctx, []*Nacking{&n})
	return n.Result, err
}

// NackAll is Nack of several messages in one round trip: one script for each, in their
// order, so that none is worse off for another. Those that are settled already are left
// out. On an error some may be settled and others not: call it again with the same
// values, and each is answered as if it had been called once.
func (s *Session) NackAll(ctx context.Context, nacks []*Nacking) error {
	var open []*Nacking
	for _, n := range nacks {
		switch f := s.ledger.find(n.Token); {
		case n.Settled:
		case f == nil:
			n.Settled = true // gone
		default:
			open = append(open, n)
		}
	}
	for chunk := range slices.Chunk(open, nackChunk) {
		if err := s.nackOpen(ctx, chunk); err != nil {
			return s.explain(ctx, err)
		}
	}
	return nil
}

// nackOpen sends nacks until their outcomes are known.
func (s *Session) nackOpen(ctx context.Context, open []*Nacking) error {
	for try := 1; ; try++ {
		var failed error // one that is not repeated here, or else one whose outcome is unknown
		var left []*Nacking
		for i, reply := range s.sendNacks(ctx, open) {
			n, err := open[i], reply.Err
			if err == nil {
				err = s.nacked(n, reply.Value, try == nackTries)
			}
			if n.Settled {
				continue
			}
			left = append(left, n)
			if err == nil {
				continue // its id is taken
			}
			if failed == nil || !rediserr.IsAmbiguous(err) {
				failed = err
			}
		}
		switch {
		case len(left) == 0:
			return nil
		case failed == nil:
		case try == nackTries || !rediserr.IsAmbiguous(failed) || !pause(ctx, repeatAfter(try)):
			return failed
		}
		open = left
	}
}

// charge is what the script counts.
func (a *NackArgs) charge() string {
	if a.Uncalled {
		return "-"
	}
	return script.Flag(a.Charge)
}

// sendNacks sends each once: several in one pipeline.
func (s *Session) sendNacks(ctx context.Context, nacks []*Nacking) []script.Reply {
	calls := make([]script.Call, len(nacks))
	for i, n := range nacks {
		if n.id.IsZero() {
			n.id = wire.ProcessIDs.Next()
		}
		reason := cmp.Or(n.Reason, "exhausted")
		k := s.keys
		calls[i] = script.Call{
			Script: nackScript,
			Keys: []string{
				k.Inflight(s.opts.SessionID, n.Token.Nonce), k.Timeout, k.Pending, k.Channel, k.Attempts, k.Trace, k.Dead, k.MessageNames, k.IDs,
			},
			Args: []any{
				n.Token.Index, n.charge(), n.MaxAttempts, max(n.Delay, 0).Milliseconds(), n.id.Raw[:], reason,
				cut(n.ErrText), n.Trace, delayed.DefaultTraceTTL.Milliseconds(), script.Flag(!s.opts.Unlisted), n.MaxHangs,
			},
		}
	}
	if len(calls) == 1 {
		value, err := nackScript.Run(ctx, s.shared, calls[0].Keys, calls[0].Args...)
		return []script.Reply{{Value: value, Err: err}}
	}
	return script.RunAll(ctx, s.shared, calls)
}

// nacked reads the reply of the script. Where the id is taken it draws another one and
// settles nothing; that is an error for the last try.
func (s *Session) nacked(n *Nacking, reply any, last bool) error {
	words, err := texts(nackScript, reply, 0)
	if err != nil {
		return err
	}
	r := NackResult{}
	switch {
	case words[0] == "taken" && !last:
		wire.ProcessIDs.Collided()
		n.id = wire.ProcessIDs.Next()
		return nil
	case words[0] == "gone":
	case len(words) == 4 && words[0] == "dead":
		r = NackResult{Outcome: Dead, Entry: words[1], Delivered: atoi(words[2]), Failed: atoi(words[3])}
	case len(words) == 4 && words[0] == "cancelled":
		r = NackResult{Outcome: Cancelled, Delivered: atoi(words[2]), Failed: atoi(words[3])}
	case len(words) == 4 && words[0] == "retried":
		due, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return replyError(nackScript, "due time %q", words[1])
		}
		r = NackResult{Outcome: Retried, DueMs: due, Delivered: atoi(words[2]), Failed: atoi(words[3])}
	default:
		return replyError(nackScript, "%q", words)
	}
	s.ledger.settleTokens(n.Token)
	n.Settled, n.Result = true, r
	return nil
}

func cut(text string) string {
	if len(text) > maxDetail {
		return text[:maxDetail]
	}
	return text
}
