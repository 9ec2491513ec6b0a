package registry

import (
	"fmt"
	"strings"
)

// ForeignMode says what becomes of an offer when the queue holds payloads that its codec
// cannot read, or that are of another Java class than this program writes: the program that
// writes them could not read ours. An engine whose Go type does not take what lies there does
// not start.
type ForeignMode int

// The modes.
const (
	// ForeignDefault does what the client's configuration says. It is the default.
	ForeignDefault ForeignMode = iota
	// ForeignRefuse refuses the offer, and where the class is another one the start.
	ForeignRefuse
	// ForeignWarn only logs a warning.
	ForeignWarn
	// ForeignIgnore looks at nothing.
	ForeignIgnore
)

// String returns the constant's name.
func (m ForeignMode) String() string {
	return constant("ForeignMode", int(m), "ForeignDefault", "ForeignRefuse", "ForeignWarn", "ForeignIgnore")
}

// OtherClasses names further Java classes whose messages lie in the queue by intent, such as
// those of other implementations of an interface, "com.example.OrderPaid". Without it, a queue
// in which messages of another class wait than this program writes refuses its offers, see
// [OnForeign]. Defaults to none.
func OtherClasses(names ...string) Option {
	o := &option{
		name: "OtherClasses", arg: strings.Join(names, ", "),
		fault: faultIf(len(names) == 0, "name at least one class"),
		set:   func(p *Policy) { p.otherClasses = names },
	}
	for _, name := range names {
		if reason := classNameFault(name); reason != "" && o.fault == "" {
			o.fault = fmt.Sprintf("%q: %s", name, reason)
		}
	}
	return o
}

// OnForeign says what becomes of offers where foreign payloads lie in the queue. Defaults
// to [ForeignDefault].
func OnForeign(mode ForeignMode) Option {
	return &option{
		name: "OnForeign", arg: mode.String(),
		fault: faultIf(mode < ForeignDefault || mode > ForeignIgnore, "there is no such mode"),
		set:   func(p *Policy) { p.Foreign = mode },
	}
}
