package framework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// Engine handles queues in this process: it moves due messages, takes them and
// runs their handlers. Make it with [New]; it runs once. Safe for concurrent use.
type Engine struct {
	client    *Client
	consumers []Consumer
	log       *slog.Logger

	life    chan struct{} // capacity 1: held by Start and Stop
	started bool          // of life: Start has succeeded once

	mu    sync.Mutex // guards state, and queues and watcher until they are built
	state engineState

	take      redis.UniversalClient // blocking takes: one connection per queue
	queues    []*served
	runners   []*runner
	watcher   *redisson.Watcher
	keeper    *keeper
	dog       *watchdog
	solo      *solo
	reaping   sync.WaitGroup
	unobserve func() error

	pauses     pauses // guarded by mu
	stopTaking context.CancelFunc
	draining   atomic.Pointer[draining] // set while the engine stops, and after
	torn       chan struct{}
}

type engineState int

const (
	stateNew engineState = iota
	stateRunning
	stateStopping
	stateStopped
)

// New checks all registrations together and builds an engine; nothing runs until
// [Engine.Start]. The error joins every mistake: those of the declarations (see
// registry.Validate), [*RegistrationError] for those of the registrations, and
// [*SlotWarning] for names whose keys a Redis Cluster would spread, which are
// only logged elsewhere.
//
// The options forAll are for all handlers: middlewares that all queues have in common, or
// another default. A handler's own options come after these. Options that are for batches
// alone leave other handlers as they are, and [Use] leaves batch handlers as they are.
func New(c *Client, consumers []Consumer, forAll ...ConsumeOption) (*Engine, error) {
	if c == nil {
		return nil, errNilClient
	}
	if len(consumers) == 0 {
		return nil, ErrNoConsumers
	}
	return newEngine(c, consumers, forAll)
}

// newEngine works without a client too, to find the mistakes of the registrations
// beside those of the configuration.
func newEngine(c *Client, consumers []Consumer, forAll []ConsumeOption) (*Engine, error) {
	var forAllErr error
	if errs := new(consumePolicy).apply(forAll); len(errs) > 0 {
		forAllErr = fmt.Errorf("options for all handlers: %w", errors.Join(errs...))
	} else if len(forAll) > 0 {
		consumers = slices.Clone(consumers)
		for i, c := range consumers {
			if c.with != nil {
				consumers[i] = c.with(forAll)
			}
		}
	}
	e := &Engine{client: c, consumers: sorted(consumers), torn: make(chan struct{}), life: make(chan struct{}, 1)}
	if c != nil {
		e.log = c.log
	}
	return e, errors.Join(forAllErr, e.check())
}

// check finds all mistakes.
func (e *Engine) check() error {
	var errs []error
	var ds []registry.Descriptor
	seen := map[registry.Descriptor]Consumer{}
	for _, c := range e.consumers {
		if err := c.problem(); err != nil {
			errs = append(errs, err)
		}
		if c.queue == nil {
			continue
		}
		if first, dup := seen[c.queue]; dup {
			errs = append(errs, &RegistrationError{
				Code: c.Code(), Declared: c.declared,
				Err: errors.New("the queue has a handler already, registered at " + first.declared),
			})
			continue
		}
		seen[c.queue] = c
		ds = append(ds, c.queue)
	}
	errs = append(errs, registry.Validate(ds...))
	if e.client == nil {
		return errors.Join(errs...)
	}
	for _, d := range ds {
		name := e.client.mapper(d.Key())
		if twin, ok := redisson.Twin(name); ok && strings.HasPrefix(name, "{") {
			e.log.Warn("this queue shares its delayed structures with the queue of the name without braces: the process that transfers first gets the messages of both; use only one of them",
				"queue", d.Code(), "name", name, "twin", twin, "declared", d.Declared())
		}
		if err := redisson.CheckName(name); err != nil {
			w := &SlotWarning{Code: d.Code(), Declared: d.Declared(), Err: err}
			if e.client.cluster || !isSlotError(err) {
				errs = append(errs, w)
				continue
			}
			e.log.Warn("queue name would not work on a Redis Cluster", "queue", d.Code(), "err", w)
		}
	}
	return errors.Join(errs...)
}

// Start checks that the user may run the scripts on every queue, then starts to
// transfer and to take. It returns once all is running; ctx bounds only the
// checks. After an error nothing runs and Start may be tried again. A second Start
// is [ErrStarted], and one after Stop [ErrClosed].
func (e *Engine) Start(ctx context.Context) error {
	if err := e.lock(ctx); err != nil {
		return err
	}
	defer e.unlock()
	switch {
	case e.started:
		return ErrStarted
	case e.is(stateStopped):
		return ErrClosed
	}
	if err := e.probe(ctx); err != nil {
		return err
	}
	if err := e.build(); err != nil { //nolint:contextcheck // what is built outlives the start
		return err
	}
	if err := e.observe(); err != nil { //nolint:contextcheck // collections bring their own context
		return errors.Join(err, e.take.Close())
	}
	e.applyPauses()
	// Not derived from ctx: fx cancels the start context once all has started.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.stopTaking = cancel
	if err := e.watcher.Start(run); err != nil {
		cancel()
		return errors.Join(err, e.unobserve(), e.take.Close())
	}
	for _, r := range e.runners {
		for range r.pool.size {
			r.pool.start(nil, r.work)
		}
		go r.loop(run)
	}
	for _, s := range e.queues {
		e.reaping.Go(func() { _ = s.reaper.Run(run) }) // it ends with run, and says so
		e.reaping.Go(func() { e.watchForeign(run, s) })
	}
	e.client.moving.attach(e.watcher, e.servedKeys()) //nolint:contextcheck // it outlives the start
	e.reaping.Go(func() { (&deadCap{engine: e}).run(run) })
	go e.dog.loop() //nolint:contextcheck // it outlives the start; handlers have their own context
	e.keeper.start(context.WithoutCancel(ctx))
	e.started = true
	e.become(stateRunning)
	for _, c := range e.consumers {
		e.log.InfoContext(ctx, "queue served", "queue", c.Code(), "title", c.queue.Title(), "list", e.client.mapper(c.queue.Key()),
			"codec", c.queue.Policy().Codec.Name(), "workers", c.policy.workers)
	}
	return nil
}

// Stop drains: nothing is taken any more, running handlers may finish within
// ShutdownShare of the time that ctx leaves (Config; without a deadline, of a
// lease), then they are cancelled with handlers.ErrDraining, and what is not
// done goes back to the head of its queue, in order and uncharged. Those among
// it whose handlers had begun may be handled twice: they are logged and counted.
// Each second the log says what is waited for.
//
// It returns before the deadline of ctx, also when Redis is gone or a handler
// hangs, and then with an error, such as [ErrStopTime]: what could not be given
// back comes back when its lease ends, as it does where the process is killed
// meanwhile. When ctx is cancelled Stop hurries: handlers are cancelled at once
// and it returns within about two seconds. [Module] does that at a second signal.
//
// A second Stop waits for the first one and returns nil, as does one before Start.
func (e *Engine) Stop(ctx context.Context) error {
	if err := e.lock(ctx); err != nil {
		return err
	}
	defer e.unlock()
	if !e.is(stateRunning) {
		e.become(stateStopped)
		return nil
	}
	e.become(stateStopping)
	err := e.drain(ctx)
	e.become(stateStopped)
	return err
}

// lock lets one Start or Stop run at a time.
func (e *Engine) lock(ctx context.Context) error {
	select {
	case e.life <- struct{}{}:
		return nil
	default:
	}
	select {
	case e.life <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *Engine) unlock() { <-e.life }

func (e *Engine) is(s engineState) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state == s
}

func (e *Engine) become(s engineState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = s
}
