package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/handlers"
)

// replaceSession gives up the session whose last take has an unknown outcome: another one
// takes from now on, the old one ends when its messages are settled.
func (s *settler) replaceSession() error {
	old, err := s.sessions.Replace()
	if err != nil {
		return err
	}
	go func() {
		old.AwaitSettled()
		s.persist(context.WithoutCancel(s.base), "close", func(ctx context.Context) error {
			handed, err := old.End(ctx)
			s.cancelled(ctx, handed.Cancelled)
			return err
		})
		s.sessions.Forget(old)
	}()
	return nil
}

// cancelRunning cancels the running handlers of messages that were taken under a session
// when it had been lost fewer than so many times.
func (ws *workers) cancelRunning(s *sessions.Session, losses uint64) (n int) {
	ws.pool.running(func(_ *worker, j *job) {
		if j.session == s && j.losses < losses {
			n++
			j.ctx.end(handlers.ErrLeaseLost)
		}
	})
	return n
}
