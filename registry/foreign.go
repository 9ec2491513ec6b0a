package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ForeignMode says what becomes of an offer when the queue holds payloads that its codec cannot
// read, or payloads of another Java class: the program that writes those payloads could not read
// the offered one. An engine whose Go type cannot take the payloads in the queue does not start.
type ForeignMode string

// The modes.
const (
	// ForeignDefault does what the client's configuration says, and that refuses unless it says
	// otherwise. It is the default.
	ForeignDefault ForeignMode = ""
	// ForeignRefuse refuses the offer, and where the class is another one the start.
	ForeignRefuse ForeignMode = "refuse"
	// ForeignWarn only logs a warning.
	ForeignWarn ForeignMode = "warn"
	// ForeignIgnore looks at nothing.
	ForeignIgnore ForeignMode = "ignore"
)

// Known reports whether it is one of the modes.
func (m ForeignMode) Known() bool {
	return slices.Contains([]ForeignMode{ForeignDefault, ForeignRefuse, ForeignWarn, ForeignIgnore}, m)
}

// OtherClasses names further Java classes whose messages are in the queue on purpose, such as
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

// OnForeign says what becomes of offers if the queue has foreign payloads. Defaults
// to [ForeignDefault].
func OnForeign(mode ForeignMode) Option {
	return &option{
		name: "OnForeign", arg: strconv.Quote(string(mode)),
		fault: faultIf(!mode.Known(), "there is no such mode"),
		set:   func(p *Policy) { p.Foreign = mode },
	}
}
