package lease

import (
	"context"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// maxDetail bounds what is kept of an error text.
const maxDetail = 4096

// traceLife is how long a trace record outlives the due time of its message.
const traceLife = 24 * time.Hour

// nackTries is how often a nack is sent when its outcome is unknown or its id is taken.
const nackTries = 4

// NackArgs say what becomes of a message that did not succeed.
type NackArgs struct {
	Charge bool // count a failure; otherwise only the hand-out counts
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
	Gone    Outcome = iota // the message is not ours any more: nothing was done
	Retried                // it is pending again
	Dead                   // it lies in the dead store
)

// NackResult says what became of the message.
type NackResult struct {
	Outcome   Outcome
	DueMs     int64              // Retried: when it is due again, in ms
	ID        redisson.ElementID // Retried: its new id
	Entry     string             // Dead: id of its entry
	Delivered int                // hand-outs so far, this one included
	Failed    int                // failures so far
}

// Nack offers a message again through the delayed structures, where Java sees it and
// may transfer it, or gives it up when its attempts are used up. It repeats itself
// when a reply is lost; the message is never offered twice by that.
func (s *Session) Nack(ctx context.Context, t Token, a NackArgs) (NackResult, error) {
	f := s.ledger.find(t)
	if f == nil {
		return NackResult{}, nil
	}
	reason := a.Reason
	if reason == "" {
		reason = "exhausted"
	}
	keys := []string{f.key, s.keys.Timeout, s.keys.Pending, s.keys.Channel, s.keys.Attempts, s.keys.Trace, s.keys.Dead}
	id := ids.Next()
	for try := 1; ; try++ {
		reply, err := s.run(ctx, nackScript, keys, t.Index, flag(a.Charge), a.MaxAttempts,
			max(a.Delay, 0).Milliseconds(), id.Raw[:], reason, cut(a.ErrText), a.Trace, traceLife.Milliseconds(), flag(!s.opts.Unlisted))
		if err != nil {
			if try < nackTries && redisson.IsAmbiguous(err) && pause(ctx, repeatAfter(try)) {
				continue
			}
			return NackResult{}, err
		}
		words, err := texts(nackScript.Name(), reply)
		if err != nil {
			return NackResult{}, err
		}
		if words[0] == "taken" && try < nackTries {
			ids.Collided()
			id = ids.Next()
			continue
		}
		return s.nacked(t, id, words)
	}
}

// nacked reads the reply of the script.
func (s *Session) nacked(t Token, id redisson.ElementID, words []string) (NackResult, error) {
	switch {
	case words[0] == "gone":
		s.ledger.settleTokens(t)
		return NackResult{}, nil
	case len(words) == 4 && (words[0] == "retried" || words[0] == "dead"):
	default:
		return NackResult{}, replyError(nackScript.Name(), "%q", words)
	}
	s.ledger.settleTokens(t)
	r := NackResult{Delivered: atoi(words[2]), Failed: atoi(words[3])}
	if words[0] == "dead" {
		r.Outcome, r.Entry = Dead, words[1]
		return r, nil
	}
	due, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return NackResult{}, replyError(nackScript.Name(), "due time %q", words[1])
	}
	r.Outcome, r.DueMs, r.ID = Retried, due, id
	return r, nil
}

func cut(text string) string {
	if len(text) > maxDetail {
		return text[:maxDetail]
	}
	return text
}

// texts reads a reply that is an array of strings, of one at least.
func texts(script string, reply any) ([]string, error) {
	parts, _ := reply.([]any)
	words := make([]string, len(parts))
	for i, p := range parts {
		switch v := p.(type) {
		case string:
			words[i] = v
		case int64:
			words[i] = strconv.FormatInt(v, 10)
		default:
			return nil, replyError(script, "element %d is a %T", i, p)
		}
	}
	if len(words) == 0 {
		return nil, replyError(script, "%v", reply)
	}
	return words, nil
}
