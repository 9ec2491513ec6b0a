package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/handlers"
)

// drain ends the engine in order: intake, handlers, sessions, the rest. Whatever
// hangs is left behind when its time is over.
func (e *Engine) drain(ctx context.Context) error {
	d, ctx, end := newDrain(ctx, newStopBudget(ctx, e.client.Lease, e.client.ShutdownShare))
	defer end()
	e.draining.Store(d)
	e.log.InfoContext(ctx, "drain: nothing is taken any more", "queues", len(e.intakes), "only_transferred", len(e.queues)-len(e.intakes), "handler_budget", time.Until(d.Handlers).Round(time.Millisecond))

	e.client.Transfers.Detach(e.watcher) //nolint:contextcheck // what it hands over outlives the engine
	e.stopTaking()                       // the end of the intakes' context ends a blocking wait too
	for i := range e.queues {
		e.announcer.Changed(i)
	}
	watcher := background.Later(ctx, "stop the watcher", func() error { return e.watcher.Stop(ctx) })
	for _, r := range e.intakes {
		background.Go(ctx, "end the workers", func() {
			<-r.done
			r.handling.jobs.close()
		})
	}
	e.awaitHandlers(ctx, d)
	close(e.torn)

	errs := e.closeSessions(ctx)
	e.dog.close()
	e.keeper.Close(ctx)
	e.announcer.Close(ctx)
	if !trouble.Bounded(ctx, e.reaping.Wait) {
		errs = append(errs, fmt.Errorf("reaper: %w", fault.ErrStopTime))
	}
	if err := <-watcher; err != nil {
		errs = append(errs, fmt.Errorf("watcher: %w", errors.Join(fault.ErrStopTime, err)))
	}
	if e.unobserve != nil {
		errs = append(errs, e.unobserve())
	}
	err := errors.Join(errs...)
	took := time.Since(d.Since).Round(time.Millisecond)
	if d.Hurried() {
		e.log.InfoContext(ctx, "drain: stopped at once, as the caller asked", "took", took, "err", err)
		return err
	}
	e.log.InfoContext(ctx, "drain: done", "took", took, "err", err)
	return err
}

// awaitHandlers waits for running handlers, then cancels them and gives those that
// listen a last moment. What runs on after that is given up on.
func (e *Engine) awaitHandlers(ctx context.Context, d *drain) {
	if e.awaitQuiet(ctx, d.Handlers, d.Hurry) {
		return
	}
	why := "their time is over"
	if d.Hurried() {
		why = "stop at once"
		d.Last = earlier(d.Last, time.Now().Add(hurriedLast))
	}
	for _, r := range e.intakes {
		if busy, _ := r.pool.Counts(); busy > 0 {
			r.log.WarnContext(ctx, "drain: handlers are still running, they are cancelled", "running", busy, "because", why)
		}
	}
	// All queues first: a suspect that gives up must not let another queue begin.
	for _, r := range e.intakes {
		r.settling.returning.Begin()
	}
	for _, r := range e.intakes {
		r.abort(handlers.ErrDraining)
	}
	if !d.Hurried() && !e.awaitQuiet(ctx, d.Last, d.Hurry) && d.Hurried() {
		d.Last = earlier(d.Last, time.Now().Add(hurriedLast))
	}
	if e.awaitQuiet(ctx, d.Last, nil) {
		return
	}
	for _, r := range e.intakes {
		if n := r.handling.leaveBehind(); n > 0 { //nolint:contextcheck // settling does not depend on this context
			r.log.ErrorContext(ctx, "drain: handlers ignore their cancelled context; their messages go back and may be handled twice", "running", n)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// progressEvery is how often a drain tells what it waits for.
const progressEvery = time.Second

// awaitQuiet waits until nothing is taken and nothing is handled any more, and tells
// every second what is. It reports false when end came first, or cut was closed.
func (e *Engine) awaitQuiet(ctx context.Context, end time.Time, cut <-chan struct{}) bool {
	over := time.NewTimer(time.Until(end))
	defer over.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for _, r := range e.intakes {
		taking := r.done
		for quiet := (<-chan struct{})(taking); quiet != nil; {
			select {
			case <-quiet:
				if quiet == taking { // nothing comes any more: now for what is there
					quiet = r.pool.Idle()
					continue
				}
				quiet = nil
			case <-tick.C:
				e.progress(ctx, end)
			case <-cut:
				return false
			case <-over.C:
				return false
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// progress tells what a drain still waits for, queue by queue.
func (e *Engine) progress(ctx context.Context, end time.Time) {
	for _, r := range e.intakes {
		if busy, hung := r.pool.Counts(); busy > 0 {
			r.log.InfoContext(ctx, "drain: waiting for handlers", "running", busy, "hung", hung, "left", max(time.Until(end), 0).Round(time.Millisecond))
		}
	}
}

// leaveBehind gives up on handlers that still run: their messages go back with the
// others, in their order, and what the handlers return does not count any more. It
// returns how many messages that are.
func (ws *handling) leaveBehind() (n int) {
	out := handlers.Outcome{Kind: handlers.Released, Err: handlers.ErrDraining}
	ws.pool.running(func(w *worker, lead *job) {
		if !w.current.CompareAndSwap(lead, nil) {
			return // it returns just now, and settles itself
		}
		ws.pool.GaveUp(&w.roomWorker, lead.hungHandler())
		ws.settling.exit(lead)
		g := &lead.group
		n += len(g.jobs)
		if g.span == nil { // the codec hangs, and no handler had them
			ws.settling.returned(g.jobs)
			return
		}
		outs := slices.Repeat([]handlers.Outcome{out}, len(g.jobs))
		for _, j := range g.jobs {
			j.span.Returned(out)
		}
		ws.settling.release(context.WithoutCancel(ws.base), g.jobs, outs)
		if g.several() {
			g.span.EndBatch(outs, out.Err)
		}
	})
	// What waits behind them would go back with the session, in front of all others.
	var waiting []*job
	for j := ws.jobs.tryPop(); j != nil; j = ws.jobs.tryPop() {
		waiting = append(waiting, j)
	}
	ws.settling.returned(waiting)
	return n
}

// closeSessions gives everything back, all queues at once.
func (e *Engine) closeSessions(ctx context.Context) []error {
	closed := make([]<-chan error, len(e.intakes))
	for i, r := range e.intakes {
		closed[i] = background.Later(ctx, "close a queue", func() error { return r.close(ctx) })
	}
	var errs []error
	for i := range closed {
		select {
		case err := <-closed[i]:
			errs = append(errs, err)
		case <-ctx.Done():
			return append(errs, fmt.Errorf("sessions: %w", fault.ErrStopTime))
		}
	}
	return errs
}

// close ends the queue in this process. What an older session holds goes back last
// and so comes before the rest.
func (r *intake) close(ctx context.Context) error {
	defer r.gate.Close()
	r.handling.undecoded.Clear()
	gathered := r.settling.returning.End()
	errs, begun := make([]error, len(r.takers)), make([]int, len(r.takers))
	var closing background.Parts
	for i, t := range r.takers {
		closing.Go(func() { begun[i], errs[i] = t.close(ctx, gathered) })
	}
	closing.Wait()
	total := 0
	for _, n := range begun {
		total += n
	}
	if total > 0 {
		r.log.WarnContext(ctx, "drain: messages went back whose handlers had begun: they may be handled twice", "possible_duplicates", total)
	}
	return errors.Join(errs...)
}

// A session whose end fails is ended again: where it is not, its messages wait for its lease.
const (
	endTries = 5
	endFirst = 50 * time.Millisecond
	endMost  = time.Second
)

// close gives back what the sessions of a partition hold. It returns how many of these
// messages had begun.
func (r *taker) close(ctx context.Context, gathered map[*sessions.Session][]lease.Released) (begun int, _ error) {
	var errs []error
	for _, sess := range append([]*sessions.Session{r.sessions.Current()}, r.sessions.Retired()...) {
		back := gathered[sess]
		for _, m := range back {
			if m.Started {
				begun++
			}
		}
		if len(back) > 0 {
			done, err := sess.Release(ctx, back)
			r.cancelled(ctx, done.Cancelled)
			if err != nil {
				r.log.WarnContext(ctx, "drain: could not give back messages before the end of the session", "messages", len(back), "err", err)
			}
		}
		handed, err := sess.End(ctx)
		r.cancelled(ctx, handed.Cancelled)
		// A pool gives out the error of its last dial for a while after the server is back.
		for n := 0; n < endTries && err != nil && rediserr.MayPass(err) && retry.Pause(ctx, retry.Backoff(n, endFirst, endMost)) == nil; n++ {
			handed, err = sess.End(ctx)
			r.cancelled(ctx, handed.Cancelled)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("queue %q: session %s: %w", r.code, sess.ID(), err))
		}
	}
	return begun, errors.Join(errs...)
}
