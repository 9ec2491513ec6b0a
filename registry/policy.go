package registry

import (
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs"
)

// Defaults of [Policy].
const (
	DefaultMaxPayload   = 1 << 20
	DefaultMaxAttempts  = 20 // with the default backoff at least 27 hours: an outage of a day kills nothing
	DefaultMaxHangs     = 2  // each costs a worker until its process restarts
	DefaultTimeout      = time.Minute
	DefaultGrace        = 10 * time.Second
	DefaultBackoffBase  = time.Second
	DefaultBackoffLimit = 12 * time.Hour
)

// Unlimited is the value of [MaxAttempts] and [MaxHangs] for messages that are retried for
// ever.
const Unlimited = math.MaxInt32

// Policy says how the messages of one queue are carried and treated. All
// processes that share a queue should agree on it; what each process decides
// for itself (workers, breaker) is said where the handler is registered.
//
// A Policy comes from [Queue.Policy], complete, with defaults filled in. It is a
// copy: changing it changes nothing.
type Policy struct {
	// Codec turns payloads into bytes. Defaults to kryo5.
	Codec codecs.Codec

	// Key is the name of the Redisson queue. Defaults to the code.
	Key string

	// Partitions is over how many queues of Redisson the messages are spread, and
	// OtherPartitions over how many other processes spread them while that number changes;
	// 0 where all agree. Default to 1 and 0.
	Partitions      int
	OtherPartitions int

	// MaxPayload is the largest payload in bytes. Offering a larger one is an
	// error; a larger one that arrives goes to the dead store undecoded.
	// Defaults to [DefaultMaxPayload], or to the codec's limit where that is
	// less.
	MaxPayload int

	// MaxAttempts is how often a message may fail: after the last attempt it
	// goes to the dead store. [Unlimited] is for ever. Defaults to
	// [DefaultMaxAttempts].
	MaxAttempts int

	// MaxHangs is how often the handler may hang with a message: after the last time it
	// goes to the dead store. [Unlimited] is for ever. Defaults to [DefaultMaxHangs].
	MaxHangs int

	// Backoff says how long to wait after a failed attempt. Defaults to
	// Exponential([DefaultBackoffBase], [DefaultBackoffLimit]). Use
	// [Policy.RetryDelay].
	Backoff Schedule

	// MaxAge is how long after its first due time a message is retried; 0 is no
	// limit, the default.
	MaxAge time.Duration

	// MaxLateness is how late a message may be started; 0 is no limit, the
	// default. Late says what becomes of later ones.
	MaxLateness time.Duration
	Late        LateAction

	// Timeout is the time a handler has for one message; then its context
	// ends. Defaults to [DefaultTimeout].
	Timeout time.Duration

	// Grace is how long the engine waits after the timeout for a handler
	// that does not return. Then it gives the handler up, and the message has
	// failed and hung, see MaxHangs. Defaults to [DefaultGrace].
	Grace time.Duration

	// TraceInBand puts the trace context into the payload too. Defaults to
	// false.
	TraceInBand bool

	// DueTracking keeps the due time and the id of messages, so that
	// handlers learn them. Defaults to true.
	DueTracking bool

	// View says how Java's view of the pending messages is kept. Defaults to
	// [ViewExact].
	View ViewMode

	// Foreign says what becomes of offers, and of the start of an engine, if payloads are in
	// the queue that the codec cannot read or that are of another Java class. Defaults to
	// [ForeignDefault].
	Foreign ForeignMode

	// ChildWithin is the longest delay at which the processing span is a
	// child of the producing one instead of a new root linked to it.
	// Defaults to 0: never.
	ChildWithin time.Duration

	// DeadLimit and DeadAge bound the dead store: the oldest messages beyond them
	// are deleted. Default to 0: all are kept.
	DeadLimit int
	DeadAge   time.Duration

	// JournalKeep is for how long the journal tells what became of a message, and
	// JournalLimit of how many it tells. Default to 0: there is no journal.
	JournalKeep  time.Duration
	JournalLimit int

	classes    map[reflect.Type]string // never changed after Define
	classOrder []reflect.Type
	rules      []Rule // never changed after Define

	searchFields, visibleFields, journalFields, otherClasses []string // never changed after Define
}

func defaultPolicy(code string) Policy {
	return Policy{
		Key:         code,
		Partitions:  1,
		MaxPayload:  DefaultMaxPayload,
		MaxAttempts: DefaultMaxAttempts,
		MaxHangs:    DefaultMaxHangs,
		Backoff:     Exponential(DefaultBackoffBase, DefaultBackoffLimit),
		Timeout:     DefaultTimeout,
		Grace:       DefaultGrace,
		DueTracking: true,
	}
}

// RetryDelay returns how long to wait after the given failed attempt, counted
// from 1: what Backoff says with a random number, never negative and never more than
// handlers.MaxRetryDelay.
func (p Policy) RetryDelay(attempt int) time.Duration { return delayOf(p.Backoff, attempt) }

// OtherClasses returns what option [OtherClasses] names.
func (p Policy) OtherClasses() []string { return slices.Clone(p.otherClasses) }

// JavaClass returns the Java class that option [JavaClass] gives to t, or "".
func (p Policy) JavaClass(t reflect.Type) string { return p.classes[t] }
