package registry

// ForeignMode says what becomes of an offer when the queue holds payloads that its codec
// cannot read: another program writes with another codec, and could not read ours.
type ForeignMode int

// The modes.
const (
	// ForeignDefault does what the client's configuration says. It is the default.
	ForeignDefault ForeignMode = iota
	// ForeignRefuse refuses the offer.
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

// OnForeign says what becomes of offers where foreign payloads lie in the queue. Defaults
// to [ForeignDefault].
func OnForeign(mode ForeignMode) Option {
	return &option{
		name: "OnForeign", arg: mode.String(),
		fault: faultIf(mode < ForeignDefault || mode > ForeignIgnore, "there is no such mode"),
		set:   func(p *Policy) { p.Foreign = mode },
	}
}
