package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// Receipt is the result of an offer.
type Receipt struct {
	// ID names the message that was added or, for [OutcomeKept], [OutcomeExtended] and
	// [OutcomeHandled], the first one of its key.
	ID ID
	// Due is when that message is due, or was.
	Due time.Time
	// Outcome says whether the message was added. It differs from [OutcomeAdded] only
	// where the offer had a [Key].
	Outcome Outcome
}

// Outcome says what became of an offered message.
type Outcome int

// The outcomes.
const (
	OutcomeAdded = Outcome(delayed.DedupNone) // it was added: its key was free, or it has none
	// OutcomeKept: nothing was added, since the first message of the key is still to be
	// handled: it is pending or, within a window (DedupKey.Within), ready or in flight.
	OutcomeKept     = Outcome(delayed.DedupKept)
	OutcomeReplaced = Outcome(delayed.DedupReplaced) // it was added, and the first message of its key taken out
	OutcomeExtended = Outcome(delayed.DedupExtended) // the first message of its key got the due time, nothing was added
	// OutcomeHandled: nothing was added, since the first message of the key was handled
	// within its window (DedupKey.Within).
	OutcomeHandled = Outcome(delayed.DedupHandled)
)

// String returns added, kept, replaced, extended or handled.
func (o Outcome) String() string { return delayed.DedupOutcome(o).String() }

func receiptOf(r delayed.OfferResult) Receipt {
	return Receipt{ID: ID(r.Text), Due: time.UnixMilli(r.DueMs), Outcome: Outcome(r.Dedup)}
}
