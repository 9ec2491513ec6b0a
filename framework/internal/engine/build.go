package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/probe"
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
	trimming trouble                                    // of its dead store
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
	e.solo = newSolo(e.patience(), e.torn)
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
			w.Processes = func() int { return int(r.processes.Load()) }
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
	e.dog = newWatchdog(e.runners)
	for _, r := range e.runners {
		r.dog = e.dog
	}
	e.keeper = newKeeper(e.runners, e.client.Lease, e.client.Redis)
	return nil
}

// patience is how long a suspect waits for the handlers of its process to end: as long
// as the longest that has an end takes.
func (e *Engine) patience() time.Duration {
	most := time.Duration(0)
	for _, c := range e.consumers {
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
	r := &runner{
		code: q.Code(), title: q.Title(), codec: p.Codec.Name(), policy: p, own: own,
		keys: s.keys, client: e.client, take: e.take, rdb: e.client.Redis,
		decode: s.consumer.Decode, next: handlers.Chain(s.consumer.Next, handlers.Recover()),
		tel: e.client.Telemetry.Queue(q.Code(), p.Codec.Name(), p.ChildWithin), explain: e.client.explain,
		log: e.log.With("queue", q.Code()), solo: e.solo, lane: e.solo.lane(),
		jobs: newJobQueue(), wake: make(chan struct{}, 1),
		base: base, abort: abort, torn: e.torn, done: make(chan struct{}),
	}
	r.tel.Begin(base, handlers.ReasonMalformed, handlers.ReasonUndecodable, handlers.ReasonRejected, handlers.ReasonExhausted, handlers.ReasonOversized, handlers.ReasonExpired, handlers.ReasonCrashLoop)
	r.next = r.fresh(r.next)
	r.processes.Store(1)
	r.pace.longest = longestTurn(p)
	r.pool = &pool{size: own.Workers, freed: r.signal}
	r.batching.size = 1
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
	h, err := r.newHolder()
	if err != nil {
		return nil, err
	}
	r.holder.Store(h)
	return r, nil
}

// newReaper gives back what dead processes held. Where this process only transfers, too:
// Java may be all that is left to take.
func (e *Engine) newReaper(s *served) *lease.Reaper {
	p, log := s.consumer.Queue.Policy(), e.log.With("queue", s.consumer.Code())
	tel := e.client.Telemetry.Queue(s.consumer.Code(), p.Codec.Name(), p.ChildWithin)
	var o lease.ReaperOptions
	if r := s.runner; r != nil {
		o.Self = func() string { return r.holder.Load().sess.ID() }
	}
	ctx := context.Background() //nolint:forbidigo // of metrics
	return newReaper(e.client, s.keys, log, o, func(h lease.Handed) {
		countReaped(ctx, tel, h)
		if s.runner != nil {
			s.runner.signal()
		}
	})
}

func (r *runner) newHolder() (*holder, error) {
	sess, err := lease.New(r.take, r.rdb, r.keys, lease.Options{
		Lease: r.client.Lease, Block: r.client.Block, MaxPayload: r.policy.MaxPayload, NoDue: !r.policy.DueTracking,
		Unlisted: r.policy.View == registry.ViewOff,
	})
	if err != nil {
		return nil, err
	}
	return newHolder(sess, func(h *holder, err error) {
		if err == nil {
			r.acked(h)
		} else if h.acking.begin(err) {
			r.log.Warn("could not acknowledge yet what was handled; tried again until it works", "session", sess.ID(), "err", err)
		}
	}), nil
}

// acked notes that acks have reached Redis.
func (r *runner) acked(h *holder) {
	if lasted, was := h.acking.end(); was {
		r.log.Info("what was handled is acknowledged again", "session", h.sess.ID(), "after", lasted)
	}
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
