package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/unsent"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// gaugeTimeout bounds what a collection of metrics may wait for Redis.
const gaugeTimeout = 2 * time.Second

// countedAtOnce is how many queues are counted in one pipeline.
const countedAtOnce = 128

// observe registers the gauges of all queues. They ask Redis once per queue and
// collection, of many queues in one pipeline.
func (e *Engine) observe() error {
	queues := make([]*telemetry.Queue, len(e.queues))
	for i, s := range e.queues {
		queues[i] = e.telemetry(s)
	}
	for _, r := range e.intakes { // not where they are made: Health waits there, and these call what users give
		r.settling.pace.Longest = longestTurn(r.policy)
		r.tel.Begin(r.base, r.policy.DeadLimit > 0 || r.policy.DeadAge > 0)
	}
	stop, err := e.client.Telemetry.Observe(func(ctx context.Context, report *telemetry.Report) {
		ctx, cancel := context.WithTimeout(ctx, gaugeTimeout)
		defer cancel()
		w := e.watcher.Health()
		keys := e.servedKeys()
		var counted []delayed.QueueCounts
		var failed []error
		for at := 0; at < len(keys); at += countedAtOnce {
			some, errs := delayed.CountsAll(ctx, e.client.Redis, keys[at:min(at+countedAtOnce, len(keys))]...)
			counted, failed = append(counted, some...), append(failed, errs...)
		}
		for i, s := range e.queues {
			end := s.watched + len(s.keys)
			report.Queue(queues[i], s.gauges(ctx, e.client, counted[s.watched:end], errors.Join(failed[s.watched:end]...), w))
		}
		if e.is(stateRunning) { // one that starts or stops is not ready, and should not be
			report.Ready(e.Health().Ready)
		}
	})
	e.unobserve = stop
	return err
}

func (s *served) gauges(ctx context.Context, c *Client, parts []delayed.QueueCounts, err error, w watch.Health) telemetry.Gauges {
	g := telemetry.Gauges{
		Ready: telemetry.Unknown, Delayed: telemetry.Unknown, Overdue: telemetry.Unknown, Dead: telemetry.Unknown,
		InFlight: telemetry.Unknown, Zombies: telemetry.Unknown, Suspects: telemetry.Unknown, Breaker: telemetry.Unknown,
		Lag: -1, ClockSkew: w.Skew, KnownSkew: !w.LastSuccess.IsZero(), ViewBehind: s.transfers(w).ViewBehind,
	}
	if err == nil {
		n := partitions.Total(ctx, c.Redis, s.keys, parts)
		g.Ready, g.Delayed, g.Overdue, g.Dead = n.Ready, n.Delayed, n.Overdue, n.Dead
		g.Lag = time.Duration(n.Lag.Ms) * time.Millisecond
	}
	if r := s.intake; r != nil {
		busy, hung := r.pool.Counts()
		g.InFlight, g.Zombies = int64(busy), int64(hung)
		g.Suspects = int64(r.suspects.Count())
		intake := r.gate.Snapshot()
		_, reason := intakeBy(intake)
		if intake.Paused != nil { // no alarm: it is wanted
			intake.State, reason = intake.Breaker, health.BecauseBreaker
		}
		g.Breaker, g.Because = int64(intake.State), string(reason)
	}
	return g
}

// announce makes the announcer of the engine's queues.
func (e *Engine) announce() *control.Announcer {
	e.began = time.Now()
	queues := make([]control.AnnouncedQueue, len(e.queues))
	for i, s := range e.queues {
		queues[i] = control.AnnouncedQueue{
			Keys: s.keys[0], Tell: func() control.Record { return s.record(e) },
			Others: func(id string, all []control.Process) { s.compare(e, id, all) },
			Parts:  s.keys, Found: func(part int, f delayed.Expiring) { s.noteExpiry(e, part, f) },
		}
	}
	a := control.NewAnnouncer(e.client.Redis, queues, e.client.Lease, e.log)
	told := time.Time{} // of the goroutine that writes
	a.Notes = func() (calls []script.Call) {
		now := time.Now()
		for _, queue := range unsent.Since(told) {
			calls = append(calls, control.NoteCall(wire.KeysOf(e.client.Name(queue)), control.OutboxWritten))
		}
		told = now
		return calls
	}
	return a
}

// record is what operators see of a queue in this process.
func (s *served) record(e *Engine) control.Record {
	now := time.Now()
	p := s.consumer.Queue.Policy()
	out := control.Record{Up: now.Sub(e.began).Milliseconds(), Policy: control.Policy{View: p.View.String()}}
	out.User, out.Refused = redisapi.User(e.client.Redis), s.refused(s.transfers(e.watcher.Health()))
	r := s.intake
	if r == nil {
		out.TransferOnly = true
		return out
	}
	out.Codec = p.Codec.Name()
	out.Policy.MaxAttempts, out.Policy.Timeout, out.Policy.MaxPayload = p.MaxAttempts, p.Timeout.Milliseconds(), p.MaxPayload
	g := r.gate.Snapshot()
	intake, reason := r.intakeOf(g, e.draining.Load() != nil)
	out.Intake, out.Reason = string(intake), string(reason)
	out.Handled, out.Failed = g.Successes, g.Failures
	if g.Paused != nil {
		out.Because = g.Paused.Reason
	}
	out.Error, out.ErrorKind = r.lastError(g)
	out.Workers, out.Usable, out.Rate = r.own.Workers, r.own.Workers, r.gate.Rate()
	if c := r.control.Load(); c != nil {
		out.Usable = r.workersOf(c.Limit)
	}
	out.Held, out.Zombies = r.pool.Counts()
	out.Suspects = r.suspects.Count()
	for _, t := range r.takers {
		early := t.early.Count()
		out.Early, out.EarlyBy = out.Early+early.Messages, max(out.EarlyBy, early.By.Milliseconds())
	}
	out.Running = r.pool.named(now)
	for _, z := range r.pool.Hanging() {
		out.Hung = append(out.Hung, control.Running{ID: z.ID, Digest: z.Digest, Attempt: z.Attempt, Hangs: z.Hangs, For: now.Sub(z.Started).Milliseconds()})
	}
	return out
}

// refused is what Redis does not permit of the queue, each right once.
func (s *served) refused(w watch.QueueHealth) (all []control.Refusal) {
	errs := []error{w.Deaf, w.LastError}
	if r := s.intake; r != nil {
		if c := r.control.Load(); c != nil {
			errs = append(errs, c.Err)
		}
		for _, t := range r.takers {
			errs = append(errs, t.trouble.Cause())
		}
	}
	for _, err := range errs {
		if r, refused := control.RefusalOf(err); refused && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// compare warns where this process declares the queue otherwise than those that serve it
// already.
func (s *served) compare(e *Engine, id string, all []control.Process) {
	for _, d := range control.Differences(all) {
		own, others := d.Of(id)
		if own == "" {
			continue // others differ among themselves
		}
		for _, v := range others {
			e.log.Warn("another process declares this queue differently", "queue", s.consumer.Code(), "setting", d.Setting, "here", own, "there", v.String())
		}
	}
}

// noteExpiry keeps which keys of a partition Redis is going to delete, and warns of new ones.
func (s *served) noteExpiry(e *Engine, part int, f delayed.Expiring) {
	before := map[int]delayed.Expiring{}
	if p := s.expiring.Load(); p != nil {
		before = *p
	}
	if len(f.Keys) == 0 && len(before[part].Keys) == 0 {
		return
	}
	if len(f.Keys) > 0 && before[part].Names() != f.Names() {
		delayed.WarnExpiring(context.Background(), e.log, s.consumer.Code(), f) //nolint:forbidigo // for the log alone
	}
	now := maps.Clone(before)
	if now[part] = f; len(f.Keys) == 0 {
		delete(now, part)
	}
	s.expiring.Store(&now)
}

// named describes the messages whose handlers run, the oldest first.
func (p *pool) named(now time.Time) []control.Running {
	var all []control.Running
	p.running(func(_ *worker, j *job) {
		all = append(all, control.Running{
			ID: j.ID(), Attempt: j.msg.Failed + 1, Hangs: j.msg.Hung, For: max(now.Sub(j.started), 0).Milliseconds(), Alone: j.alone,
		})
	})
	slices.SortStableFunc(all, func(a, b control.Running) int { return cmp.Compare(b.For, a.For) })
	return all
}
