package watch

import (
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Queue is one queue a [Watcher] serves.
type Queue struct {
	Keys wire.Keys

	// Name is what logs call the queue. Defaults to its name in Redis.
	Name string

	// EmptyOK says whether the queue's codec writes empty payloads; see [wire.Parse].
	EmptyOK bool

	// DueTracking writes due records, so that handlers learn when a message was due.
	DueTracking bool

	// NoView leaves the pending list alone, see [delayed.TransferArgs].
	NoView bool

	// Served is called after a transfer that moved messages or found some in the
	// ready list. It is called from several goroutines, though never at the same
	// time for one queue, and must not block. May be nil.
	Served func(delayed.TransferResult)

	// Takes is where a transfer that is likely to move something is offered to the one who takes
	// the queue's messages: it goes ahead of a take, so that one trip moves a message and brings
	// it. May be nil.
	Takes script.Offer

	// Looked is called after each transfer that succeeded, as Served is. May be nil.
	Looked func(delayed.TransferResult)

	// OnListen is called when Redis does not permit the channel any more, or does again. It must not
	// block. May be nil.
	OnListen func()

	// Early is told when messages are due, and OnEarly how many came early by what it finds. May be nil.
	Early   *Early
	OnEarly func(n int64)

	// OnBuried takes the place of Options.OnBuried for this queue. May be nil.
	OnBuried func(reason string, n int)

	// Processes returns how many processes serve this queue, this one included.
	// Several ones take turns instead of all asking at each due time. It must not
	// block. Nil means as many as listen on the channel.
	Processes func() int
}

// DefaultSweep is the default of Options.Sweep.
const DefaultSweep = 5 * time.Second

// Options shape a [Watcher]. The zero value has usable defaults.
type Options struct {
	// Sweep is how long a queue goes unasked at most. Defaults to [DefaultSweep].
	Sweep time.Duration

	// Embedded is for servers in this process, where days pass in virtual time: nobody counts who
	// listens.
	Embedded bool

	// DoubtSweep replaces Sweep while the subscription is not known to work.
	// Defaults to 1 s, which is also the longest allowed.
	DoubtSweep time.Duration

	// Ping is how long the subscription may be silent before it is pinged.
	// Defaults to 10 s.
	Ping time.Duration

	// PingTimeout is how long an answer of the subscription may take before it is
	// given up and made anew. Defaults to 2 s.
	PingTimeout time.Duration

	// Timeout bounds one pipeline of transfers where the client honours contexts, and
	// the wait for the one who sends a transfer ahead of a take. Defaults to 5 s.
	Timeout time.Duration

	// Channel is a channel beside those of the queues that is listened to, and OnMessage is
	// told what comes there; it must not block. Empty for none.
	Channel   string
	OnMessage func(payload string)

	// Logger gets state changes and errors. Defaults to none.
	Logger *slog.Logger

	// OnError is called with each failed transfer and, with an empty queue, each
	// failed subscription. It must not block. May be nil.
	OnError func(queue string, err error)

	// OnBuried is called with the number of elements that went to the dead store, and
	// why: malformed or overflowed. It must not block. May be nil.
	OnBuried func(queue, reason string, n int)
}

func (o Options) withDefaults() Options {
	if o.Sweep <= 0 {
		o.Sweep = DefaultSweep
	}
	if o.DoubtSweep <= 0 || o.DoubtSweep > time.Second {
		o.DoubtSweep = time.Second
	}
	o.DoubtSweep = min(o.DoubtSweep, o.Sweep)
	if o.Ping <= 0 {
		o.Ping = max(connect.DefaultPing, 2*o.Sweep)
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
