package delayed

import (
	"fmt"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
)

// MaxKeyBytes bounds the key of a [Dedup].
const MaxKeyBytes = 512

// DedupPolicy says what an offer does whose key is taken.
type DedupPolicy int

// The policies.
const (
	DedupKeep    DedupPolicy = iota // the first message stays, this one is not added
	DedupReplace                    // this one takes the place of the first, if that is pending
	DedupExtend                     // the first one gets this one's due time, if it is pending
)

var dedupNames = [...]string{"keep", "replace", "extend"}

// String says what becomes of the second message: keep, replace or extend, as the policies
// are called.
func (p DedupPolicy) String() string {
	if p < 0 || int(p) >= len(dedupNames) {
		return fmt.Sprintf("DedupPolicy(%d)", int(p))
	}
	return dedupNames[p]
}

// Dedup names an offer, so that a queue holds one message of that name. The name leads to
// the message until that is done; see [ChangeArgs].
type Dedup struct {
	Key    string      // empty: none
	Policy DedupPolicy // the zero value is DedupKeep

	// Window is how long the key is taken, counted from the offer, also once the message was
	// handled. Zero: while the message is pending.
	Window time.Duration
}

// Nonce names one offer, whoever sends it: while its window lasts, counted from the offer that
// was the first, another one adds nothing, and its result is that of the first.
type Nonce struct {
	Text   string // empty: none
	Window time.Duration
}

// DedupOutcome says what came of an offer with a key.
type DedupOutcome int

// The outcomes.
const (
	DedupNone     DedupOutcome = iota // it was added: the key was free, or there was none
	DedupKept                         // the first message is still to be handled, nothing was added
	DedupReplaced                     // it was added, and the first message taken out
	DedupExtended                     // the first message got the due time, nothing was added
	DedupHandled                      // the first message was handled within the window, nothing was added
)

var dedupOutcomeNames = [...]string{"added", "kept", "replaced", "extended", "handled"}

// String says what came of it: added, kept, replaced, extended or handled.
func (o DedupOutcome) String() string {
	if o < 0 || int(o) >= len(dedupOutcomeNames) {
		return fmt.Sprintf("DedupOutcome(%d)", int(o))
	}
	return dedupOutcomeNames[o]
}

var dedupOutcomes = map[string]DedupOutcome{"kept": DedupKept, "replaced": DedupReplaced, "extended": DedupExtended, "handled": DedupHandled}

// Check returns the mistake in it.
func (d Dedup) Check() error {
	switch {
	case d.Key == "" && d.Policy == DedupKeep && d.Window == 0:
		return nil
	case d.Key == "":
		return &fault.DedupError{Reason: "a policy or window needs a key"}
	case len(d.Key) > MaxKeyBytes:
		return &fault.DedupError{Key: d.Key, Reason: fmt.Sprintf("it has %d bytes, the limit is %d: use a digest", len(d.Key), MaxKeyBytes)}
	case d.Policy < DedupKeep || d.Policy > DedupExtend:
		return &fault.DedupError{Key: d.Key, Reason: fmt.Sprintf("there is no policy %d", int(d.Policy))}
	case d.Window < 0:
		return &fault.DedupError{Key: d.Key, Reason: fmt.Sprintf("the window %v is negative", d.Window)}
	}
	return nil
}

// window returns the argument of the script.
func (d *Dedup) window() string {
	if d.Window <= 0 {
		return ""
	}
	return windowMs(d.Window)
}

// windowMs rounds up.
func windowMs(window time.Duration) string {
	return strconv.FormatInt(int64((window-1)/time.Millisecond)+1, 10)
}

func (n Nonce) check() error {
	switch {
	case n.Text == "" && n.Window == 0:
		return nil
	case n.Text == "" || len(n.Text) > MaxKeyBytes:
		return &fault.DedupError{Key: n.Text, Reason: fmt.Sprintf("a nonce has 1 to %d bytes", MaxKeyBytes)}
	case n.Window <= 0:
		return &fault.DedupError{Key: n.Text, Reason: "a nonce needs a window"}
	}
	return nil
}
