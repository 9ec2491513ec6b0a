package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// DedupKey is a deduplication key, such as an order number: a queue has at most one pending
// message per key. [Key] makes one. It is an option of [Queue.Offer] and [Queue.OfferAt], and
// a field of [Item]; the zero value is no key.
//
// By default the first message stays: an offer whose key is taken adds nothing
// ([OutcomeKept]). The key is taken while its message is pending, also while that waits for
// a retry. A message that was handled, cancelled, removed, polled or cleared, that died, or
// that Java removed or took, frees its key at once. So does one that is ready or in flight;
// [DedupKey.Within] changes that.
//
// Go stores keys in its own Redis keys; Java's offers have none. After an unknown outcome, a
// second offer with the same key adds no second message while the first is pending.
type DedupKey struct {
	dedup delayed.Dedup
	named bool
}

// Key makes a deduplication key of a text of 1 to 512 bytes, see [DedupKey].
func Key(name string) DedupKey { return DedupKey{dedup: delayed.Dedup{Key: name}, named: true} }

// Within sets for how long the key is taken, from the offer that took it or, with Extend,
// that extended it: then it stays taken while the message is ready or in flight
// ([OutcomeKept]), and once a Go process has handled it ([OutcomeHandled]). Zero, the default,
// means while the message is pending. A window that is over frees no key whose message is
// pending.
//
// What is not known to be there frees the key, since a second message is better than none.
// So an offer within the window adds a second one where the first has died, or is on the ready
// list and Java put it there or queue and Redis keep no due times (registry.DueTracking); and
// in the moment, less than a millisecond mostly, between the ready list and a handler that
// waits for it.
func (k DedupKey) Within(window time.Duration) DedupKey {
	k.dedup.Window = window
	return k
}

// Replace lets the new message win: if the key is taken, the offer removes the earlier message and
// adds the new one. If the earlier message is no longer pending, the offer only adds the new one.
func (k DedupKey) Replace() DedupKey {
	k.dedup.Policy = delayed.DedupReplace
	return k
}

// Extend gives the earlier message the due time of this offer and adds nothing, as in "30 minutes
// after the last click". If the earlier message is no longer pending, the offer adds its own
// message.
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
