package framework

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// budget is how the time for stopping is split. What is left behind closing is for
// others: fx gives all hooks one budget.
type budget struct {
	handlers time.Time // until then handlers may finish
	last     time.Time // until then those that were cancelled may return
	closing  time.Time // until then everything else must be done
}

// mostShare is the largest share of the time for stopping that handlers get,
// whatever the configuration says: giving back needs some too.
const mostShare = 0.95

// newBudget splits what ctx leaves, or all, where it has no deadline.
func newBudget(ctx context.Context, all time.Duration, share float64) budget {
	now := time.Now()
	if deadline, ok := ctx.Deadline(); ok {
		all = max(deadline.Sub(now), 0)
	}
	after := func(part float64) time.Time { return now.Add(time.Duration(float64(all) * part)) }
	share = min(share, mostShare)
	rest := 1 - share
	return budget{handlers: after(share), last: after(share + rest/3), closing: after(share + rest*3/4)}
}

// drain ends the engine in order: intake, handlers, sessions, the rest. Whatever
// hangs is left behind when its time is over.
func (e *Engine) drain(ctx context.Context) error {
	b := newBudget(ctx, e.client.cfg.Lease, e.client.cfg.ShutdownShare)
	ctx, cancel := context.WithDeadline(ctx, b.closing)
	defer cancel()

	e.stopTaking() // the end of the runners' context ends a blocking wait too
	watcher := make(chan error, 1)
	go func() { watcher <- e.watcher.Stop(ctx) }()
	for _, r := range e.runners {
		go func() {
			<-r.done
			r.jobs.close()
		}()
	}
	e.awaitHandlers(ctx, b)
	close(e.torn)

	errs := e.closeSessions(ctx)
	e.dog.close()
	e.keeper.close(ctx)
	if !bounded(ctx, e.reaping.Wait) {
		errs = append(errs, fmt.Errorf("reaper: %w", ErrStopTime))
	}
	if err := <-watcher; err != nil {
		errs = append(errs, fmt.Errorf("watcher: %w", errors.Join(ErrStopTime, err)))
	}
	if e.unobserve != nil {
		errs = append(errs, e.unobserve())
	}
	return errors.Join(append(errs, e.take.Close())...)
}

// awaitHandlers waits for running handlers, then cancels them and gives those that
// listen a last moment.
func (e *Engine) awaitHandlers(ctx context.Context, b budget) {
	for _, r := range e.runners {
		if !r.quiet(ctx, b.handlers) {
			busy, _ := r.pool.counts()
			r.log.WarnContext(ctx, "drain: handlers are still running, they are cancelled", "running", busy)
		}
	}
	// All queues first: a suspect that gives up must not let another queue begin.
	for _, r := range e.runners {
		r.parking.begin()
	}
	for _, r := range e.runners {
		r.abort(handlers.ErrDraining)
	}
	for _, r := range e.runners {
		if !r.quiet(ctx, b.last) {
			busy, _ := r.pool.counts()
			r.log.ErrorContext(ctx, "drain: handlers ignore their cancelled context; their messages go back and may be handled twice", "running", busy)
		}
	}
}

// quiet waits until nothing is taken and nothing is handled any more. It reports
// false when end came first.
func (r *runner) quiet(ctx context.Context, end time.Time) bool {
	return waitUntil(ctx, r.done, end) && waitUntil(ctx, r.pool.idle(), end)
}

// closeSessions gives everything back, all queues at once.
func (e *Engine) closeSessions(ctx context.Context) []error {
	closed := make(chan error, len(e.runners))
	for _, r := range e.runners {
		go func() { closed <- r.close(ctx) }()
	}
	var errs []error
	for range e.runners {
		select {
		case err := <-closed:
			errs = append(errs, err)
		case <-ctx.Done():
			return append(errs, fmt.Errorf("sessions: %w", ErrStopTime))
		}
	}
	return errs
}

// close ends the queue in this process. What an older session holds goes back last
// and so comes to stand before the rest.
func (r *runner) close(ctx context.Context) error {
	defer r.gate.Close()
	parked := r.parking.end()
	var errs []error
	for _, h := range append([]*holder{r.holder.Load()}, r.retired.all()...) {
		if back := parked[h]; len(back) > 0 {
			if _, err := h.sess.Release(ctx, back); err != nil {
				r.log.WarnContext(ctx, "drain: could not give back messages before the end of the session", "messages", len(back), "err", err)
			}
		}
		if err := h.close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("queue %q: session %s: %w", r.code, h.sess.ID(), err))
		}
	}
	return errors.Join(errs...)
}

// bounded waits for wait to return, no longer than ctx. It reports whether it did.
func bounded(ctx context.Context, wait func()) bool {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

func waitUntil(ctx context.Context, done <-chan struct{}, end time.Time) bool {
	t := time.NewTimer(time.Until(end))
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
