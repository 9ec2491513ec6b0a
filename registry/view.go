package registry

// ViewMode says how Redisson's list of pending elements is kept. Java's size,
// contains, readAll, peek, poll and remove of a delayed queue answer from that list.
// Delivery does not need it: messages are handed out on time with every mode, by Go
// and by Java. All processes that share a queue should use the same.
type ViewMode int

// The modes.
const (
	// ViewExact keeps the list as Redisson does, so that Java's calls are right: size,
	// readAll, contains and peek know what is pending and nothing else, in the order of
	// the offers; remove and poll take messages that are pending. A reschedule changes
	// nothing there. Each message that falls due costs a walk of the list from its head
	// to the element: nothing where messages fall due in the order of their offers, much
	// with random delays and very many pending. Where that is too much for Redis, due
	// messages are late: a warning and the metric messaging.redisson.view.behind tell.
	// It is the default.
	ViewExact ViewMode = iota
	// ViewUnordered is ViewExact, and lets messages that are overdue together come out
	// in the order of their offers instead of their due times: a backlog with random
	// due times is moved at a small cost for each message.
	ViewUnordered
	// ViewOnePass is ViewExact, but if hundreds are overdue at random places of the list,
	// one script moves all of them and reads the whole list once. That keeps
	// every order, and holds Redis for about a second for each million pending, each time
	// a backlog has gathered and at most 5,000 messages are ready; a list of more than
	// two million, or of more than a gigabyte, is not read.
	ViewOnePass
	// ViewLazy adds to the list, and clears delivered and cancelled elements off its head
	// only later: it may hold as many of these as pending ones. Until then Java's size
	// counts them, its readAll and contains find them, and its peek may show one. Java's
	// remove and poll may take one, though it was or will be delivered all the same.
	// Pending messages are found and removed rightly. Clearing may change the order of
	// readAll. Do not use it if Java cancels messages of the queue.
	ViewLazy
	// ViewOff leaves the list alone: Java's size is 0, its contains and remove answer
	// false and its poll and peek null for all that Go offers there; Java consumes it all
	// the same. What Java offers stays in the list when Go transfers or cancels it. For
	// queues to which only Go offers.
	ViewOff
)

// String returns the constant's name.
func (v ViewMode) String() string {
	return constant("ViewMode", int(v), "ViewExact", "ViewUnordered", "ViewOnePass", "ViewLazy", "ViewOff")
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
