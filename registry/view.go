package registry

import "strconv"

// ViewMode says how Redisson's list of pending elements is kept. Java's size,
// contains, readAll, peek, poll and remove of a delayed queue answer from that list.
// Delivery does not need it: messages are handed out on time with every mode, by Go
// and by Java. All processes that share a queue should use the same.
type ViewMode int

// The modes.
const (
	// ViewExact keeps the list as Redisson does, so that Java's calls are right. Each
	// message that falls due costs a walk of the list from its head to the element:
	// nothing where messages fall due in the order of their offers, much with random
	// delays and very many pending. It is the default.
	ViewExact ViewMode = iota
	// ViewUnordered is ViewExact, and lets messages that are overdue together come out
	// in the order of their offers instead of their due times: a backlog with random
	// due times is moved at a small cost for each message.
	ViewUnordered
	// ViewLazy adds to the list and clears finished elements off its head later. The
	// list may hold as many finished elements as pending ones: Java's size counts them,
	// its readAll and contains find them, and its remove and poll of a pending message
	// may take one that was delivered. Not for queues of which Java cancels.
	ViewLazy
	// ViewOff leaves the list alone: Java sees nothing of what Go offers there. For
	// queues to which only Go offers.
	ViewOff
)

var viewNames = [...]string{"ViewExact", "ViewUnordered", "ViewLazy", "ViewOff"}

// String returns the constant's name.
func (v ViewMode) String() string {
	if v < 0 || int(v) >= len(viewNames) {
		return "ViewMode(" + strconv.Itoa(int(v)) + ")"
	}
	return viewNames[v]
}

// View says how Java's view of the pending messages is kept. Defaults to
// [ViewExact].
func View(mode ViewMode) Option {
	return &option{
		name: "View", arg: mode.String(),
		fault: faultIf(mode < ViewExact || mode > ViewOff, "there is no such mode"),
		set:   func(p *Policy) { p.View = mode },
	}
}
