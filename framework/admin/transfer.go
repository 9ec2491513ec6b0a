package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// DefaultDiscoverEvery is the default of [TransferOptions].DiscoverEvery.
const DefaultDiscoverEvery = 10 * time.Second

const (
	startWithin = 30 * time.Second // an engine with other queues must have started
	stopWithin  = 10 * time.Second // an engine must have stopped: it handles nothing
)

// TransferOptions shape a [Transferer]. Queues or Discover must be set, or both.
type TransferOptions struct {
	// Queues are transferred from the start, by the names that Java gives to
	// getBlockingQueue.
	Queues []string

	// Discover adds the queues in which something is pending, those of Java and of Go. A
	// queue that was found once is kept.
	//
	// A queue that cannot be transferred, named or found, is left out, with a line in the
	// log, and tried again every DiscoverEvery. Health has it in Degraded.
	Discover bool

	// DiscoverEvery is the pause between two searches, which look at every key of the
	// database, some hundreds at a time. At least a second. Defaults to
	// DefaultDiscoverEvery. The first messages of a new queue may be late by so much.
	DiscoverEvery time.Duration

	// View is how Java's list of pending messages is kept. Defaults to registry.ViewExact.
	View registry.ViewMode

	// Codec is the codec of the queues. One shape of element may be an empty payload or a
	// payload of one zero byte, and the codec decides which. Without a codec it is the empty
	// one. May be nil.
	Codec codecs.Codec

	// Migrate rewrites what only some Redissons read, as [FollowLayout] does.
	Migrate bool

	// Log gets what the Transferer has to say besides its client. Defaults to slog.Default.
	Log *slog.Logger
}

func (o *TransferOptions) check() error {
	var errs []error
	if len(o.Queues) == 0 && !o.Discover {
		errs = append(errs, errors.New("no queue is named: name queues, or set Discover"))
	}
	if o.DiscoverEvery != 0 && o.DiscoverEvery < time.Second {
		errs = append(errs, fmt.Errorf("DiscoverEvery of %v: at least a second", o.DiscoverEvery))
	}
	return errors.Join(errs...)
}

// Transferer moves the due messages of queues to their ready lists, besides Java's own
// clients or in their place, for those who take them: for teams whose services are Java. It
// moves elements that no Redisson can read to the dead store, since they would stop
// everybody's transfers, and gives back what dead Go processes held. It takes no message.
// Safe for concurrent use.
type Transferer struct {
	client *framework.Client
	o      TransferOptions

	mu      sync.Mutex
	engine  *framework.Engine // of the queues so far; nil before the first
	names   []string
	skipped map[string]error // queues that cannot be transferred
	start   error            // why those of the options are not transferred yet
	search  error            // of the last one
	follow  error            // why nothing is migrated any more
	begun   bool
	stopped bool

	unfollow func() // ends the migration of the queues so far
}

// NewTransferer returns one that does nothing until [Transferer.Run]. The error joins all
// mistakes of the options. A wrong name among others is none: that queue is left out. Where
// no name is right and Discover is off, the error has a [*fault.QueueError] for each.
func NewTransferer(c *framework.Client, o TransferOptions) (*Transferer, error) {
	errs := []error{o.check()}
	t := &Transferer{client: c, skipped: map[string]error{}, unfollow: func() {}}
	var right []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(o.Queues))) {
		_, err := access.Of(c).Keys(name)
		if bad, ok := errors.AsType[*fault.NameError](wire.CheckName(name)); ok { // an engine declares its queues
			err = bad
		}
		if err != nil {
			t.skipped[name] = &fault.QueueError{Queue: name, Err: err}
		} else {
			right = append(right, name)
		}
	}
	if o.Queues = right; len(right) == 0 && !o.Discover {
		errs = slices.AppendSeq(errs, maps.Values(t.skipped))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	o.DiscoverEvery = cmp.Or(o.DiscoverEvery, DefaultDiscoverEvery)
	o.Log = errtext.Guard(o.Log)
	if o.Codec == nil {
		o.Codec = codecs.ByteArray()
	}
	t.o = o
	return t, nil
}

// Run transfers until ctx ends, which is no error, then stops within ten seconds. An error
// is that of the first start: none of the queues of the options can be transferred, and
// Discover is off. It has a [*fault.RegistrationError] for each, such as one with what the
// Redis user may not do. While Redis does not answer, or gives an answer that passes by itself,
// the start is tried again. Run runs once.
func (t *Transferer) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, t.stop(ctx)) }()
	for name, why := range t.skipped {
		t.o.Log.ErrorContext(ctx, "queue cannot be transferred: it is left out", "queue", name, "err", why)
	}
	starting := retry.Waiting{For: retry.Endless, Passes: rediserr.MayPass, Tell: func(ctx context.Context, _ int, _ time.Duration, err error) {
		t.o.Log.WarnContext(ctx, "the queues cannot be transferred yet: tried again until they can", "queues", len(t.o.Queues), "err", err)
		t.set(func() { t.start = err })
	}}
	_, err = starting.Until(ctx, func() error {
		failed := t.add(ctx, t.o.Queues)
		if len(t.names) > 0 || t.o.Discover && !rediserr.MayPass(failed) {
			return nil
		}
		return failed
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	t.set(func() { t.begun, t.start = true, nil })
	pause := time.NewTicker(t.o.DiscoverEvery)
	defer pause.Stop()
	for ctx.Err() == nil {
		t.discover(ctx)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// Queues returns the names of the queues that are transferred now, sorted.
func (t *Transferer) Queues() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.names)
}

// Health describes the queues that are transferred. Ready is true once the queues of the options
// are transferred, even if a search has found no queue. Degraded names the queues that the search
// found and left out, and a failing search.
func (t *Transferer) Health() health.Report {
	var degraded []string
	t.mu.Lock()
	r, engine := health.Report{Live: !t.stopped, Ready: t.begun && !t.stopped}, t.engine
	for _, name := range slices.Sorted(maps.Keys(t.skipped)) {
		degraded = append(degraded, fmt.Sprintf("queue %q is not transferred: %v", name, t.skipped[name]))
	}
	if t.start != nil {
		degraded = append(degraded, fmt.Sprintf("the queues are not transferred yet: %v", t.start))
	}
	if t.search != nil {
		degraded = append(degraded, fmt.Sprintf("queues cannot be searched: %v", t.search))
	}
	if t.follow != nil {
		degraded = append(degraded, fmt.Sprintf("layouts are not migrated: %v", t.follow))
	}
	t.mu.Unlock()
	if engine != nil {
		r = engine.Health()
	}
	r.Degraded = append(r.Degraded, degraded...)
	return r
}

func (t *Transferer) set(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// discover looks for queues that are not transferred yet and adds them.
func (t *Transferer) discover(ctx context.Context) {
	wanted := t.o.Queues
	if t.o.Discover {
		found, err := pendingQueues(ctx, access.Of(t.client))
		if ctx.Err() != nil {
			return
		}
		if err != nil && t.search == nil { // only this goroutine writes it
			t.o.Log.WarnContext(ctx, "queues cannot be searched: no new ones are transferred until that works", "err", err)
		}
		t.set(func() { t.search = err })
		wanted = slices.Concat(wanted, found)
	}
	if err := t.add(ctx, wanted); err != nil && ctx.Err() == nil && len(failedQueues(err)) == 0 {
		t.o.Log.WarnContext(ctx, "queues cannot be transferred yet: tried again at the next search", "queues", len(wanted), "err", err)
	}
}

// add transfers these queues, too, but for those that cannot be. The error is the last one.
func (t *Transferer) add(ctx context.Context, wanted []string) (failed error) {
	for {
		t.mu.Lock()
		names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(t.names, wanted))))
		same := len(names) == len(t.names)
		t.mu.Unlock()
		if same {
			return failed
		}
		err := t.serve(ctx, names)
		if err == nil {
			t.set(func() {
				for _, name := range names {
					delete(t.skipped, name)
				}
			})
			return failed
		}
		failed = err
		bad := failedQueues(err)
		if len(bad) == 0 || rediserr.MayPass(err) {
			return failed
		}
		for name, why := range bad {
			if t.skipped[name] == nil {
				t.o.Log.WarnContext(ctx, "queue cannot be transferred: it is left out and tried again at each search", "queue", name, "err", why)
			}
		}
		t.set(func() { maps.Copy(t.skipped, bad) })
		left := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return bad[name] != nil })
		if len(left) == len(wanted) {
			return failed // one of those that were fine: the engine that runs goes on
		}
		wanted = left
	}
}

// failedQueues returns the queues that an error of a start is about.
func failedQueues(err error) map[string]error {
	failed := map[string]error{}
	var walk func(err error)
	walk = func(err error) {
		var registration *fault.RegistrationError
		var slot *fault.SlotWarning
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range several.Unwrap() {
				walk(e)
			}
			return
		}
		switch {
		case errors.As(err, &registration):
			failed[registration.Code] = err
		case errors.As(err, &slot):
			failed[slot.Code] = err
		}
	}
	walk(err)
	return failed
}

// serve makes these the queues that are transferred: an engine of all of them starts, then
// the one before stops, so that there is no gap.
func (t *Transferer) serve(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	opts := make([][]registry.Option, len(names))
	parts := map[string]bool{} // names that are partitions of others
	var unread []error
	for i, name := range names {
		var all []wire.Keys
		var err error
		if opts[i], all, err = declared(ctx, access.Of(t.client), name); err != nil && !delayed.MayNotCompare(err) { // that the engine says
			if isNodes(err) {
				return err
			}
			unread = append(unread, &fault.RegistrationError{Code: name, Err: err})
		}
		for n := 1; n < len(all); n++ {
			parts[wire.PartitionName(name, n)] = true
		}
	}
	if err := errors.Join(unread...); err != nil {
		return err
	}
	var consumers []framework.Consumer
	for i, name := range names {
		if !parts[name] {
			opts := append(opts[i], registry.Codec(transferCodec{codecs.ByteArray(), t.o.Codec}), registry.View(t.o.View))
			consumers = append(consumers, framework.TransferOnly(registry.Define[[]byte](name, "", opts...)))
		}
	}
	engine, err := framework.New(t.client, consumers)
	if err != nil {
		return err
	}
	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if err = engine.Start(starting); err != nil {
		return err
	}
	before := t.engine
	t.set(func() { t.engine, t.names = engine, names })
	err = stopEngine(ctx, before)
	t.migrate(ctx, names)
	return err
}

// isNodes reports whether an error is of the server and not of one queue.
func isNodes(err error) bool {
	var differ *fault.PartitionsError
	var wrong *fault.WrongTypeError
	var name *fault.NameError
	var slot *fault.SlotError
	return !errors.As(err, &differ) && !errors.As(err, &wrong) && !errors.As(err, &name) && !errors.As(err, &slot)
}

// transferCodec carries bytes as they are, under the name and the rule of the codec that
// wrote them.
type transferCodec struct {
	codecs.Codec
	of codecs.Codec
}

func (c transferCodec) Name() string      { return c.of.Name() }
func (c transferCodec) WritesEmpty() bool { return c.of.WritesEmpty() }

// stopEngine stops an engine, which may be nil.
func stopEngine(ctx context.Context, e *framework.Engine) error {
	if e == nil {
		return nil
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return e.Stop(stopping)
}

// stop ends all.
func (t *Transferer) stop(ctx context.Context) error {
	t.unfollow()
	t.set(func() { t.stopped = true })
	return stopEngine(ctx, t.engine)
}

// migrate rewrites the layouts of these queues instead of those before.
func (t *Transferer) migrate(ctx context.Context, names []string) {
	if !t.o.Migrate {
		return
	}
	t.unfollow()
	ctx, cancel := context.WithCancel(background.NewPanics(t.o.Log).In(ctx))
	done := make(chan struct{})
	t.unfollow = func() {
		cancel()
		<-done
	}
	background.Go(ctx, "migrate layouts", func() {
		defer close(done)
		told := map[string]int64{}
		follow := func() error {
			return FollowLayout(ctx, t.client, names, FollowOptions{
				Codec: t.o.Codec,
				Progress: func(queue string, c LayoutCounts, whole bool) {
					if whole && c.Rewritten > told[queue] {
						t.o.Log.InfoContext(ctx, "pending elements rewritten so that every Redisson reads them", "queue", queue, "messages", c.Rewritten-told[queue])
						told[queue] = c.Rewritten
					}
				},
				Trouble: func(queue string, err error) {
					t.o.Log.WarnContext(ctx, "layouts cannot be migrated at the moment: tried again", "queue", queue, "err", err)
				},
			})
		}
		err := background.Call(ctx, "migrate layouts", follow)
		t.set(func() { t.follow = err })
		if err != nil {
			t.o.Log.ErrorContext(ctx, "layouts are not migrated any more", "err", err)
		}
	})
}

// timeoutPrefix begins the keys of what is pending.
const timeoutPrefix = "redisson_delay_queue_timeout:"

// pendingQueues searches the database for queues in which something is pending, and returns
// their names as Java knows them, sorted; see [HeldQueues]. Keys of another type are none of
// Redisson's.
func pendingQueues(ctx context.Context, client access.Client) ([]string, error) {
	var names []string
	err := redisapi.EachPrimary(ctx, client.Redis, func(ctx context.Context, node redisapi.Client) error {
		for cursor := uint64(0); ; {
			keys, next, err := node.ScanType(ctx, cursor, timeoutPrefix+"*", 500, "zset").Result()
			if err != nil {
				return rediserr.Classify("SCAN", err)
			}
			for _, key := range keys {
				if name, ok := client.Own(wire.NameOf(strings.TrimPrefix(key, timeoutPrefix))); ok {
					names = append(names, name)
				}
			}
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
