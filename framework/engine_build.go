package framework

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// sorted orders consumers by code: fx hands groups over in random order.
func sorted(cs []Consumer) []Consumer {
	out := slices.Clone(cs)
	slices.SortStableFunc(out, func(a, b Consumer) int { return strings.Compare(a.Code(), b.Code()) })
	return out
}

func isSlotError(err error) bool {
	var slot *redisson.SlotError
	return errors.As(err, &slot)
}

// served is one queue of the engine: transferred, and handled unless runner is nil.
type served struct {
	consumer Consumer
	keys     redisson.Keys
	runner   *runner
}

// build makes the parts of every queue. Nothing runs yet.
func (e *Engine) build() error {
	e.mu.Lock() // Health may be asked meanwhile
	defer e.mu.Unlock()
	e.queues, e.runners = nil, nil // of a start that failed
	e.solo = newSolo(e.patience())
	e.take = e.client.newTake(len(e.consumers))
	var errs []error
	var watched []redisson.WatchedQueue
	for _, c := range e.consumers {
		s := &served{consumer: c, keys: redisson.KeysOf(e.client.mapper(c.queue.Key()))}
		e.queues = append(e.queues, s)
		w := redisson.WatchedQueue{
			Keys: s.keys, EmptyOK: c.queue.Policy().Codec.WritesEmpty(), DueTracking: c.queue.Policy().DueTracking,
			View: redisson.View(c.queue.Policy().View),
		}
		if c.next != nil {
			r, err := e.newRunner(s)
			errs = append(errs, err)
			if err != nil {
				continue
			}
			s.runner = r
			e.runners = append(e.runners, r)
			w.Served = func(redisson.TransferResult) { r.served() }
			w.Processes = func() int { return int(r.processes.Load()) }
		}
		watched = append(watched, w)
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, e.take.Close())
	}
	e.watcher = redisson.NewWatcher(e.client.rdb, watched, redisson.Options{
		Sweep: e.client.cfg.Sweep, Unbounded: e.client.embedded, Logger: e.log, OnMalformed: e.malformed,
	})
	e.dog = newWatchdog(e.runners)
	for _, r := range e.runners {
		r.dog = e.dog
	}
	e.keeper = newKeeper(e.runners, e.client.cfg.Lease, e.client.rdb)
	return nil
}

// patience is how long a suspect may keep all queues of the process from starting
// handlers: as long as the longest handler that has an end.
func (e *Engine) patience() time.Duration {
	most := time.Duration(0)
	for _, c := range e.consumers {
		if p := c.queue.Policy(); c.next != nil && p.Timeout > 0 {
			most = max(most, p.Timeout+p.Grace)
		}
	}
	if most == 0 {
		most = registry.DefaultTimeout + registry.DefaultGrace
	}
	return most + 5*time.Second
}

func (e *Engine) newRunner(s *served) (*runner, error) {
	q, own := s.consumer.queue, s.consumer.policy
	p := q.Policy()
	base, abort := context.WithCancelCause(context.Background()) //nolint:forbidigo // of the handlers: it ends with the engine, see Stop
	r := &runner{
		code: q.Code(), title: q.Title(), codec: p.Codec.Name(), policy: p, own: own,
		keys: s.keys, cfg: e.client.cfg, take: e.take, rdb: e.client.rdb,
		decode: s.consumer.decode, next: handlers.Chain(s.consumer.next, handlers.Recover()),
		tel: e.client.tel.Queue(q.Code(), p.Codec.Name(), p.ChildWithin),
		log: e.log.With("code", q.Code()), solo: e.solo,
		jobs: newJobQueue(), wake: make(chan struct{}, 1),
		base: base, abort: abort, torn: e.torn, done: make(chan struct{}),
	}
	r.next = r.fresh(r.next)
	r.processes.Store(1)
	r.pool = &pool{size: own.workers, freed: r.signal}
	r.inBatches(s.consumer.nextBatch)
	set := own.breaker
	set.Rate, set.Burst = own.rate, own.burst
	set.ProbeDeadline = p.Timeout + p.Grace + time.Second
	if r.batching != nil && set.Probes > 1 { // those of a batch that failed as a whole run one after the other
		set.ProbeDeadline += time.Duration(set.Probes) * (p.Timeout + p.Grace)
	}
	if p.Timeout <= 0 {
		set.ProbeDeadline = 0
	}
	r.gate = gate.New(q.Code(), set, gate.Hooks{OnChange: r.gateChanged, OnRefund: r.refund})
	h, err := r.newHolder()
	if err != nil {
		return nil, err
	}
	r.holder.Store(h)
	r.reaper = lease.NewReaper(e.client.rdb, s.keys, lease.ReaperOptions{
		Lease: e.client.cfg.Lease,
		Self:  func() string { return r.holder.Load().sess.ID() },
		OnReap: func(h lease.Handed) {
			n := h.Bodies + h.Staged
			if n+h.Buried == 0 { // of a process that stopped without anything in flight
				r.log.Debug("removed a session whose time was over", "session", h.Session)
				return
			}
			r.tel.Reaped(base, int64(n))
			r.tel.Dead(base, ReasonCrashLoop, int64(h.Buried))
			r.log.Warn("took back the messages of a session whose lease was over", "session", h.Session, "messages", n, "dead", h.Buried)
			r.signal()
		},
		OnError: func(err error) { r.log.Warn("could not look for ended sessions", "err", err) },
	})
	return r, nil
}

func (r *runner) newHolder() (*holder, error) {
	sess, err := lease.New(r.take, r.rdb, r.keys, lease.Options{
		Lease: r.cfg.Lease, Block: r.cfg.Block, MaxPayload: r.policy.MaxPayload, NoDue: !r.policy.DueTracking,
		Unlisted: r.policy.View == registry.ViewOff,
	})
	if err != nil {
		return nil, err
	}
	return newHolder(sess, func(err error) { r.log.Warn("could not send acks yet", "err", err) }), nil
}

// refund takes back charges of failures that turned out to be an outage.
func (r *runner) refund(fields []string) {
	// The gate must not wait for Redis. One that is repeated after a lost reply may
	// take a charge too many off, which harms nobody.
	go r.persist(context.WithoutCancel(r.base), "refund", func(ctx context.Context) error {
		_, err := lease.Refund(ctx, r.rdb, r.keys, fields)
		return err
	})
}

// malformed reports elements that the transfer moved to the dead store.
func (e *Engine) malformed(queue string, n int) {
	for _, s := range e.queues {
		if s.keys.Queue != queue {
			continue
		}
		if s.runner != nil {
			s.runner.tel.Dead(s.runner.base, ReasonMalformed, int64(n))
		}
		e.log.Error("malformed elements moved to the dead store", "code", s.consumer.Code(), "messages", n, "reason", ReasonMalformed)
	}
}

// probe checks that the user may do what the scripts do, on every queue.
func (e *Engine) probe(ctx context.Context) error {
	var errs []error
	for _, c := range e.consumers {
		keys := redisson.KeysOf(e.client.mapper(c.queue.Key()))
		if err := redisson.Probe(ctx, e.client.rdb, keys); err != nil {
			errs = append(errs, &RegistrationError{Code: c.Code(), Declared: c.declared, Err: err})
		}
	}
	return errors.Join(errs...)
}
