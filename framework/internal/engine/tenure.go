package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/handlers"
)

// replaceHolder gives up the session whose last take has an unknown outcome:
// another one takes from now on, the old one ends when its messages are settled.
func (r *runner) replaceHolder() error {
	next, err := r.newHolder()
	if err != nil {
		return err
	}
	old := r.holder.Swap(next)
	r.log.Warn("session abandoned: a take's outcome is unknown; its messages come back", "session", old.sess.ID(), "next", next.sess.ID())
	r.retired.add(old)
	old.acks.expect(takeFar) // no take will carry them
	go func() {
		old.held.Wait()
		// The keeper renews its lease until then: a reaper would count a death
		// against messages that nobody has seen.
		r.persist(context.WithoutCancel(r.base), "close", func(ctx context.Context) error {
			handed, err := old.close(ctx)
			r.cancelled(ctx, handed.Cancelled)
			return err
		})
		r.retired.remove(old)
	}()
	return nil
}

// leaseLost cancels the handlers of all messages that were taken before now: other
// processes have, or will have, them. Those that wait for a worker are not started.
func (r *runner) leaseLost(h *holder) {
	n, losses := 0, h.losses.Add(1)
	r.pool.running(func(_ *worker, j *job) {
		if j.holder == h && j.losses < losses {
			n++
			j.ctx.end(handlers.ErrLeaseLost)
		}
	})
	r.fence(r.base, h, false) // nothing is held any more: a take begins anew
	r.tel.LostLease(r.base)
	r.log.Warn("lease lost: running handlers are cancelled, their messages go to other processes", "session", h.sess.ID(), "running", n)
}

// buried reports what the take moved to the dead store by itself.
func (r *runner) buried(ctx context.Context, bs []lease.Buried) {
	for _, b := range bs {
		r.tel.Dead(ctx, b.Reason, 1)
		r.log.ErrorContext(ctx, "message moved to the dead store", "digest", b.Digest, "bytes", b.Size, "reason", b.Reason, "entry", b.Entry)
	}
}

// logGate tells operators what the gate does.
func (r *runner) logGate(c gate.Change) {
	var args []any
	if c.Reason != gate.ReasonNone {
		args = append(args, "reason", string(c.Reason))
	}
	if !c.Until.IsZero() {
		args = append(args, "until", c.Until)
	}
	switch {
	case c.Detail == "":
	case c.Reason == gate.ReasonUndecodable:
		args = append(args, "payloads", c.Detail)
	default:
		args = append(args, "why", c.Detail)
	}
	if c.Err != nil {
		args = append(args, "err", errText(c.Err))
	}
	switch c.To {
	case gate.Open:
		r.log.Warn("nothing is taken from this queue", args...)
	case gate.HalfOpen:
		r.log.Info("a few messages are taken, to see whether what stopped the queue is over", args...)
	case gate.Closed:
		r.log.Info("messages are taken again", args...)
	}
}
