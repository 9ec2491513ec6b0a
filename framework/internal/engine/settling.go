package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// settling tells the gate and Redis what became of the messages of a queue.
type settling struct {
	*queue

	setbacks  setbacks           // retries that failed while the breaker was open
	pace      outagePace         // of probes meanwhile
	returning sessions.Returning // what is not finished when the process stops

	unsettled    atomic.Int64  // messages whose end Redis does not take now
	unsettledErr trouble.State // why
}

// settle tells the gate and Redis what became of a group, of each message by its outcome, and
// frees its worker. Those that failed are offered again together, and those that were
// interrupted go back together, in their order. ctx is the handler's: it may have ended, so
// Redis is asked with a detached one.
func (s *settling) settle(ctx context.Context, js []*job, outs []handlers.Outcome) {
	var retried []*retrial
	var back []*job
	var why []handlers.Outcome
	for i, j := range js {
		switch out := outs[i]; out.Kind {
		case handlers.Done:
			s.acknowledge(ctx, j, out)
		case handlers.Retried:
			retried = append(retried, s.retrial(j, out))
		case handlers.Rejected:
			s.reject(context.WithoutCancel(ctx), j, out)
		default: // Released
			back, why = append(back, j), append(why, out)
		}
	}
	if retried != nil {
		s.retry(context.WithoutCancel(ctx), retried)
	}
	if back != nil {
		s.release(context.WithoutCancel(ctx), back, why)
	}
}

// acknowledge settles a message that was handled.
func (s *settling) acknowledge(ctx context.Context, j *job, out handlers.Outcome) {
	defer s.leave(j, true)
	s.gate.Done(j.permit, gate.Result{Kind: gate.Success})
	j.note(journal.Handled, "")
	j.session.Acks.Add(j.msg.Token)
	j.span.End(out)
	s.tell(ctx, j, handlers.Settled{})
	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "message done", j.named("took", time.Since(j.started))...)
	}
}

// retrial is a message on its way to its next attempt, or to the dead store after its
// last one.
type retrial struct {
	job     *job
	out     handlers.Outcome
	delay   time.Duration
	setBack bool // it failed while the breaker was not closed
	nack    lease.Nacking
}

// retrial tells the gate of a failure, and returns what Redis must learn of it. Every
// failure is charged but those that are marked transient.
func (s *settling) retrial(j *job, out handlers.Outcome) *retrial {
	s.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	delay := out.Delay
	if delay < 0 {
		delay = s.retryDelay(j, out)
	}
	if !out.Transient {
		s.pace.Failed(time.Now(), s.gate.TrippedAt())
	}
	t := &retrial{job: j, out: out, delay: delay, setBack: s.gate.Tripped(), nack: lease.Nacking{
		Token: j.msg.Token,
		NackArgs: lease.NackArgs{
			Charge: !out.Transient, MaxAttempts: cmp.Or(out.MaxAttempts, s.policy.MaxAttempts), Delay: delay,
			Reason: handlers.ReasonExhausted, ErrText: errText(out.Err), Trace: j.msg.Trace,
		},
	}}
	if j.hung {
		t.nack.Reason = handlers.ReasonHung
	}
	if j.toBlame && !t.setBack {
		t.nack.MaxHangs = s.policy.MaxHangs
	}
	return t
}

// retry offers messages of one session again after their backoffs, or buries those whose
// last attempt it was: in their order and in one round trip.
func (s *settling) retry(ctx context.Context, all []*retrial) {
	nacks := make([]*lease.Nacking, len(all))
	for i, t := range all {
		nacks[i] = &t.nack
	}
	sess := all[0].job.session
	s.persistAll(ctx, "nack", len(all), func(ctx context.Context) error { return sess.NackAll(ctx, nacks) })
	for _, t := range all {
		if t.nack.Settled {
			s.tell(ctx, t.job, s.retried(ctx, t))
		}
		t.job.span.End(t.out)
		s.leave(t.job, false)
	}
}

// retried logs and counts what became of a message that was nacked, and returns it.
func (s *settling) retried(ctx context.Context, t *retrial) handlers.Settled {
	j, end := t.job, handlers.Settled{Kind: handlers.Retried, Delay: t.delay, Err: t.out.Err}
	switch t.nack.Result.Outcome {
	case lease.Gone:
		s.gone(ctx, j, t.out.Err)
		end.Gone = true
		return end
	case lease.Dead:
		j.span.Dead(t.nack.Reason)
		j.note(journal.Dead, t.nack.Reason)
		s.log.ErrorContext(ctx, "message moved to the dead store: its last attempt failed",
			append(j.failure(t.out.Err), "reason", t.nack.Reason, "entry", j.entry(t.nack.Result.Entry))...)
		return handlers.Settled{Kind: handlers.Rejected, Reason: t.nack.Reason, Err: t.out.Err}
	case lease.Cancelled:
		j.span.Cancelled()
		s.endCancelled(ctx, j, t.out.Err)
		end.Gone = true
		return end
	case lease.Retried:
	}
	if t.setBack {
		s.remember(t) //nolint:contextcheck // bringing it forward outlives this message
	}
	j.span.Retry(t.delay, t.nack.Charge)
	if t.out.Transient && !t.out.CountsForBreaker {
		s.log.DebugContext(ctx, "message snoozed", append(j.failure(t.out.Err), "delay", t.delay)...)
		return end
	}
	s.log.WarnContext(ctx, "handler failed: message will be retried",
		append(j.failure(t.out.Err), "charged", t.nack.Charge, "delay", t.delay, "at", time.UnixMilli(t.nack.Result.DueMs))...)
	return end
}

// remember keeps a retry that is to come forward when the breaker closes. A delay that
// the handler named stays.
func (s *settling) remember(t *retrial) {
	if t.out.Delay >= 0 && handlers.Decided(t.out.Err) {
		return
	}
	s.setbacks.Add(setback{ID: t.job.msg.ID, RetryMs: t.nack.Result.DueMs})
	if !s.gate.Tripped() { // it has closed since the message failed
		s.breakerClosed()
	}
}

// breakerClosed is called by the gate when the breaker has closed, and does not hold it up.
// What it begins ends when the intake does.
func (s *settling) breakerClosed() {
	all := s.setbacks.Take()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.base))
	var forward background.Group
	for i, t := range s.takers {
		some := slices.DeleteFunc(slices.Clone(all), func(b setback) bool { return b.ID.Partition != i })
		if len(some) == 0 {
			continue
		}
		forward.Task(ctx, "bring retries forward", func() {
			now := time.Now()
			if at, ok := t.sessions.Current().ServerTime(); ok {
				now = at
			}
			bringForward(ctx, s.rdb, t.keys, some, now, s.log)
		})
	}
	background.Go(ctx, "wait for retries", func() {
		defer cancel()
		forward.Wait()
	})
	background.Go(ctx, "end with the intake", func() {
		defer cancel()
		select {
		case <-s.done:
		case <-ctx.Done():
		}
	})
}

// retryDelay asks the queue's backoff, which may be the user's code.
func (q *queue) retryDelay(j *job, out handlers.Outcome) (d time.Duration) {
	defer func() {
		if p := recover(); p != nil {
			d = defaultDelay(j, out)
			q.log.Error("the queue's backoff panics; its message waits by the default one", "delay", d, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return q.policy.RetryDelay(registry.Tries(out, j.msg.Failed, j.msg.Delivered) + 1)
}

// defaultDelay is how long a queue waits that declares no backoff.
func defaultDelay(j *job, out handlers.Outcome) time.Duration {
	s := registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit)
	return s.Delay(registry.Tries(out, j.msg.Failed, j.msg.Delivered)+1, chance.Float64())
}

// reject moves a message to the dead store that is not to be tried again.
func (s *settling) reject(ctx context.Context, j *job, out handlers.Outcome) {
	defer s.leave(j, false)
	defer j.span.End(out)
	reason := buriedAs(out)
	called := reason != handlers.ReasonExpired || errors.Unwrap(out.Err) != nil
	if !called && !j.handled {
		s.gate.GiveBack(j.permit) // it costs no token
	}
	s.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	if done := s.bury(ctx, j, reason, out.Reason, called && !out.Transient, out.Err); done != (lease.DeadResult{}) { // Redis has answered
		s.tell(ctx, j, handlers.Settled{Kind: handlers.Rejected, Reason: reason, Err: out.Err, Gone: done.Entry == ""})
	}
}

// bury moves the message to the dead store, and logs it, unless it was cancelled meanwhile
// or another process has it by now.
func (s *settling) bury(ctx context.Context, j *job, reason, detail string, charge bool, cause error) lease.DeadResult {
	done := s.store(ctx, j, reason, detail, charge)
	switch {
	case done.Entry != "":
		j.span.Dead(reason)
		j.note(journal.Dead, reason)
		s.log.ErrorContext(ctx, "message moved to the dead store",
			append(j.failure(cause), "reason", reason, "detail", detail, "entry", j.entry(done.Entry))...)
	case done.Cancelled:
		j.span.Cancelled()
		s.endCancelled(ctx, j, cause)
	case done.Gone:
		s.gone(ctx, j, cause)
	}
	return done
}

// store does what bury does, and logs nothing. The result is zero where the engine is torn
// down before Redis answers.
func (s *settling) store(ctx context.Context, j *job, reason, detail string, charge bool) (done lease.DeadResult) {
	detail = codecs.Printable(detail, maxDetail)
	s.persist(ctx, "dead", func(ctx context.Context) (err error) {
		done, err = j.session.Dead(ctx, j.msg.Token, lease.DeadArgs{
			Reason: reason, Detail: detail, Charge: charge, Trace: j.msg.Trace,
		})
		return err
	})
	return done
}

// release gives messages of one session back whose handler was interrupted, by shutdown or a
// lost lease.
func (s *settling) release(ctx context.Context, js []*job, outs []handlers.Outcome) {
	for i, j := range js {
		s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: outs[i].Err})
	}
	s.giveBack(ctx, true, js...)
	for i, j := range js {
		j.span.Released(handlers.ErrorType(outs[i].Err))
		s.log.InfoContext(ctx, "handler interrupted: its message goes back to the head of the queue, uncharged", j.named("err", outs[i].Err)...)
		j.span.End(outs[i])
		s.tell(ctx, j, handlers.Settled{Kind: handlers.Released, Err: outs[i].Err})
		s.leave(j, false)
	}
}

// postpone offers a message again later that cannot run in this process now, as if it had not
// been taken. It reports false for one that was cancelled meanwhile.
func (s *settling) postpone(j *job, delay time.Duration) bool {
	defer s.leave(j, false)
	ctx := context.WithoutCancel(s.base)
	s.gate.GiveBack(j.permit) // no handler was called: it costs no token
	s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded})
	nack := lease.Nacking{Token: j.msg.Token, NackArgs: lease.NackArgs{Uncalled: !j.handled, Delay: delay, Trace: j.msg.Trace}}
	s.persist(ctx, "nack", func(ctx context.Context) error { return j.session.NackAll(ctx, []*lease.Nacking{&nack}) })
	if nack.Result.Outcome == lease.Cancelled {
		s.cancelled(ctx, 1)
		return false
	}
	s.tel.Released(ctx, 1)
	return true
}

// returned gives messages back that were not started, in the order of the queue: those of
// each session in one script, which puts them before all others, so the last go first.
func (s *settling) returned(js []*job) {
	slices.SortFunc(js, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.msg.ID.Partition, b.msg.ID.Partition), cmp.Compare(a.seq, b.seq))
	})
	for end := len(js); end > 0; {
		begin := end - 1
		for begin > 0 && js[begin-1].session == js[end-1].session {
			begin--
		}
		ctx := context.WithoutCancel(s.base)
		s.giveBack(ctx, false, js[begin:end]...)
		s.tel.Released(ctx, int64(end-begin))
		s.unstarted(js[begin:end])
		end = begin
	}
}

// unstarted frees what messages have in this process that were not started.
func (s *settling) unstarted(js []*job) {
	for _, j := range js {
		if !j.handled {
			s.gate.GiveBack(j.permit) // a probe's slot, where Start was not asked
		}
		s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded}) // or where it said yes
		s.leave(j, false)
	}
}

// giveBack returns messages to the head of the queue in their order, uncharged.
func (s *settling) giveBack(ctx context.Context, started bool, js ...*job) {
	back := make([]lease.Released, len(js))
	for i, j := range js {
		back[i] = lease.Released{Token: j.msg.Token, Started: started || j.handled}
	}
	h := js[0].session // all of one session
	if s.returning.Add(h, back) {
		return
	}
	s.persist(ctx, "release", func(ctx context.Context) error {
		done, err := h.Release(ctx, back)
		s.cancelled(ctx, done.Cancelled)
		return err
	})
}

// cancelled logs and counts messages that did not go back, since they were cancelled in
// flight.
func (q *queue) cancelled(ctx context.Context, n int) {
	if n > 0 {
		q.tel.Cancelled(ctx, telemetry.CancelledInFlight, int64(n))
		q.log.InfoContext(ctx, "messages were cancelled while they were in flight: they do not go back", "messages", n)
	}
}

// gone logs that an attempt failed after this process had lost its message.
func (q *queue) gone(ctx context.Context, j *job, err error) {
	q.log.InfoContext(ctx, "handler failed, and the message belongs to another process by now", j.failure(err)...)
}

// endCancelled logs that an attempt failed after its message had been cancelled.
func (q *queue) endCancelled(ctx context.Context, j *job, err error) {
	q.log.WarnContext(ctx, "attempt failed, and the message had been cancelled: it ends as cancelled", j.failure(err)...)
}

// kindOf is how the breaker counts what is not a success.
func kindOf(out handlers.Outcome) gate.Kind {
	if out.CountsForBreaker {
		return gate.Failure
	}
	return gate.Excluded
}

// tell calls the functions that wait for the end of a delivery: users' code.
func (q *queue) tell(ctx context.Context, j *job, end handlers.Settled) {
	j.settling.Tell(end, func(value any) {
		q.log.ErrorContext(ctx, "a function of OnSettled panics: the message is settled all the same", j.named("panic", value, "stack", string(debug.Stack()))...)
	})
}

// Leave frees the worker of a settled message.
func (s *settling) leave(j *job, acked bool) {
	j.session.Settled(acked)
	s.pool.Leave()
}

// begin tells Redis that the handler of a suspect begins: from now on it is charged
// where this process dies, and not before, since until then it cannot be the cause.
// What is acknowledged is sent first, for this process may not live much longer. It
// reports false where the message may not start after all.
func (s *settling) begin(j *job) bool {
	if !j.alone {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.base), settleTimeout)
	defer cancel()
	err := j.session.Flush(ctx)
	if err == nil {
		var ours bool
		if ours, err = j.session.Begin(ctx, j.msg.Token); ours {
			s.suspects.Begun(j.ID(), j.Digest())
			s.log.WarnContext(ctx, "a message was in flight in two processes that died: it runs alone now", j.named()...)
			return true
		}
	}
	if err != nil {
		s.log.WarnContext(ctx, "suspect not started: Redis did not record its start", j.named("err", err)...)
	}
	return false
}

// exit ends the stay of a message that entered.
func (s *settling) exit(j *job) {
	if j.alone {
		s.suspects.LeaveAlone()
	} else {
		s.suspects.Leave()
	}
}

// exitSettled ends the stay of a message among those that run in this process. That of a
// suspect ends only when Redis knows of its settlement: what runs next may kill the
// process, and what is still in flight then would be charged for that.
func (s *settling) exitSettled(ctx context.Context, j *job) {
	if j.alone {
		s.suspects.Ended()
		s.persist(context.WithoutCancel(ctx), "ack", j.session.Flush)
	}
	s.exit(j)
}

// persist repeats what must reach Redis until it does, so that no message stays
// in flight for ever behind a lease that is being renewed. It gives up, and reports
// false, only when the engine is torn down: then the session's end returns the
// message.
func (s *settling) persist(ctx context.Context, what string, do func(context.Context) error) bool {
	return s.persistAll(ctx, what, 1, do)
}

// persistAll is persist for n messages at once.
func (s *settling) persistAll(ctx context.Context, what string, n int, do func(context.Context) error) bool {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for try := 0; ; try++ {
		callCtx, cancel := context.WithTimeout(ctx, settleTimeout)
		err := do(callCtx)
		cancel()
		if err == nil {
			return true
		}
		if try == 0 {
			s.unsettled.Add(int64(n))
			defer s.settledAtLast(ctx, n)
		}
		if s.unsettledErr.Begin(err) {
			s.log.ErrorContext(ctx, "could not tell Redis what became of a message; tried again until it works", "op", what, "err", err)
		}
		select {
		case <-time.After(b.Next()):
		case <-s.torn:
			return false
		}
	}
}

// settledAtLast subtracts n from the messages that wait for Redis, and logs when none does.
func (s *settling) settledAtLast(ctx context.Context, n int) {
	if s.unsettled.Add(-int64(n)) > 0 {
		return
	}
	if lasted, was := s.unsettledErr.End(); was {
		s.log.InfoContext(ctx, "Redis knows what became of all messages", "after", lasted)
	}
}

// settleTimeout bounds one attempt to tell Redis.
const settleTimeout = 5 * time.Second

// Bounds of what is kept beside a message, as [codecs.Printable] makes it.
const (
	maxErrText = 1 << 10        // of an error
	maxDetail  = 2 * maxErrText // of a reason with what else is known
)

// errText is one printable line.
func errText(err error) string { return errtext.Of(err, maxErrText) }
