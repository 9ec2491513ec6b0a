package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/engine/outage"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// settle tells the gate and Redis what became of a group, of each message by its outcome, and
// frees its worker. Those that failed are offered again together, and those that were
// interrupted go back together, in their order. ctx is the handler's: it may have ended, so
// Redis is asked with a detached one.
func (r *runner) settle(ctx context.Context, js []*job, outs []handlers.Outcome) {
	var retried []*retrial
	var back []*job
	var why []handlers.Outcome
	for i, j := range js {
		switch out := outs[i]; out.Kind {
		case handlers.Done:
			r.acknowledge(ctx, j, out)
		case handlers.Retried:
			retried = append(retried, r.retrial(j, out))
		case handlers.Rejected:
			r.reject(context.WithoutCancel(ctx), j, out)
		case handlers.Released:
			back, why = append(back, j), append(why, out)
		}
	}
	if retried != nil {
		r.retry(context.WithoutCancel(ctx), retried)
	}
	if back != nil {
		r.release(context.WithoutCancel(ctx), back, why)
	}
}

// acknowledge settles a message that was handled.
func (r *runner) acknowledge(ctx context.Context, j *job, out handlers.Outcome) {
	defer r.leave(j, true)
	r.gate.Done(j.permit, gate.Result{Kind: gate.Success})
	j.session.Acks.Add(j.msg.Token)
	j.span.End(out)
	if r.log.Enabled(ctx, slog.LevelDebug) {
		r.log.DebugContext(ctx, "message done", j.named("took", time.Since(j.started))...)
	}
}

// reject moves a message to the dead store that is not to be tried again.
func (r *runner) reject(ctx context.Context, j *job, out handlers.Outcome) {
	defer r.leave(j, false)
	defer j.span.End(out)
	reason := buriedAs(out)
	called := reason != handlers.ReasonExpired || errors.Unwrap(out.Err) != nil
	if !called && !j.handled {
		r.gate.GiveBack(j.permit) // it costs no token
	}
	r.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	r.bury(ctx, j, reason, out.Reason, called && !out.Transient, out.Err)
}

// release gives messages of one session back whose handler was interrupted, by shutdown or a
// lost lease.
func (r *runner) release(ctx context.Context, js []*job, outs []handlers.Outcome) {
	for i, j := range js {
		r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: outs[i].Err})
	}
	r.giveBack(ctx, true, js...)
	for i, j := range js {
		j.span.Released(handlers.ErrorType(outs[i].Err))
		r.log.InfoContext(ctx, "handler interrupted: its message goes back to the head of the queue, uncharged", j.named("err", outs[i].Err)...)
		j.span.End(outs[i])
		r.leave(j, false)
	}
}

// leave frees the worker of a settled message.
func (r *runner) leave(j *job, acked bool) {
	j.session.Settled(acked)
	r.pool.leave()
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
func (r *runner) retrial(j *job, out handlers.Outcome) *retrial {
	r.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	delay := out.Delay
	if delay < 0 {
		delay = r.retryDelay(j, out)
	}
	if !out.Transient {
		r.pace.Failed(time.Now(), r.gate.TrippedAt())
	}
	return &retrial{job: j, out: out, delay: delay, setBack: r.gate.Tripped(), nack: lease.Nacking{
		Token: j.msg.Token,
		NackArgs: lease.NackArgs{
			Charge: !out.Transient, MaxAttempts: cmp.Or(out.MaxAttempts, r.policy.MaxAttempts), Delay: delay,
			ErrText: errText(out.Err), Trace: j.msg.Trace,
		},
	}}
}

// retry offers messages of one session again after their backoffs, or buries those whose
// last attempt it was: in their order and in one round trip.
func (r *runner) retry(ctx context.Context, all []*retrial) {
	nacks := make([]*lease.Nacking, len(all))
	for i, t := range all {
		nacks[i] = &t.nack
	}
	sess := all[0].job.session
	r.persistAll(ctx, "nack", len(all), func(ctx context.Context) error { return sess.NackAll(ctx, nacks) })
	for _, t := range all {
		if t.nack.Settled {
			r.retried(ctx, t)
		}
		t.job.span.End(t.out)
		r.leave(t.job, false)
	}
}

// retried logs and counts what became of a message that was nacked.
func (r *runner) retried(ctx context.Context, t *retrial) {
	j := t.job
	switch t.nack.Result.Outcome {
	case lease.Gone:
		r.gone(ctx, j, t.out.Err)
		return
	case lease.Dead:
		j.span.Dead(handlers.ReasonExhausted)
		r.log.ErrorContext(ctx, "message moved to the dead store: its last attempt failed",
			append(j.failure(t.out.Err), "reason", handlers.ReasonExhausted, "entry", t.nack.Result.Entry)...)
		return
	case lease.Cancelled:
		j.span.Cancelled()
		r.endCancelled(ctx, j, t.out.Err)
		return
	case lease.Retried:
	}
	if t.setBack {
		r.remember(t) //nolint:contextcheck // bringing it forward outlives this message
	}
	j.span.Retry(t.delay, t.nack.Charge)
	r.log.WarnContext(ctx, "handler failed: message will be retried",
		append(j.failure(t.out.Err), "charged", t.nack.Charge, "delay", t.delay, "at", time.UnixMilli(t.nack.Result.DueMs))...)
}

// remember keeps a retry that is to come forward when the breaker closes. A delay that
// the handler named stays.
func (r *runner) remember(t *retrial) {
	if t.out.Delay >= 0 && handlers.Decided(t.out.Err) {
		return
	}
	r.setbacks.Add(outage.Setback{ID: t.job.msg.ID.Element, DueMs: t.job.msg.ID.DueMs, RetryMs: t.nack.Result.DueMs})
	if !r.gate.Tripped() { // it has closed since the message failed
		r.breakerClosed()
	}
}

// breakerClosed is called by the gate when the breaker has closed, and does not hold it up.
// What it begins ends when the runner does.
func (r *runner) breakerClosed() {
	all := r.setbacks.Take()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.base))
	go func() {
		defer cancel()
		now := time.Now()
		if t, ok := r.sessions.Current().ServerTime(); ok {
			now = t
		}
		outage.BringForward(ctx, r.rdb, r.keys, all, now, r.log)
	}()
	go func() {
		defer cancel()
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}()
}

// gone logs that an attempt failed after this process had lost its message.
func (r *runner) gone(ctx context.Context, j *job, err error) {
	r.log.InfoContext(ctx, "handler failed, and the message belongs to another process by now", j.failure(err)...)
}

// endCancelled logs that an attempt failed after its message had been cancelled.
func (r *runner) endCancelled(ctx context.Context, j *job, err error) {
	r.log.WarnContext(ctx, "attempt failed, and the message was cancelled meanwhile: it ends as cancelled", j.failure(err)...)
}

// kindOf is how the breaker counts what is not a success.
func kindOf(out handlers.Outcome) gate.Kind {
	if out.CountsForBreaker {
		return gate.Failure
	}
	return gate.Excluded
}

// retryDelay asks the queue's backoff, which may be the user's code.
func (r *runner) retryDelay(j *job, out handlers.Outcome) (d time.Duration) {
	defer func() {
		if p := recover(); p != nil {
			d = defaultDelay(j, out)
			r.log.Error("the queue's backoff panics; its message waits by the default one", "delay", d, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return r.policy.RetryDelay(registry.Tries(out, j.msg.Failed, j.msg.Delivered) + 1)
}

// defaultDelay is how long a queue waits that declares no backoff.
func defaultDelay(j *job, out handlers.Outcome) time.Duration {
	s := registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit)
	return s.Delay(registry.Tries(out, j.msg.Failed, j.msg.Delivered)+1, chance.Float64())
}

// postpone offers a suspect again later, uncharged: the other queues of the process
// have their share of the time first, or their handlers did not end.
func (r *runner) postpone(j *job) {
	defer r.leave(j, false)
	ctx := context.WithoutCancel(r.base)
	r.gate.GiveBack(j.permit) // no handler was called: it costs no token
	r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded})
	delay := r.suspects.Postponement()
	nack := lease.Nacking{Token: j.msg.Token, NackArgs: lease.NackArgs{Delay: delay, Trace: j.msg.Trace}}
	r.persist(ctx, "nack", func(ctx context.Context) error { return j.session.NackAll(ctx, []*lease.Nacking{&nack}) })
	if nack.Result.Outcome == lease.Cancelled {
		r.cancelled(ctx, 1)
		return
	}
	r.suspects.Postponed(j.Digest(), delay)
	r.tel.Released(ctx, 1)
	r.log.WarnContext(ctx, "suspect postponed: it must run alone, and the other queues of this process have their time first",
		j.named("delay", delay)...)
}

// bury moves the message to the dead store, and logs it, unless it was cancelled meanwhile
// or another process has it by now.
func (r *runner) bury(ctx context.Context, j *job, reason, detail string, charge bool, cause error) {
	switch done := r.store(ctx, j, reason, detail, charge); {
	case done.Entry != "":
		j.span.Dead(reason)
		r.log.ErrorContext(ctx, "message moved to the dead store",
			append(j.failure(cause), "reason", reason, "detail", detail, "entry", done.Entry)...)
	case done.Cancelled:
		j.span.Cancelled()
		r.endCancelled(ctx, j, cause)
	case done.Gone:
		r.gone(ctx, j, cause)
	}
}

// store does what bury does, and logs nothing. The result is zero where the engine is torn
// down before Redis answers.
func (r *runner) store(ctx context.Context, j *job, reason, detail string, charge bool) (done lease.DeadResult) {
	detail = codecs.Printable(detail, maxDetail)
	r.persist(ctx, "dead", func(ctx context.Context) (err error) {
		done, err = j.session.Dead(ctx, j.msg.Token, lease.DeadArgs{
			Reason: reason, Detail: detail, Charge: charge, Trace: j.msg.Trace,
		})
		return err
	})
	return done
}

// giveBack returns messages to the head of the queue in their order, uncharged.
func (r *runner) giveBack(ctx context.Context, started bool, js ...*job) {
	back := make([]lease.Released, len(js))
	for i, j := range js {
		back[i] = lease.Released{Token: j.msg.Token, Started: started || j.handled}
	}
	h := js[0].session // all of one fetch, or of fetches in a row: one session
	if r.parking.add(h, back) {
		return
	}
	r.persist(ctx, "release", func(ctx context.Context) error {
		done, err := h.Release(ctx, back)
		r.cancelled(ctx, done.Cancelled)
		return err
	})
}

// cancelled logs and counts messages that did not go back, since they were cancelled in
// flight.
func (r *runner) cancelled(ctx context.Context, n int) {
	if n > 0 {
		r.tel.Cancelled(ctx, telemetry.CancelledInFlight, int64(n))
		r.log.InfoContext(ctx, "messages were cancelled while they were in flight: they do not go back", "messages", n)
	}
}

// persist repeats what must reach Redis until it does, so that no message stays
// in flight for ever behind a lease that is being renewed. It gives up, and reports
// false, only when the engine is torn down: then the session's end returns the
// message.
func (r *runner) persist(ctx context.Context, what string, do func(context.Context) error) bool {
	return r.persistAll(ctx, what, 1, do)
}

// persistAll is persist for n messages at once.
func (r *runner) persistAll(ctx context.Context, what string, n int, do func(context.Context) error) bool {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for try := 0; ; try++ {
		callCtx, cancel := context.WithTimeout(ctx, settleTimeout)
		err := do(callCtx)
		cancel()
		if err == nil {
			return true
		}
		if try == 0 {
			r.unsettled.Add(int64(n))
			defer r.settledAtLast(ctx, n)
		}
		if r.unsettledErr.Begin(err) {
			r.log.ErrorContext(ctx, "could not tell Redis what became of a message; tried again until it works", "op", what, "err", err)
		}
		select {
		case <-time.After(b.Next()):
		case <-r.torn:
			return false
		}
	}
}

// settledAtLast subtracts n from the messages that wait for Redis, and logs when none does.
func (r *runner) settledAtLast(ctx context.Context, n int) {
	if r.unsettled.Add(-int64(n)) > 0 {
		return
	}
	if lasted, was := r.unsettledErr.End(); was {
		r.log.InfoContext(ctx, "Redis knows what became of all messages", "after", lasted)
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
