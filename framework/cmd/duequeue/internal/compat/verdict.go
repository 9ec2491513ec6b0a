package compat

// Verdict is what becomes of messages of a class; a larger one is worse.
type Verdict int

// The verdicts.
const (
	// Unwritten says that the old program cannot write such messages, so that none is pending.
	Unwritten Verdict = iota
	// Same says that each value arrives.
	Same
	// Default says that what the old message lacks reads as null, zero or the initial value.
	Default
	// Loses says that messages are read, and that a value of the old message is gone.
	Loses
	// Unknown says that only Java can tell, since the class writes itself.
	Unknown
	// Fails says that reading throws: Java has taken the message by then, and loses it.
	Fails
	// Wrong says that messages are read without an error, with a value that was never written.
	Wrong
)

var verdictNames = [...]string{"unwritten", "same", "default", "loses", "unknown", "fails", "wrong"}

// String returns the name of the verdict.
func (v Verdict) String() string { return verdictNames[v] }

// Breaks reports whether the change must not be deployed while such messages are pending.
func (v Verdict) Breaks() bool { return v == Fails || v == Wrong }

// outcome is a verdict on a part of a message.
type outcome struct {
	verdict Verdict
	path    string // of the field; "" for the message
	reason  string // what happens there, in words that follow the path
	always  bool   // it happens whatever the value is
}

var same = outcome{verdict: Same}

// and returns what becomes of a message that has both parts: a failure that comes with every
// message hides whatever else would be misread.
func (o outcome) and(other outcome) outcome {
	if a, b := o.stops(), other.stops(); a != b {
		if a {
			return o
		}
		return other
	}
	if other.verdict > o.verdict {
		return other
	}
	return o
}

func (o outcome) stops() bool { return o.verdict == Fails && o.always }

// at puts the outcome of a value into a field.
func (o outcome) at(field string) outcome {
	switch {
	case o.verdict == Same:
	case o.path == "":
		o.path = field
	default:
		o.path = field + "." + o.path
	}
	return o
}

// perhaps says that only some messages have the value.
func (o outcome) perhaps() outcome {
	o.always = false
	return o
}

// memo has what became of objects, so that a class that is reached in many ways is judged once.
type memo map[string]outcome

// mostObjects bounds the classes of one message, and with it type arguments that grow without end.
const mostObjects = 2000

// once judges an object by its classes. Within itself it counts as the same: what differs is told at
// the outer one.
func (m memo) once(key string, judge func() outcome) outcome {
	if o, known := m[key]; known || len(m) >= mostObjects {
		return o.orSame()
	}
	m[key] = same
	m[key] = judge()
	return m[key]
}

// orSame is the outcome, same for the zero one.
func (o outcome) orSame() outcome {
	if o == (outcome{}) {
		return same
	}
	return o
}

func fails(reason string) outcome { return outcome{verdict: Fails, reason: reason} }

func failsAlways(reason string) outcome {
	return outcome{verdict: Fails, reason: reason, always: true}
}

func wrong(reason string) outcome { return outcome{verdict: Wrong, reason: reason} }

func loses(reason string) outcome { return outcome{verdict: Loses, reason: reason} }

func byDefault(reason string) outcome { return outcome{verdict: Default, reason: reason} }
