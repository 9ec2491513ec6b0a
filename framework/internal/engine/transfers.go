package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/probe"
	"github.com/duequeue/duequeue/framework/internal/subscribe"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
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

// Transfers moves the due messages of the queues that a client has offered to, as a
// Redisson that offers does: where Java only takes, no other process would. It also gives
// back what dead Go processes held there. An engine of the client looks after the queues
// that it serves; the watcher of an engine looks after the others where one runs, so that
// a process has one subscription, else a separate watcher does.
type Transfers struct {
	client *Client
	run    context.Context // of all that runs here; ends with Close
	end    context.CancelFunc

	mu     sync.Mutex
	closed bool
	begun  map[string]bool     // channels, with those that are not transferred here
	queues map[string]*offered // by channel
	hosts  []*host
	own    *watch.Watcher // nil where no queue needs it
	tasks  sync.WaitGroup

	denied sync.Once // the warning
}

// offered is a queue that this client has offered to, and may transfer.
type offered struct {
	target *Target
	queue  watch.Queue
	on     *watch.Watcher     // nil: an engine serves the queue, or no watcher has it yet
	unreap context.CancelFunc // nil where no reaper runs
}

// host is the watcher of a running engine.
type host struct {
	watcher *watch.Watcher
	serves  map[string]bool // channels
}

// NewTransfers returns those of a client, see [Transfers.Close].
func NewTransfers(c *Client) *Transfers {
	run, end := context.WithCancel(context.Background()) //nolint:forbidigo // ends with Close
	return &Transfers{client: c, run: run, end: end, begun: map[string]bool{}, queues: map[string]*offered{}}
}

// Context is that of all that runs here; it ends with Close.
func (ts *Transfers) Context() context.Context { return ts.run }

// Begin takes a queue up after the first offer to it. It does not wait.
func (ts *Transfers) Begin(t *Target) {
	if t.begun.Swap(true) {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.closed && !ts.begun[t.Keys.Channel] { // two declarations of a queue are one
		ts.begun[t.Keys.Channel] = true
		ts.tasks.Go(func() { ts.adopt(t) })
	}
}

// adopt finds out whether the queue may be transferred, and does it.
func (ts *Transfers) adopt(t *Target) {
	c := ts.client
	if c.NoTransfer {
		ts.warnUnheard(t, "this client transfers nothing (no_transfer)")
		return
	}
	for !ts.served(t.Keys.Channel) {
		err := probe.Queue(ts.run, c.Redis, t.Keys)
		var refused *fault.PermissionError
		switch {
		case ts.run.Err() != nil:
			return
		case errors.As(err, &refused):
			ts.denied.Do(func() {
				c.Log.WarnContext(ts.run, "the Redis user may offer but not transfer: what this client offers waits until another process moves it. Grant what \"duequeue acl -role serve\" prints, or set no_transfer",
					"queue", t.Code, "err", err)
			})
			ts.warnUnheard(t, "the user of this client may not transfer it")
			return
		case err == nil:
			ts.place(t)
			return
		}
		if !wait(ts.run, probeAgain) {
			return
		}
	}
	ts.place(t)
}

// warnUnheard warns where no process will move what was offered.
func (ts *Transfers) warnUnheard(t *Target, why string) {
	n, err := subscribe.Count(ts.run, ts.client.Redis, t.Keys.Channel)
	if err != nil || n > 0 { // a user who may not ask gets no warning
		return
	}
	ts.client.Log.WarnContext(ts.run, "offered to a queue that no process transfers: none listens on its channel, so its messages will be late. Start a Go service that handles it, or have Java call getDelayedQueue on it",
		"queue", t.Code, "because", why)
}

// served reports whether an engine of this client serves the channel.
func (ts *Transfers) served(channel string) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.servedLocked(channel)
}

func (ts *Transfers) servedLocked(channel string) bool {
	return slices.ContainsFunc(ts.hosts, func(h *host) bool { return h.serves[channel] })
}

// place takes a queue up for good.
func (ts *Transfers) place(t *Target) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	o := &offered{target: t, queue: watch.Queue{
		Keys: t.Keys, Name: t.Code, EmptyOK: t.EmptyOK, DueTracking: t.DueTracking, View: t.View,
		OnMalformed: func(n int) {
			t.Telemetry.Dead(ts.run, handlers.ReasonMalformed, int64(n))
			ts.client.Log.ErrorContext(ts.run, "malformed elements moved to the dead store", "queue", t.Code, "messages", n, "reason", handlers.ReasonMalformed)
		},
	}}
	ts.queues[t.Keys.Channel] = o
	ts.settle(o)
}

// settle has the right watcher and reaper look after a queue.
func (ts *Transfers) settle(o *offered) {
	channel := o.target.Keys.Channel
	var want *watch.Watcher
	switch served := ts.servedLocked(channel); {
	case ts.closed || served:
	case len(ts.hosts) > 0:
		want = ts.hosts[0].watcher
	default:
		if ts.own == nil {
			ts.own = watch.New(ts.client.Redis, nil, watch.Options{
				Sweep: ts.client.Sweep, Unbounded: ts.client.Embedded, Logger: ts.client.Log,
			})
			ts.own.Add(o.queue)
			o.on = ts.own
			_ = ts.own.Start(ts.run) // only a second start fails
		}
		want = ts.own
	}
	if o.on != want {
		if o.on != nil {
			o.on.Remove(o.target.Keys)
		}
		if o.on = want; want != nil {
			want.Add(o.queue)
		}
	}
	if want == nil && o.unreap != nil {
		o.unreap()
		o.unreap = nil
	}
	if want != nil && o.unreap == nil {
		var run context.Context
		run, o.unreap = context.WithCancel(ts.run)
		reaper := ts.reaper(o.target)
		ts.tasks.Go(func() { _ = reaper.Run(run) }) // it ends with run, and says so
	}
}

// reaper gives back what dead Go processes held.
func (ts *Transfers) reaper(t *Target) *lease.Reaper {
	return newReaper(ts.client, t.Keys, ts.client.Log.With("queue", t.Code), lease.ReaperOptions{Idle: idleReap},
		func(h lease.Handed) { countReaped(ts.run, t.Telemetry, h) })
}

func countReaped(ctx context.Context, tel *telemetry.Queue, h lease.Handed) {
	tel.Reaped(ctx, int64(h.Bodies+h.Staged))
	tel.Dead(ctx, handlers.ReasonCrashLoop, int64(h.Buried))
	tel.Cancelled(ctx, telemetry.CancelledInFlight, int64(h.Cancelled))
}

// newReaper builds a reaper that logs and counts what it does.
func newReaper(c *Client, keys wire.Keys, log *slog.Logger, o lease.ReaperOptions, count func(lease.Handed)) *lease.Reaper {
	o.Lease = c.Lease
	o.OnReap = func(h lease.Handed) {
		n := h.Bodies + h.Staged
		if n+h.Buried+h.Cancelled == 0 { // of a process that stopped without anything in flight
			log.Debug("removed a session whose time was over", "session", h.Session)
			return
		}
		count(h)
		if h.Cancelled > 0 {
			log.Info("messages of a session whose lease was over were cancelled while they were in flight: they do not go back", "session", h.Session, "messages", h.Cancelled)
		}
		if n+h.Buried == 0 {
			return
		}
		log.Warn("took back the messages of a session whose lease was over", "session", h.Session, "messages", n, "dead", h.Buried)
	}
	failing := &trouble{}
	o.OnError = func(err error) {
		if failing.begin(err) {
			log.Warn("could not look for ended sessions; tried again until it works", "err", err)
		}
	}
	o.OnLook = func() {
		if lasted, was := failing.end(); was {
			log.Info("ended sessions are looked for again", "after", lasted)
		}
	}
	return lease.NewReaper(c.Redis, keys, o)
}

// attach makes the watcher of an engine that runs look after all queues.
func (ts *Transfers) attach(w *watch.Watcher, served []wire.Keys) {
	h := &host{watcher: w, serves: map[string]bool{}}
	for _, k := range served {
		h.serves[k.Channel] = true
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.hosts = append(ts.hosts, h)
	ts.settleAll()
}

// detach forgets the watcher of an engine that stops. What it looked after gets another
// one a moment later, unless the client is closed by then.
func (ts *Transfers) detach(w *watch.Watcher) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.hosts = slices.DeleteFunc(ts.hosts, func(h *host) bool { return h.watcher == w })
	if ts.closed || len(ts.queues) == 0 {
		return
	}
	ts.tasks.Go(func() {
		if wait(ts.run, moveAfter) {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			ts.settleAll()
		}
	})
}

func (ts *Transfers) settleAll() {
	for _, o := range ts.queues {
		ts.settle(o)
	}
	if len(ts.hosts) > 0 && ts.own != nil && !ts.closed {
		own := ts.own
		ts.own = nil
		ts.tasks.Go(func() { ts.stop(own) })
	}
}

// stop ends a watcher, and waits a moment for what it has under way.
func (ts *Transfers) stop(w *watch.Watcher) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ts.run), closeWithin)
	defer cancel()
	_ = w.Stop(ctx) // what hangs ends with its connection
}

// Close ends all; nothing begins any more. It waits for what is under way, but not for a
// Redis that does not answer.
func (ts *Transfers) Close() {
	ts.mu.Lock()
	if ts.closed {
		ts.mu.Unlock()
		return
	}
	ts.closed = true
	own := ts.own
	ts.mu.Unlock()
	ts.end()
	if own != nil {
		ts.stop(own)
	}
	ts.AwaitEnd()
}

// AwaitEnd waits for what runs here, for a moment.
func (ts *Transfers) AwaitEnd() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ts.run), closeWithin)
	defer cancel()
	bounded(ctx, ts.tasks.Wait)
}

// wait waits and reports whether ctx goes on.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
