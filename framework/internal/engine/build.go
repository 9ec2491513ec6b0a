package engine

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// served is one queue of the engine: transferred, and handled unless intake is nil.
type served struct {
	consumer Consumer
	keys     []wire.Keys // of its partitions
	intake   *intake
	reapers  []*lease.Reaper
	watched  int                                        // place of its first partition in the health of the watcher
	foreign  atomic.Pointer[fault.ForeignPayloadsError] // what lies there, nil for nothing
	dead     []*deadstore.Queue                         // of its partitions
	expiring atomic.Pointer[map[int]delayed.Expiring]   // by partition: keys that Redis is going to delete
}

// servedKeys returns the keys of all queues.
func (e *Engine) servedKeys() []wire.Keys {
	var keys []wire.Keys
	for _, s := range e.queues {
		keys = append(keys, s.keys...)
	}
	return keys
}

// build makes the parts of every queue. Nothing runs yet.
func (e *Engine) build() error {
	e.mu.Lock() // Health may be asked meanwhile
	defer e.mu.Unlock()
	e.queues, e.intakes = nil, nil // of a start that failed
	e.windows = newSuspectWindows(e.client.Panics, e.patience, e.torn)
	var errs []error
	var watched []watch.Queue
	for i, c := range e.consumers {
		s := &served{consumer: c, keys: e.partitions(c), watched: len(watched)}
		s.dead = e.deadStores(s)
		e.queues = append(e.queues, s)
		if c.Next != nil {
			r, err := e.newIntake(s)
			errs = append(errs, err)
			if err != nil {
				continue
			}
			r.tellFleet = func() { e.announcer.Changed(i) }
			s.intake = r
			e.intakes = append(e.intakes, r)
		}
		for n, keys := range s.keys {
			w := watch.Queue{
				Keys: keys, Name: c.Queue.Code(), EmptyOK: c.Queue.Policy().Codec.WritesEmpty(), DueTracking: c.Queue.Policy().DueTracking,
				NoView: c.Queue.Policy().View == registry.ViewOff, OnListen: func() { e.announcer.Changed(i) },
			}
			if s.intake != nil {
				t := s.intake.takers[n]
				w.Served, w.Takes, w.Early = t.served, t.offer, &t.early
				w.OnEarly = func(n int64) { t.tellEarly(t.base, n) }
				if n == 0 { // what operators set lies there
					w.Looked = func(r delayed.TransferResult) { e.follower.Saw(t.keys.Queue, r.Control, r.NowUs/1000) }
				}
				w.Processes = t.sessions.Processes
			}
			s.reapers = append(s.reapers, e.newReaper(s, n))
			watched = append(watched, w)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	e.watcher = watch.New(e.client.Redis, watched, watch.Options{
		Sweep: e.client.Sweep, Embedded: e.client.Embedded, Logger: e.log, OnBuried: e.buried,
		Channel: wire.ControlChannel, OnMessage: func(m string) { e.follower.Told(m) },
	})
	e.follower, e.announcer = e.follow(), e.announce()
	watchedOver, queues := make([]*handling, len(e.intakes)), []*sessions.Queue(nil)
	for i, r := range e.intakes {
		watchedOver[i] = r.handling
		for _, t := range r.takers {
			queues = append(queues, t.sessions)
		}
	}
	e.dog = newWatchdog(watchedOver)
	for _, ws := range watchedOver {
		ws.dog = e.dog
	}
	e.seat()
	e.keeper = sessions.NewKeeper(queues, e.client.Lease)
	return nil
}

// takers are those of all queues.
func (e *Engine) takers() (all []*taker) {
	for _, r := range e.intakes {
		all = append(all, r.takers...)
	}
	return all
}

// seat lets the takers share the seats in Redis, and has the ready lists polled of those that
// have none.
func (e *Engine) seat() {
	takers, most := e.takers(), e.client.BlockingWaits
	if most == 0 || most > len(takers) {
		most = len(takers)
	}
	all := newWaiters[*taker](most)
	if most < len(takers) {
		e.poller = newPoller(e.client.Redis, &e.reaping)
	}
	for _, t := range takers {
		t.seats, t.poller = all, e.poller
	}
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

func (e *Engine) newIntake(s *served) (*intake, error) {
	q, own := s.consumer.Queue, s.consumer.Policy
	p := q.Policy()
	base, abort := context.WithCancelCause(e.client.Panics.In(context.Background())) //nolint:forbidigo // of the handlers: it ends with the engine, see Stop
	extra := 0
	if s.consumer.NextBatch != nil {
		extra = own.Room() - own.Workers
	}
	of := &queue{
		code: q.Code(), title: q.Title(), codec: p.Codec.Name(), rdb: e.client.Redis, policy: p, own: own,
		pool: &pool{room: newRoom(own.Workers, extra)},
		tel:  e.telemetry(s), log: e.log.With("queue", q.Code()), suspects: e.windows.Queue(),
		base: base, abort: abort, done: make(chan struct{}), torn: e.torn,
	}
	settle := &settling{queue: of}
	handle := &handling{
		queue: of, settling: settle,
		decode: s.consumer.Decode, explain: e.client.explain, memory: e.memory,
		misfit: func(body []byte, err error) error { return foreign.Misfit(q, body, err) },
		next:   of.fresh(handlers.Chain(s.consumer.Next, handlers.Recover())),
	}
	handle.jobs, handle.batching.size = newJobQueue(own.Workers, handle.hire), 1
	if next := s.consumer.NextBatch; next != nil {
		handle.batching.size, handle.batching.wait = own.BatchSize, own.BatchWait
		handle.nextBatch = handlers.ChainBatch(next, handlers.RecoverBatch())
	}
	r := &intake{queue: of, handling: handle, settling: settle}
	set := own.Breaker
	set.Rate, set.Burst = own.Rate, own.Burst
	set.ProbeDeadline = p.Timeout + p.Grace + time.Second
	if p.Timeout <= 0 {
		set.ProbeDeadline = 0
	}
	r.gate = gate.New(q.Code(), set, gate.Hooks{OnChange: r.gateChanged, OnRecovery: settle.breakerClosed})
	for _, keys := range s.keys {
		t := &taker{queue: of, intake: r, keys: keys, log: inPartition(r.log, keys), wake: make(chan struct{}, 1), offer: make(script.Offer)}
		t.claim.Wake = t.signal
		r.takers = append(r.takers, t)
		var err error
		t.sessions, err = sessions.New(sessions.Config{
			Panics: e.client.Panics, Redis: r.rdb, Keys: keys, Log: t.log, Telemetry: r.tel, Cancel: handle.cancelRunning, Resume: t.signal,
			Options: lease.Options{
				Lease: e.client.Lease, Block: e.client.Block, MaxPayload: p.MaxPayload, NoDue: !p.DueTracking,
				Unlisted: p.View == registry.ViewOff, Journal: journal.BookOf(q),
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// newReaper gives back what dead processes held. Where this process only transfers, too:
// Java may be all that is left to take.
func (e *Engine) newReaper(s *served, partition int) *lease.Reaper {
	o, reaped := lease.ReaperOptions{Lease: e.client.Lease}, func() {}
	if r := s.intake; r != nil {
		t := r.takers[partition]
		o.Self, reaped = func() string { return t.sessions.Current().ID() }, t.signal
	}
	ctx := context.Background() //nolint:forbidigo // of metrics
	keys := s.keys[partition]
	return sessions.NewReaper(ctx, e.client.Redis, keys, o, e.telemetry(s), inPartition(e.log.With("queue", s.consumer.Code()), keys), reaped)
}

func (e *Engine) telemetry(s *served) *telemetry.Queue {
	p := s.consumer.Queue.Policy()
	return e.client.Telemetry.Queue(s.consumer.Code(), p.Codec.Name(), p.ChildWithin)
}

// deadStores are those of a queue. Each partition has its share of a limit.
func (e *Engine) deadStores(s *served) (out []*deadstore.Queue) {
	p, n := s.consumer.Queue.Policy(), len(s.keys)
	for _, k := range s.keys {
		out = append(out, &deadstore.Queue{
			Code: s.consumer.Code(), Keys: k, Limit: (p.DeadLimit + n - 1) / n, Age: p.DeadAge, Telemetry: e.telemetry(s), Tell: s.consumer.Policy.Tell,
			Journal: journal.BookOf(s.consumer.Queue),
		})
	}
	return out
}

// buried reports elements that the transfer moved to the dead store.
func (e *Engine) buried(queue, reason string, n int) {
	for _, s := range e.queues {
		if !slices.ContainsFunc(s.keys, func(k wire.Keys) bool { return k.Queue == queue }) {
			continue
		}
		e.telemetry(s).Dead(context.Background(), reason, int64(n)) //nolint:forbidigo // of metrics
		e.log.Error("elements that Java cannot transfer moved to the dead store", "queue", s.consumer.Code(), "messages", n, "reason", reason)
	}
}

// mayServe checks the permissions of the user and the numbers of partitions. What passes by
// itself it waits for, as long as Open does.
func (e *Engine) mayServe(ctx context.Context) error {
	waiting := retry.Waiting{For: e.client.StartRetryFor, Passes: rediserr.MayPass, Tell: func(ctx context.Context, tries int, left time.Duration, err error) {
		e.log.WarnContext(ctx, "queues cannot be checked yet", "try", tries, "left", left.Round(time.Millisecond), "err", err)
	}}
	_, err := waiting.Until(ctx, func() error {
		if err := e.probe(ctx); err != nil {
			return err
		}
		return e.agree(ctx)
	})
	return err
}

// onItsOwn reports whether an error is of one queue alone: its node of a Cluster does not answer. One
// with partitions is not served before their number is known to be that of other processes.
func (e *Engine) onItsOwn(c Consumer, err error) bool {
	return redisapi.IsCluster(e.client.Redis) && rediserr.MayPass(err) && c.Queue.Policy().AllPartitions() == 1
}

// probe checks that the user may do what the scripts do, on every queue.
func (e *Engine) probe(ctx context.Context) error {
	var keys []wire.Keys
	var of []Consumer
	for _, c := range e.consumers {
		for _, k := range e.partitions(c) {
			keys, of = append(keys, k), append(of, c)
		}
	}
	var errs []error
	failed := map[registry.Descriptor]bool{}
	further := func(i int) (names []string) {
		if of[i].Next != nil && of[i].Queue.Policy().JournalKeep > 0 {
			names = append(names, keys[i].Journal)
		}
		return names
	}
	var down []error // of queues on nodes of a Cluster that do not answer
	for i, err := range connect.ProbeQueues(ctx, e.client.Redis, keys, further) {
		if c := of[i]; err != nil && !failed[c.Queue] { // of a queue once
			failed[c.Queue] = true
			err := &fault.RegistrationError{Code: c.Code(), Declared: c.Declared, Err: err}
			if e.onItsOwn(c, err) {
				down = append(down, err)
			} else {
				errs = append(errs, err)
			}
		}
	}
	if len(failed) == len(e.consumers) { // none could be served
		errs = append(errs, down...)
	} else if len(down) > 0 {
		e.log.WarnContext(ctx, "queues stand still until their nodes of the cluster answer; the others are served", "queues", len(down), "err", errors.Join(down...))
	}
	if len(errs) == 0 {
		err := connect.ProbeChannel(ctx, e.client.Redis, wire.ControlChannel)
		if !redisapi.IsCluster(e.client.Redis) || !rediserr.MayPass(err) { // one node that is down says nothing of what the user may do
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
