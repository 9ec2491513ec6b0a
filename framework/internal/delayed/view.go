package delayed

// View says how Redisson's list of pending elements is kept, which Java's size,
// contains, readAll, peek, poll and remove of a delayed queue answer from. Delivery
// needs the set alone: it works with every view, on both sides.
type View int

// The views.
const (
	// ViewExact keeps in the list what is pending: each message costs a walk of the
	// list from its head to the element, which is short where messages fall due in the
	// order of their offers. Where hundreds are overdue, passes over the list move them
	// in the order of the list, and change where it begins.
	ViewExact View = iota
	// ViewOrdered is ViewExact, but moves each message by due time and keeps the order
	// of the list, whatever the walks cost.
	ViewOrdered
	// ViewLazy adds to the list, but leaves finished elements in it and takes them
	// off its head later: it may hold as many finished elements as pending ones.
	ViewLazy
	// ViewOff leaves the list alone: it holds what Java put there, for ever.
	ViewOff
)

var viewNames = [...]string{"exact", "ordered", "lazy", "off"}

// String returns the name of the view, which is that of its script as well.
func (v View) String() string { return viewNames[v.known()] }

// known is v, or ViewExact for what is none.
func (v View) known() View {
	if v < 0 || int(v) >= len(viewNames) {
		return ViewExact
	}
	return v
}

// Exact reports whether elements are taken out of the list when they are moved.
func (v View) Exact() bool { return v != ViewLazy && v != ViewOff }

// exact returns "1" where elements are taken out of the list, else "".
func (v View) exact() string {
	if !v.Exact() {
		return ""
	}
	return "1"
}

// listed returns "1" where elements are added to the list, else "".
func (v View) listed() string {
	if v == ViewOff {
		return ""
	}
	return "1"
}
