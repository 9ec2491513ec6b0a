package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/delayed"
)

// Receipt is the result of an offer.
type Receipt struct {
	// ID names the message that is pending now: the one offered or, for
	// [OutcomeKept] and [OutcomeExtended], the first one of its key.
	ID ID
	// Due is when that message is due; if it was kept and is no longer pending, when it
	// was due.
	Due time.Time
	// Outcome says whether the message was added. It differs from [OutcomeAdded] only
	// where the offer had a [Key].
	Outcome Outcome
}

// Outcome says what became of an offered message.
type Outcome int

// The outcomes.
const (
	OutcomeAdded    = Outcome(delayed.DedupNone)     // it was added: its key was free, or it has none
	OutcomeKept     = Outcome(delayed.DedupKept)     // the first message of its key stays, nothing was added
	OutcomeReplaced = Outcome(delayed.DedupReplaced) // it was added, and the first message of its key taken out
	OutcomeExtended = Outcome(delayed.DedupExtended) // the first message of its key got the due time, nothing was added
)

// String returns added, kept, replaced or extended.
func (o Outcome) String() string { return delayed.DedupOutcome(o).String() }

func receiptOf(r delayed.OfferResult) Receipt {
	return Receipt{ID: ID(r.Text), Due: time.UnixMilli(r.DueMs), Outcome: Outcome(r.Dedup)}
}
