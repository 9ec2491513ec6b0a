package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// Message is a message to offer, for what [Offer] has no parameter for.
type Message[T any] struct {
	Value T

	// Delay counts by Redis's clock, rounded up to a millisecond. Ignored when At is
	// set. The zero value makes the message due at once.
	Delay time.Duration

	// At is the due time by Redis's clock.
	At time.Time

	// Dedup, where its Key is set, keeps a second message of that key out.
	Dedup Dedup
}

// Dedup names a message, so that a window of time holds one of that name: an order
// number, say. The zero value names nothing.
//
// The name lives beside the queue, for Go producers only: Java's offers have none.
// A repeated offer of the same key after an unknown outcome cannot double the
// message.
type Dedup struct {
	Key    string // at most 512 bytes
	Policy DedupPolicy

	// Window is how long the key is taken, counted from the offer that took it or, with
	// [DedupExtend], extended it. Zero: until the message is due.
	Window time.Duration
}

// DedupPolicy says what an offer does whose key is taken.
type DedupPolicy = redisson.DedupPolicy

// The policies. Where the message that holds the key is no longer pending, because
// it is due or was cancelled by its id, [DedupReplace] and [DedupExtend] offer anew;
// [DedupKeep] still adds nothing.
const (
	// DedupKeep leaves the first message as it is and adds nothing. It is the default.
	DedupKeep = redisson.DedupKeep
	// DedupReplace takes the first message out and adds this one: the last one wins.
	DedupReplace = redisson.DedupReplace
	// DedupExtend gives the first message this one's due time and adds nothing:
	// "30 minutes after the last click".
	DedupExtend = redisson.DedupExtend
)

// DedupError says what is wrong with a key, policy or window; nothing was sent.
type DedupError = redisson.DedupError

// DedupOutcome says what came of an offer with a key.
type DedupOutcome = redisson.DedupOutcome

// The outcomes.
const (
	DedupNone     = redisson.DedupNone     // it was added: the key was free, or it has none
	DedupKept     = redisson.DedupKept     // the first message stays, nothing was added
	DedupReplaced = redisson.DedupReplaced // it was added, and the first message taken out
	DedupExtended = redisson.DedupExtended // the first message got the due time, nothing was added
)

// Receipt says what came of an offer.
type Receipt struct {
	// ID names the message that is pending now: the one offered or, for
	// [DedupKept] and [DedupExtended], the first one.
	ID ID
	// Due is when that message is due; of a kept one that is no longer pending, when
	// it was.
	Due time.Time
	// Dedup says what came of the key.
	Dedup DedupOutcome
}

// OfferMessage is [Offer] and [OfferAt] with all that a [Message] can say. Errors are
// those of Offer, [*DedupError] and, beside a valid Receipt, [*ReplicationError].
func OfferMessage[T any](ctx context.Context, c *Client, q *registry.Queue[T], m Message[T], opts ...OfferOption) (Receipt, error) {
	args := m.args()
	for _, opt := range opts {
		if opt != nil {
			opt.applyOffer(&args)
		}
	}
	return offerOne(ctx, c, q, m.Value, args)
}

func (m Message[T]) args() redisson.OfferArgs {
	d := m.Dedup
	return redisson.OfferArgs{
		Delay: m.Delay, At: m.At, Dedup: redisson.Dedup{Key: d.Key, Policy: d.Policy, Window: d.Window},
	}
}

func receiptOf(r redisson.OfferResult) Receipt {
	return Receipt{ID: ID(r.Text), Due: time.UnixMilli(r.DueMs), Dedup: r.Dedup}
}
