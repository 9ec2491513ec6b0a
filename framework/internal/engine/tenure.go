package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/handlers"
)

// replaceSession gives up the session whose last take has an unknown outcome: another one
// takes from now on, the old one ends when its messages are settled.
func (r *runner) replaceSession() error {
	old, err := r.sessions.Replace()
	if err != nil {
		return err
	}
	go func() {
		old.AwaitSettled()
		r.persist(context.WithoutCancel(r.base), "close", func(ctx context.Context) error {
			handed, err := old.End(ctx)
			r.cancelled(ctx, handed.Cancelled)
			return err
		})
		r.sessions.Forget(old)
	}()
	return nil
}

// cancelRunning cancels the running handlers of messages that were taken under a session
// when it had been lost fewer than so many times.
func (r *runner) cancelRunning(s *sessions.Session, losses uint64) (n int) {
	r.pool.running(func(_ *worker, j *job) {
		if j.session == s && j.losses < losses {
			n++
			j.ctx.end(handlers.ErrLeaseLost)
		}
	})
	return n
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
