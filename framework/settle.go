package framework

import (
	"cmp"
	"context"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// settle tells the gate and Redis what became of a message, and frees its worker.
// ctx is the handler's: it may have ended, so Redis is asked with a detached one.
func (r *runner) settle(ctx context.Context, j *job, out handlers.Outcome) {
	defer func() { r.leave(j, out.Kind == handlers.Done) }()
	if out.Kind == handlers.Done {
		r.gate.Done(j.permit, gate.Result{Kind: gate.Success})
		j.holder.acks.add(j.msg.Token)
		j.span.End(out)
		return
	}
	ctx = context.WithoutCancel(ctx)
	defer j.span.End(out)
	switch out.Kind {
	case handlers.Retried:
		r.retry(ctx, j, out)
	case handlers.Rejected:
		reason := buriedAs(out)
		if reason == ReasonExpired {
			if !j.handled {
				r.gate.GiveBack(j.permit) // no handler was called: it costs no token
			}
		}
		r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: out.Err})
		r.bury(ctx, j, reason, out.Reason, out.Err)
		j.span.Dead(reason)
	default: // Released: the handler was interrupted, by shutdown or a lost lease
		r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: out.Err})
		r.giveBack(ctx, true, j)
		j.span.Released(handlers.ErrorType(out.Err))
	}
}

// leave frees the worker of a settled message.
func (r *runner) leave(j *job, acked bool) {
	if !acked {
		j.holder.acks.loosen()
	}
	j.holder.held.Done()
	r.pool.leave()
}

// retrial is a message on its way to its next attempt, or to the dead store after its
// last one.
type retrial struct {
	job     *job
	out     handlers.Outcome
	delay   time.Duration
	verdict gate.Decision
	nack    lease.Nacking
}

// retry offers the message again after its backoff, or buries it when that was
// its last attempt. Whether the attempt counts is the gate's to say.
func (r *runner) retry(ctx context.Context, j *job, out handlers.Outcome) {
	r.retryAll(ctx, []*retrial{r.retrial(j, out)})
}

// retrial asks the gate, and says what Redis is to be told.
func (r *runner) retrial(j *job, out handlers.Outcome) *retrial {
	kind := gate.Excluded
	if out.CountsForBreaker {
		kind = gate.Failure
	}
	field, most := redisson.AttemptsField(j.msg.Body), cmp.Or(out.MaxAttempts, r.policy.MaxAttempts)
	d := r.gate.Done(j.permit, gate.Result{
		Kind: kind, Err: out.Err, Transient: out.Transient,
		Last: j.msg.Failed+1 >= most, Digest: func() string { return field },
	})
	delay := out.Delay
	if delay < 0 {
		delay = r.retryDelay(j.msg.Failed + 1)
	}
	return &retrial{job: j, out: out, delay: delay, verdict: d, nack: lease.Nacking{
		Token: j.msg.Token,
		NackArgs: lease.NackArgs{
			Charge: d.Charge, MaxAttempts: most, Delay: delay,
			ErrText: errText(out.Err), Trace: j.msg.Trace,
		},
	}}
}

// retryAll tells Redis of messages of one session, in their order and in one round trip.
func (r *runner) retryAll(ctx context.Context, all []*retrial) {
	nacks := make([]*lease.Nacking, len(all))
	for i, t := range all {
		nacks[i] = &t.nack
	}
	sess := all[0].job.holder.sess
	r.persistAll(ctx, "nack", len(all), func(ctx context.Context) error { return sess.NackAll(ctx, nacks) })
	for _, t := range all {
		if t.nack.Settled {
			r.retried(ctx, t)
		}
	}
}

// retried tells what became of a message that Redis has been told of.
func (r *runner) retried(ctx context.Context, t *retrial) {
	j := t.job
	r.gate.Settled(t.verdict)
	switch t.nack.Result.Outcome {
	case lease.Gone:
		r.log.InfoContext(ctx, "handler failed, and the message belongs to another process by now", "id", j.ID(), "err", t.out.Err)
		return
	case lease.Dead:
		j.span.Dead(ReasonExhausted)
		r.log.ErrorContext(ctx, "message moved to the dead store: its last attempt failed", "reason", ReasonExhausted,
			"attempts", j.msg.Failed+1, "id", j.ID(), "digest", j.Digest(), "err", t.out.Err)
		return
	case lease.Retried:
	}
	j.span.Retry(t.delay, t.verdict.Charge)
	r.log.WarnContext(ctx, "handler failed: message will be retried", "attempt", j.msg.Failed+1,
		"charged", t.verdict.Charge, "delay", t.delay, "id", j.ID(), "err", t.out.Err)
}

// retryDelay asks the queue's backoff, which may be the user's code.
func (r *runner) retryDelay(attempt int) (d time.Duration) {
	defer func() {
		if p := recover(); p != nil {
			d = registry.DefaultBackoffLimit
			r.log.Error("the queue's backoff panics; its message waits the longest default", "delay", d, "panic", p)
		}
	}()
	return r.policy.RetryDelay(attempt)
}

// postponed is how long a suspect is put off that found no moment to run alone.
const postponed = time.Minute

// postpone offers a suspect again later, uncharged: other handlers ran for so long
// that all queues of the process would have stood still.
func (r *runner) postpone(j *job) {
	defer r.leave(j, false)
	ctx := context.WithoutCancel(r.base)
	r.gate.GiveBack(j.permit) // no handler was called: it costs no token
	r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded})
	r.persist(ctx, "nack", func(ctx context.Context) error {
		_, err := j.holder.sess.Nack(ctx, j.msg.Token, lease.NackArgs{Delay: postponed, Trace: j.msg.Trace})
		return err
	})
	r.tel.Released(ctx, 1)
	r.log.WarnContext(ctx, "suspect postponed: it must run alone, and other handlers did not end in time",
		"waited", r.solo.patience, "delay", postponed, "id", j.ID())
}

// bury moves the message to the dead store and returns its entry, "" where the
// message belongs to others by now.
func (r *runner) bury(ctx context.Context, j *job, reason, detail string, cause error) (entry string) {
	detail = codecs.Printable(detail, maxDetail)
	r.persist(ctx, "dead", func(ctx context.Context) error {
		res, err := j.holder.sess.Dead(ctx, j.msg.Token, lease.DeadArgs{
			Reason: reason, Detail: detail, Charge: reason != ReasonUndecodable && reason != ReasonExpired, Trace: j.msg.Trace,
		})
		entry = res.Entry
		return err
	})
	r.log.ErrorContext(ctx, "message moved to the dead store", "reason", reason, "detail", detail,
		"id", j.ID(), "digest", j.Digest(), "err", cause)
	return entry
}

// giveBack returns messages to the head of the queue in their order, uncharged.
func (r *runner) giveBack(ctx context.Context, started bool, js ...*job) {
	back := make([]lease.Released, len(js))
	for i, j := range js {
		back[i] = lease.Released{Token: j.msg.Token, Started: started || j.handled}
	}
	h := js[0].holder // all of one fetch, or of fetches in a row: one session
	if r.parking.add(h, back) {
		return
	}
	r.persist(ctx, "release", func(ctx context.Context) error {
		_, err := h.sess.Release(ctx, back)
		return err
	})
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
	b := newBackoff(50*time.Millisecond, 5*time.Second)
	for try := 0; ; try++ {
		callCtx, cancel := context.WithTimeout(ctx, settleTimeout)
		err := do(callCtx)
		cancel()
		if err == nil {
			return true
		}
		r.unsettledErr.Store(&err)
		if try == 0 {
			r.unsettled.Add(int64(n))
			defer r.unsettled.Add(-int64(n))
		}
		delay := b.next()
		r.log.ErrorContext(ctx, "could not settle a message yet", "op", what, "again_in", delay, "err", err)
		select {
		case <-time.After(delay):
		case <-r.torn:
			return false
		}
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
