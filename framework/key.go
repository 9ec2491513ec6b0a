package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/delayed"
)

// DedupKey is a deduplication key, such as an order number: a queue has at most one message
// per key and window of time. [Key] makes one. It is an option of [Queue.Offer] and
// [Queue.OfferAt], and a field of [Item]; the zero value is no key.
//
// By default the first message stays: an offer whose key is taken adds nothing. The key is
// taken until its message is due.
//
// Go keeps keys beside the queue; Java's offers have none. After an unknown outcome, a
// second offer with the same key adds no second message.
type DedupKey struct {
	dedup delayed.Dedup
	named bool
}

// Key makes a deduplication key of a text of 1 to 512 bytes, see [DedupKey].
func Key(name string) DedupKey { return DedupKey{dedup: delayed.Dedup{Key: name}, named: true} }

// Within sets for how long the key is taken, from the offer that took it or, with Extend,
// that extended it. Zero, the default, means until the message is due.
func (k DedupKey) Within(window time.Duration) DedupKey {
	k.dedup.Window = window
	return k
}

// Replace makes the last message win: if the key is taken, the offer takes the first message
// out and adds this one. If the first one is no longer pending, because it is due or was
// cancelled by its ID, this one is added.
func (k DedupKey) Replace() DedupKey {
	k.dedup.Policy = delayed.DedupReplace
	return k
}

// Extend gives the first message the due time of this one, and adds nothing: "30 minutes
// after the last click". If the first one is no longer pending, because it is due or was
// cancelled by its ID, this one is added.
func (k DedupKey) Extend() DedupKey {
	k.dedup.Policy = delayed.DedupExtend
	return k
}

// String returns the name.
func (k DedupKey) String() string { return k.dedup.Key }

// ApplyOffer is for this module alone, as an [OfferOption].
func (k DedupKey) ApplyOffer(args *delayed.OfferArgs) {
	args.Dedup = k.dedup
	if k.named && k.dedup.Key == "" {
		args.Err = &fault.DedupError{Reason: "the key is empty"}
	}
}
