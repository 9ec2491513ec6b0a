package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Receipt says what came of an offer.
type Receipt struct {
	// ID names the message that is pending now: the one offered or, for
	// [OutcomeKept] and [OutcomeExtended], the first one of its key.
	ID ID
	// Due is when that message is due; of a kept one that is no longer pending, when
	// it was.
	Due time.Time
	// Outcome says whether the message was added. It differs from [OutcomeAdded] only
	// where the offer had a [Key].
	Outcome Outcome
}

// Outcome says what became of an offered message; its String is one word.
type Outcome = redisson.DedupOutcome

// The outcomes.
const (
	OutcomeAdded    = redisson.DedupNone     // it was added: its key was free, or it has none
	OutcomeKept     = redisson.DedupKept     // the first message of its key stays, nothing was added
	OutcomeReplaced = redisson.DedupReplaced // it was added, and the first message of its key taken out
	OutcomeExtended = redisson.DedupExtended // the first message of its key got the due time, nothing was added
)

func receiptOf(r redisson.OfferResult) Receipt {
	return Receipt{ID: ID(r.Text), Due: time.UnixMilli(r.DueMs), Outcome: r.Dedup}
}
