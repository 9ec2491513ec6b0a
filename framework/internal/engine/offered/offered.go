// Package offered looks after the queues that a client offers to, beside the engines that serve
// queues: as a Redisson that offers does, it moves what is due there.
package offered

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	// idleReap is how long the reaper of a queue sleeps that no Go process handles.
	idleReap = 5 * time.Minute
	// moveAfter is how long a queue waits for its new watcher when an engine stopped:
	// mostly the client closes next.
	moveAfter = 500 * time.Millisecond
	// closeWithin bounds what Close waits for.
	closeWithin = 2 * time.Second
	// probeAgain spaces the tries to find out what the user may do.
	probeAgain = 5 * time.Second
)

// Settings are those of the client.
type Settings struct {
	Panics       *background.Panics // of goroutines; nil logs them alone
	Redis        redisapi.Client
	Log          *slog.Logger
	Lease, Sweep time.Duration
	Embedded     bool
	NoTransfer   bool // nothing is moved, and the log says where no other process does
}

// Queue is a queue that a client offers to.
type Queue struct {
	Code      string
	Keys      wire.Keys
	NoView    bool
	Telemetry *telemetry.Queue

	EmptyOK, DueTracking bool

	begun atomic.Bool // it was offered to, and is looked after
}

// Queues moves the due messages of the queues that a client has offered to: where Java only takes, no other process would. It also gives
// back what dead Go processes held there. An engine of the client looks after the queues
// that it serves; the watcher of an engine looks after the others where one runs, so that
// a process has one subscription, else a separate watcher does.
type Queues struct {
	set Settings
	run context.Context // of all that runs here; ends with Close
	end context.CancelFunc

	mu     sync.Mutex
	closed bool
	begun  map[string]bool     // channels, with those that are not transferred here
	queues map[string]*offered // by channel
	hosts  []*host
	own    *watch.Watcher // nil where no queue needs it
	reaps  *lease.Reapers // nil until a queue needs it
	tasks  background.Group

	denied sync.Once // the warning
}

// offered is a queue that this client has offered to, and may transfer.
type offered struct {
	target *Queue
	queue  watch.Queue
	on     *watch.Watcher // nil: an engine serves the queue, or no watcher has it yet
	reaper *lease.Reaper  // nil where none runs
}

// host is the watcher of a running engine.
type host struct {
	watcher *watch.Watcher
	serves  map[string]bool // channels
}

// New returns those of a client, see [Queues.Close].
func New(set Settings) *Queues {
	run, end := context.WithCancel(set.Panics.In(context.Background())) //nolint:forbidigo // ends with Close
	return &Queues{set: set, run: run, end: end, begun: map[string]bool{}, queues: map[string]*offered{}}
}

// Context is that of all that runs here; it ends with Close.
func (qs *Queues) Context() context.Context { return qs.run }

// Begin takes a queue up after the first offer to it. It does not wait.
func (qs *Queues) Begin(t *Queue) {
	if t.begun.Swap(true) {
		return
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if !qs.closed && !qs.begun[t.Keys.Channel] { // two declarations of a queue are one
		qs.begun[t.Keys.Channel] = true
		qs.tasks.Loop(qs.run, "take up a queue", func() { qs.adopt(t) })
	}
}

// adopt finds out whether the queue may be transferred, and does it.
func (qs *Queues) adopt(t *Queue) {
	c := &qs.set
	if c.NoTransfer {
		qs.warnUnheard(t, "this client transfers nothing (no_transfer)")
		return
	}
	for !qs.served(t.Keys.Channel) {
		err := connect.ProbeQueues(qs.run, c.Redis, []wire.Keys{t.Keys}, nil)[0]
		var refused *fault.PermissionError
		switch {
		case qs.run.Err() != nil:
			return
		case errors.As(err, &refused):
			qs.denied.Do(func() {
				c.Log.WarnContext(qs.run, "the Redis user may offer but not transfer: what this client offers waits until another process moves it. Grant what \"duequeue acl -role serve\" prints, or set no_transfer",
					"queue", t.Code, "err", err)
			})
			qs.warnUnheard(t, "the user of this client may not transfer it")
			return
		case err == nil:
			qs.place(t)
			return
		}
		if retry.Pause(qs.run, probeAgain) != nil {
			return
		}
	}
	qs.place(t)
}

// warnUnheard warns where no process will move what was offered.
func (qs *Queues) warnUnheard(t *Queue, why string) {
	n, err := connect.Count(qs.run, qs.set.Redis, t.Keys.Channel)
	if err != nil || n > 0 { // a user who may not ask gets no warning
		return
	}
	log := qs.set.Log
	if n := t.Keys.Partition; n > 0 {
		log = log.With("partition", n)
	}
	log.WarnContext(qs.run, "offered to a queue that no process transfers: none listens on its channel, so its messages will be late. Start a Go service that handles it, or have Java call getDelayedQueue on it",
		"queue", t.Code, "because", why)
}

// served reports whether an engine of this client serves the channel.
func (qs *Queues) served(channel string) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.servedLocked(channel)
}

func (qs *Queues) servedLocked(channel string) bool {
	return slices.ContainsFunc(qs.hosts, func(h *host) bool { return h.serves[channel] })
}

// place takes a queue up for good.
func (qs *Queues) place(t *Queue) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	o := &offered{target: t, queue: watch.Queue{
		Keys: t.Keys, Name: t.Code, EmptyOK: t.EmptyOK, DueTracking: t.DueTracking, NoView: t.NoView,
		OnBuried: func(reason string, n int) {
			t.Telemetry.Dead(qs.run, reason, int64(n))
			qs.set.Log.ErrorContext(qs.run, "elements that Java cannot transfer moved to the dead store", "queue", t.Code, "messages", n, "reason", reason)
		},
	}}
	qs.queues[t.Keys.Channel] = o
	qs.settle(o)
}

// settle has the right watcher and reaper look after a queue.
func (qs *Queues) settle(o *offered) {
	channel := o.target.Keys.Channel
	var want *watch.Watcher
	switch served := qs.servedLocked(channel); {
	case qs.closed || served:
	case len(qs.hosts) > 0:
		want = qs.hosts[0].watcher
	default:
		if qs.own == nil {
			qs.own = watch.New(qs.set.Redis, nil, watch.Options{
				Sweep: qs.set.Sweep, Embedded: qs.set.Embedded, Logger: qs.set.Log,
			})
			qs.own.Add(o.queue)
			o.on = qs.own
			_ = qs.own.Start(qs.run) // only a second start fails
		}
		want = qs.own
	}
	if o.on != want {
		if o.on != nil {
			o.on.Remove(o.target.Keys)
		}
		if o.on = want; want != nil {
			want.Add(o.queue)
		}
	}
	if want == nil && o.reaper != nil {
		qs.reaps.Remove(o.reaper)
		o.reaper = nil
	}
	if want != nil && o.reaper == nil {
		if qs.reaps == nil {
			qs.reaps = lease.NewReapers(qs.set.Redis)
			qs.tasks.Loop(qs.run, "give back what dead processes held", func() { _ = qs.reaps.Run(qs.run) }) // it ends with run, and says so
		}
		o.reaper = qs.reaper(o.target)
		qs.reaps.Add(o.reaper)
	}
}

// reaper gives back what dead Go processes held.
func (qs *Queues) reaper(t *Queue) *lease.Reaper {
	return sessions.NewReaper(qs.run, qs.set.Redis, t.Keys, lease.ReaperOptions{Lease: qs.set.Lease, Idle: idleReap},
		t.Telemetry, qs.set.Log.With("queue", t.Code), func() {})
}

// Attach makes the watcher of an engine that runs look after all queues.
func (qs *Queues) Attach(w *watch.Watcher, served []wire.Keys) {
	h := &host{watcher: w, serves: map[string]bool{}}
	for _, k := range served {
		h.serves[k.Channel] = true
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.hosts = append(qs.hosts, h)
	qs.settleAll()
}

// Detach forgets the watcher of an engine that stops. What it looked after gets another
// one a moment later, unless the client is closed by then.
func (qs *Queues) Detach(w *watch.Watcher) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.hosts = slices.DeleteFunc(qs.hosts, func(h *host) bool { return h.watcher == w })
	if qs.closed || len(qs.queues) == 0 {
		return
	}
	qs.tasks.Go(qs.run, "hand queues over", func() {
		if retry.Pause(qs.run, moveAfter) == nil {
			qs.mu.Lock()
			defer qs.mu.Unlock()
			qs.settleAll()
		}
	})
}

func (qs *Queues) settleAll() {
	for _, o := range qs.queues {
		qs.settle(o)
	}
	if len(qs.hosts) > 0 && qs.own != nil && !qs.closed {
		own := qs.own
		qs.own = nil
		qs.tasks.Task(qs.run, "stop a watcher", func() { qs.stop(own) })
	}
}

// stop ends a watcher, and waits a moment for what it has under way.
func (qs *Queues) stop(w *watch.Watcher) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(qs.run), closeWithin)
	defer cancel()
	_ = w.Stop(ctx) // what hangs ends with its connection
}

// Close ends all; nothing begins any more. It waits for what is under way, but not for a
// Redis that does not answer.
func (qs *Queues) Close() {
	qs.mu.Lock()
	if qs.closed {
		qs.mu.Unlock()
		return
	}
	qs.closed = true
	own := qs.own
	qs.mu.Unlock()
	qs.end()
	if own != nil {
		qs.stop(own)
	}
	qs.AwaitEnd()
}

// AwaitEnd waits for what runs here, for a moment.
func (qs *Queues) AwaitEnd() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(qs.run), closeWithin)
	defer cancel()
	trouble.Bounded(ctx, qs.tasks.Wait)
}
