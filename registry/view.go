package registry

// ViewMode says how Redisson's list of pending elements is kept. Java's size,
// contains, readAll, peek, poll and remove of a delayed queue answer from that list.
// Delivery does not need it: messages are handed out on time with every mode, by Go
// and by Java. All processes that share a queue should use the same.
type ViewMode int

// The modes.
const (
	// ViewExact keeps in the list what is pending and nothing else, at each moment, so that
	// Java's calls are right: size, readAll and contains know it, remove and poll take it. A
	// reschedule changes nothing there. Each message that falls due costs a walk of the list
	// from its head to the element: nothing where messages fall due in the order of their
	// offers, much with random delays and very many pending. So where 400 or more are
	// overdue, passes over the list move them in steps of a few ms: they come out in the
	// order of the list and not of their due times, and the list's order, which readAll, peek
	// and poll show, is approximate from then on. It is the default.
	ViewExact ViewMode = iota
	// ViewOff leaves the list alone: Java's size is 0, its contains and remove answer
	// false and its poll and peek null for all that Go offers there; Java consumes it all
	// the same. What Java offers stays in the list when Go transfers or cancels it. For
	// queues to which only Go offers.
	ViewOff
)

// String returns the constant's name.
func (v ViewMode) String() string {
	return constant("ViewMode", int(v), "ViewExact", "ViewOff")
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
