package registry

import (
	"fmt"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs"
)

// Option changes the policy of a queue when it is defined. Its String is what
// the program says, for messages. Each option may be given once.
type Option interface {
	apply(d *declaration)
	String() string
}

// option is an Option made of a check and an assignment.
type option struct {
	name  string        // function that made it
	arg   string        // its arguments as text
	fault string        // what is wrong with the arguments; "" when all is well
	set   func(*Policy) // nil where there is nothing to set
}

func (o *option) String() string { return o.name + "(" + o.arg + ")" }

func (o *option) apply(d *declaration) {
	if !d.once(o.name, "", o.String()) {
		return
	}
	if o.fault != "" {
		d.add(&OptionError{Code: d.code, Option: o.String(), Reason: o.fault})
		return
	}
	o.set(&d.policy)
}

// faultIf returns text where wrong holds.
func faultIf(wrong bool, text string) string {
	if wrong {
		return text
	}
	return ""
}

// constant returns the name of constant i of a type, which count from 0.
func constant(of string, i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return of + "(" + strconv.Itoa(i) + ")"
	}
	return names[i]
}

// Codec carries the payloads by c, which must be the codec that the Java side
// gave to its queue or client. Defaults to kryo5.
func Codec(c codecs.Codec) Option {
	if isNil(c) {
		return &option{name: "Codec", arg: "nil", fault: "the codec must not be nil"}
	}
	return &option{name: "Codec", arg: c.Name(), set: func(p *Policy) { p.Codec = c }}
}

// Key is the name of the Redisson queue, if it differs from the code.
func Key(name string) Option {
	return &option{name: "Key", arg: fmt.Sprintf("%q", name), set: func(p *Policy) { p.Key = name }}
}

// MaxPayload bounds the payload, in bytes. Defaults to [DefaultMaxPayload].
func MaxPayload(bytes int) Option {
	return &option{
		name: "MaxPayload", arg: strconv.Itoa(bytes),
		fault: faultIf(bytes < 1, "must be positive"),
		set:   func(p *Policy) { p.MaxPayload = bytes },
	}
}

// MaxAttempts is how often a message may fail before it goes to the dead store; 1 means no
// retry, [Unlimited] no end. Every call that ends in an error, a panic or a timeout counts,
// also while the breaker is open; errors that are marked transient do not. Defaults to
// [DefaultMaxAttempts].
func MaxAttempts(n int) Option {
	return &option{
		name: "MaxAttempts", arg: strconv.Itoa(n),
		fault: faultIf(n < 1 || n > Unlimited, "must be at least 1; use registry.Unlimited for retries without end"),
		set:   func(p *Policy) { p.MaxAttempts = n },
	}
}

// MaxHangs is how often the handler may hang with a message before the message goes to the dead
// store. A handler hangs when it runs longer than [Timeout] and [Grace] together. With [Unlimited]
// only [MaxAttempts] bounds the hangs. A hang is not counted while the breaker is open, in a batch,
// or while other messages are tried and none succeeds, because the message may not be its cause.
// Defaults to [DefaultMaxHangs].
func MaxHangs(n int) Option {
	return &option{
		name: "MaxHangs", arg: strconv.Itoa(n),
		fault: faultIf(n < 1 || n > Unlimited, "must be at least 1; use registry.Unlimited for as many as MaxAttempts allows"),
		set:   func(p *Policy) { p.MaxHangs = n },
	}
}

// Backoff says how long to wait between attempts: by [Exponential],
// [Steps] or a [ScheduleFunc]. Waits end after handlers.MaxRetryDelay at the latest.
// Defaults to exponential from 1 s to 12 h: with the default of attempts a message is
// given up 27 to 54 hours after its first failure, see [Retries]. For a few quick ones:
//
//	registry.MaxAttempts(5), registry.Backoff(registry.Exponential(time.Second, 5*time.Minute)) // 7 to 15 s in all
func Backoff(s Schedule) Option {
	if isNil(s) {
		return &option{name: "Backoff", arg: "nil", fault: "the schedule must not be nil"}
	}
	return &option{name: "Backoff", arg: scheduleText(s), fault: scheduleFault(s), set: func(p *Policy) { p.Backoff = s }}
}

// Timeout is the time a handler has for one message, a batch handler for one batch.
// Defaults to [DefaultTimeout].
func Timeout(d time.Duration) Option {
	return &option{
		name: "Timeout", arg: d.String(),
		fault: faultIf(d < time.Millisecond, "must be at least 1ms: every handler has a limit"),
		set:   func(p *Policy) { p.Timeout = d },
	}
}

// Grace is how long the engine waits for a handler that does not return after its timeout.
// With zero the engine gives up at once. Defaults to [DefaultGrace].
func Grace(d time.Duration) Option {
	return &option{
		name: "Grace", arg: d.String(),
		fault: faultIf(d < 0, "must not be negative"),
		set:   func(p *Policy) { p.Grace = d },
	}
}

// TraceInBand puts the trace context into each payload too, under the key
// traceparent, where Java code can read it; and reads it from there first. The
// payload must be a map[string]any, a map[string]string, a *java.Map or a
// struct with such a string field, or a pointer to one.
// It changes the bytes: Java's remove and contains then no longer match, and a
// strict Java class refuses an unknown property. Not the default.
func TraceInBand() Option {
	return &option{name: "TraceInBand", set: func(p *Policy) { p.TraceInBand = true }}
}

// DueTracking keeps (true) or does not keep (false) the due time and the id of
// each message beside the queue, so that handlers and the lateness metric know
// them. It costs about a microsecond of Redis per message. Defaults to true.
func DueTracking(on bool) Option {
	return &option{name: "DueTracking", arg: strconv.FormatBool(on), set: func(p *Policy) { p.DueTracking = on }}
}

// ChildWithin makes the processing span a child of the producing span if the delay is at most d.
// After a longer delay the processing span is a new root with a link to the producing span.
// Defaults to 0: always a new root.
func ChildWithin(d time.Duration) Option {
	return &option{
		name: "ChildWithin", arg: d.String(),
		fault: faultIf(d < 0, "must not be negative"),
		set:   func(p *Policy) { p.ChildWithin = d },
	}
}

// CallerSkip is for functions that wrap [Define]: the declaration is reported at
// the caller of the n-th function up, as with runtime.Caller. A wrapper called
// in the package's variables gives CallerSkip(1). Defaults to 0.
func CallerSkip(n int) Option { return callerSkip(n) }

type callerSkip int

func (o callerSkip) String() string { return fmt.Sprintf("CallerSkip(%d)", int(o)) }

func (o callerSkip) apply(d *declaration) {
	if !d.once("CallerSkip", "", o.String()) {
		return
	}
	if o < 0 {
		d.add(&OptionError{Code: d.code, Option: o.String(), Reason: "must not be negative"})
		return
	}
	d.callerSkip = int(o)
}
