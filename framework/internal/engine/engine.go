package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/registry"
)

// Engine handles queues in this process: it moves due messages, takes them and
// runs their handlers. Make it with [New]; it runs once. Safe for concurrent use.
type Engine struct {
	client    *Client
	consumers []Consumer
	log       *slog.Logger
	memory    *weight.Bound // for what is decoded

	life    chan struct{} // capacity 1: held by Start and Stop
	started bool          // of life: Start has succeeded once

	mu    sync.Mutex // guards state, and queues and watcher until they are built
	state engineState

	queues    []*served
	intakes   []*intake
	watcher   *watch.Watcher
	poller    *poller // nil where there is a seat for each queue
	keeper    *sessions.Keeper
	dog       *watchdog
	windows   *suspectWindows
	patience  time.Duration // of the windows
	reaping   background.Group
	unobserve func() error

	pauses     pauses // guarded by mu
	follower   *control.Follower
	announcer  *control.Announcer
	stopTaking context.CancelFunc
	began      time.Time
	draining   atomic.Pointer[drain] // set while the engine stops, and after
	torn       chan struct{}
}

type engineState int

const (
	stateNew engineState = iota
	stateRunning
	stateStopping
	stateStopped
)

// New builds an engine of consumers that were checked; nothing runs until [Engine.Start].
func New(c *Client, consumers []Consumer) *Engine {
	return &Engine{client: c, memory: weight.Process(), log: trouble.LogFor(c.Log, len(consumers)), consumers: consumers, patience: patienceFor(consumers), torn: make(chan struct{}), life: make(chan struct{}, 1)}
}

// Queues is that of framework.Engine.
func (e *Engine) Queues() []registry.Descriptor {
	out := make([]registry.Descriptor, len(e.consumers))
	for i, c := range e.consumers {
		out[i] = c.Queue
	}
	return out
}

// Start is that of framework.Engine.
func (e *Engine) Start(ctx context.Context) error {
	ctx = e.client.Panics.In(ctx)
	if err := e.lock(ctx); err != nil {
		return err
	}
	defer e.unlock()
	switch {
	case e.started:
		return fault.ErrStarted
	case e.is(stateStopped):
		return fault.ErrClosed
	}
	if err := e.mayServe(ctx); err != nil {
		return err
	}
	if err := e.build(); err != nil { //nolint:contextcheck // what is built outlives the start
		return err
	}
	watched, err := e.lookForeign(ctx)
	if err != nil {
		return err
	}
	if err := e.observe(); err != nil { //nolint:contextcheck // collections bring their own context
		return err
	}
	e.applyPauses(e.codes())
	e.follower.LookAll(ctx) // before anything is taken
	// Not derived from ctx: fx cancels the start context once all has started.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.stopTaking = cancel
	if err := e.watcher.Start(run); err != nil {
		cancel()
		return errors.Join(err, e.unobserve())
	}
	if e.poller != nil {
		e.reaping.Loop(run, "poll ready lists", func() { e.poller.run(run) })
	}
	for _, r := range e.intakes {
		r.run(run)
	}
	var dead []*deadstore.Queue
	reapers := lease.NewReapers(e.client.Redis)
	for _, s := range e.queues {
		dead = append(dead, s.dead...)
		for _, reaper := range s.reapers {
			reapers.Add(reaper)
		}
	}
	e.reaping.Loop(run, "look for foreign payloads", func() { foreign.Watch(run, e.client.Redis, e.log, watched) })
	e.reaping.Loop(run, "give back what dead processes held", func() { _ = reapers.Run(run) }) // it ends with run, and says so
	e.reaping.Loop(run, "end spare workers", func() { e.spareWorkers(run) })
	e.reaping.Loop(run, "follow what operators set", func() { e.follower.Run(run) })
	e.announcer.Start(context.WithoutCancel(ctx))
	e.client.Transfers.Attach(e.watcher, e.servedKeys()) //nolint:contextcheck // it outlives the start
	e.reaping.Loop(run, "keep the bounds of dead stores", func() { deadstore.KeepBounds(run, e.client.Redis, e.log, dead) })
	deadstore.TellAll(run, &e.reaping, e.client.Redis, e.log, dead)
	background.Go(context.WithoutCancel(ctx), "watch handlers", e.dog.loop)
	e.keeper.Start(context.WithoutCancel(ctx))
	e.started = true
	e.become(stateRunning)
	e.tellServed(ctx)
	return nil
}

// namedQueues is how many are named in a line for all.
const namedQueues = 10

// tellServed logs which queues are served: a line each or, of very many, one for all.
func (e *Engine) tellServed(ctx context.Context) {
	if len(e.consumers) > trouble.OwnLines {
		first := make([]string, namedQueues)
		for i := range first {
			first[i] = e.consumers[i].Code()
		}
		e.log.InfoContext(ctx, "queues served", "queues", len(e.consumers), "handled", len(e.intakes), "first", first)
		return
	}
	for _, c := range e.consumers {
		e.log.InfoContext(ctx, "queue served", "queue", c.Code(), "title", c.Queue.Title(), "list", e.client.Name(c.Queue.Key()),
			"codec", c.Queue.Policy().Codec.Name(), "workers", c.Policy.Workers, "partitions", c.Queue.Policy().AllPartitions())
	}
}

// Stop is that of framework.Engine.
func (e *Engine) Stop(ctx context.Context) error {
	ctx = e.client.Panics.In(ctx)
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
	trouble.Unfold(e.log) //nolint:contextcheck // the line for many is of no one call
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
