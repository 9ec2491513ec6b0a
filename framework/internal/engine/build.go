package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/engine/outage"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/engine/suspects"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/probe"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// served is one queue of the engine: transferred, and handled unless runner is nil.
type served struct {
	consumer Consumer
	keys     wire.Keys
	runner   *runner
	reaper   *lease.Reaper
	foreign  atomic.Pointer[fault.ForeignPayloadsError] // what lies there, nil for nothing
}

// servedKeys returns the keys of all queues.
func (e *Engine) servedKeys() []wire.Keys {
	keys := make([]wire.Keys, len(e.queues))
	for i, s := range e.queues {
		keys[i] = s.keys
	}
	return keys
}

// build makes the parts of every queue. Nothing runs yet.
func (e *Engine) build() error {
	e.mu.Lock() // Health may be asked meanwhile
	defer e.mu.Unlock()
	e.queues, e.runners = nil, nil // of a start that failed
	e.windows = suspects.NewWindows(e.patience, e.torn)
	e.take = e.client.NewTake(len(e.consumers))
	var errs []error
	var watched []watch.Queue
	for _, c := range e.consumers {
		s := &served{consumer: c, keys: wire.KeysOf(e.client.Name(c.Queue.Key()))}
		e.queues = append(e.queues, s)
		w := watch.Queue{
			Keys: s.keys, Name: c.Queue.Code(), EmptyOK: c.Queue.Policy().Codec.WritesEmpty(), DueTracking: c.Queue.Policy().DueTracking,
			View: delayed.View(c.Queue.Policy().View),
		}
		if c.Next != nil {
			r, err := e.newRunner(s)
			errs = append(errs, err)
			if err != nil {
				continue
			}
			s.runner = r
			e.runners = append(e.runners, r)
			w.Served = func(delayed.TransferResult) { r.served() }
			w.Processes = func() int { return r.sessions.Processes() }
		}
		s.reaper = e.newReaper(s)
		watched = append(watched, w)
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, e.take.Close())
	}
	e.watcher = watch.New(e.client.Redis, watched, watch.Options{
		Sweep: e.client.Sweep, Unbounded: e.client.Embedded, Logger: e.log, OnMalformed: e.malformed,
	})
	handling, queues := make([]*workers, len(e.runners)), make([]*sessions.Queue, len(e.runners))
	for i, r := range e.runners {
		handling[i], queues[i] = &r.workers, r.sessions
	}
	e.dog = newWatchdog(handling)
	for _, ws := range handling {
		ws.dog = e.dog
	}
	e.keeper = sessions.NewKeeper(queues, e.client.Lease, e.client.Redis)
	return nil
}

// patienceFor is how long a suspect waits for the handlers of its process to end: as long
// as the longest that has an end takes.
func patienceFor(consumers []Consumer) time.Duration {
	most := time.Duration(0)
	for _, c := range consumers {
		if p := c.Queue.Policy(); c.Next != nil && p.Timeout > 0 {
			most = max(most, p.Timeout+p.Grace)
		}
	}
	if most == 0 {
		most = registry.DefaultTimeout + registry.DefaultGrace
	}
	return most + 5*time.Second
}

func (e *Engine) newRunner(s *served) (*runner, error) {
	q, own := s.consumer.Queue, s.consumer.Policy
	p := q.Policy()
	base, abort := context.WithCancelCause(context.Background()) //nolint:forbidigo // of the handlers: it ends with the engine, see Stop
	r := &runner{wake: make(chan struct{}, 1)}
	r.queue = queue{
		code: q.Code(), title: q.Title(), codec: p.Codec.Name(), keys: s.keys, rdb: e.client.Redis, policy: p, own: own,
		tel: e.telemetry(s), log: e.log.With("queue", q.Code()), suspects: e.windows.Queue(),
		base: base, abort: abort, done: make(chan struct{}), torn: e.torn,
	}
	r.tel.Begin(base, handlers.ReasonMalformed, handlers.ReasonUndecodable, handlers.ReasonRejected, handlers.ReasonExhausted, handlers.ReasonOversized, handlers.ReasonExpired, handlers.ReasonCrashLoop)
	r.pace.Longest = outage.LongestTurn(p)
	r.pool = &pool{size: own.Workers, freed: r.signal}
	r.jobs, r.batching.size = newJobQueue(), 1
	r.decode, r.explain = s.consumer.Decode, e.client.explain
	r.next = r.fresh(handlers.Chain(s.consumer.Next, handlers.Recover()))
	if next := s.consumer.NextBatch; next != nil {
		r.batching.size, r.batching.wait = own.BatchSize, own.BatchWait
		r.nextBatch = handlers.ChainBatch(next, handlers.RecoverBatch())
		r.pool.extra = own.Room() - own.Workers
	}
	set := own.Breaker
	set.Rate, set.Burst = own.Rate, own.Burst
	set.ProbeDeadline = p.Timeout + p.Grace + time.Second
	if p.Timeout <= 0 {
		set.ProbeDeadline = 0
	}
	r.gate = gate.New(q.Code(), set, gate.Hooks{OnChange: r.gateChanged, OnRecovery: r.breakerClosed})
	var err error
	r.sessions, err = sessions.New(sessions.Config{
		Take: e.take, Redis: r.rdb, Keys: r.keys, Log: r.log, Telemetry: r.tel, Cancel: r.cancelRunning, Resume: r.signal,
		Options: lease.Options{
			Lease: e.client.Lease, Block: e.client.Block, MaxPayload: p.MaxPayload, NoDue: !p.DueTracking,
			Unlisted: p.View == registry.ViewOff,
		},
	})
	return r, err
}

// newReaper gives back what dead processes held. Where this process only transfers, too:
// Java may be all that is left to take.
func (e *Engine) newReaper(s *served) *lease.Reaper {
	o, reaped := lease.ReaperOptions{Lease: e.client.Lease}, func() {}
	if r := s.runner; r != nil {
		o.Self, reaped = func() string { return r.sessions.Current().ID() }, r.signal
	}
	ctx := context.Background() //nolint:forbidigo // of metrics
	return sessions.NewReaper(ctx, e.client.Redis, s.keys, o, e.telemetry(s), e.log.With("queue", s.consumer.Code()), reaped)
}

func (e *Engine) telemetry(s *served) *telemetry.Queue {
	p := s.consumer.Queue.Policy()
	return e.client.Telemetry.Queue(s.consumer.Code(), p.Codec.Name(), p.ChildWithin)
}

// deadStores are those of all queues.
func (e *Engine) deadStores() []*deadstore.Queue {
	out := make([]*deadstore.Queue, len(e.queues))
	for i, s := range e.queues {
		p := s.consumer.Queue.Policy()
		out[i] = &deadstore.Queue{Code: s.consumer.Code(), Keys: s.keys, Limit: p.DeadLimit, Age: p.DeadAge, Telemetry: e.telemetry(s)}
	}
	return out
}

// malformed reports elements that the transfer moved to the dead store.
func (e *Engine) malformed(queue string, n int) {
	for _, s := range e.queues {
		if s.keys.Queue != queue {
			continue
		}
		if s.runner != nil {
			s.runner.tel.Dead(s.runner.base, handlers.ReasonMalformed, int64(n))
		}
		e.log.Error("malformed elements moved to the dead store", "queue", s.consumer.Code(), "messages", n, "reason", handlers.ReasonMalformed)
	}
}

// probe checks that the user may do what the scripts do, on every queue.
func (e *Engine) probe(ctx context.Context) error {
	var errs []error
	for _, c := range e.consumers {
		keys := wire.KeysOf(e.client.Name(c.Queue.Key()))
		if err := probe.Queue(ctx, e.client.Redis, keys); err != nil {
			errs = append(errs, &fault.RegistrationError{Code: c.Code(), Declared: c.Declared, Err: err})
		}
	}
	return errors.Join(errs...)
}
