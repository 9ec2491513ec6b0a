package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
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

// What Stop takes at most once it was told to hurry: handlers that listen to their
// context get a moment to return, and Redis some time to take the messages back.
const (
	hurriedLast    = 250 * time.Millisecond
	hurriedClosing = 2 * time.Second
)

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

// draining is one stop under way.
type draining struct {
	budget
	since time.Time
	hurry <-chan struct{} // closed when the caller's context was cancelled
}

// newDraining makes the context of the work, which asks Redis: it ends with the budget,
// or shortly after ctx was cancelled.
func newDraining(ctx context.Context, b budget) (d *draining, work context.Context, end func()) {
	hurry := make(chan struct{})
	work, cancel := context.WithDeadline(context.WithoutCancel(ctx), b.closing)
	stop := context.AfterFunc(ctx, func() {
		close(hurry)
		t := time.AfterFunc(hurriedClosing, cancel)
		context.AfterFunc(work, func() { t.Stop() })
	})
	return &draining{budget: b, since: time.Now(), hurry: hurry}, work, func() {
		stop()
		cancel()
	}
}

// hurried reports whether the caller wants no more waiting.
func (d *draining) hurried() bool {
	select {
	case <-d.hurry:
		return true
	default:
		return false
	}
}

// drain ends the engine in order: intake, handlers, sessions, the rest. Whatever
// hangs is left behind when its time is over.
func (e *Engine) drain(ctx context.Context) error {
	d, ctx, end := newDraining(ctx, newBudget(ctx, e.client.Lease, e.client.ShutdownShare))
	defer end()
	e.draining.Store(d)
	e.log.InfoContext(ctx, "drain: nothing is taken any more", "queues", len(e.runners), "handlers_have", time.Until(d.handlers).Round(time.Millisecond))

	e.client.Transfers.Detach(e.watcher) //nolint:contextcheck // what it hands over outlives the engine
	e.stopTaking()                       // the end of the runners' context ends a blocking wait too
	watcher := make(chan error, 1)
	go func() { watcher <- e.watcher.Stop(ctx) }()
	for _, r := range e.runners {
		go func() {
			<-r.done
			r.jobs.close()
		}()
	}
	e.awaitHandlers(ctx, d)
	close(e.torn)

	errs := e.closeSessions(ctx)
	e.dog.close()
	e.keeper.Close(ctx)
	if !trouble.Bounded(ctx, e.reaping.Wait) {
		errs = append(errs, fmt.Errorf("reaper: %w", fault.ErrStopTime))
	}
	if err := <-watcher; err != nil {
		errs = append(errs, fmt.Errorf("watcher: %w", errors.Join(fault.ErrStopTime, err)))
	}
	if e.unobserve != nil {
		errs = append(errs, e.unobserve())
	}
	err := errors.Join(append(errs, e.take.Close())...)
	took := time.Since(d.since).Round(time.Millisecond)
	if d.hurried() {
		e.log.InfoContext(ctx, "drain: done at once, as was asked for", "took", took, "err", err)
		return err
	}
	e.log.InfoContext(ctx, "drain: done", "took", took, "err", err)
	return err
}

// awaitHandlers waits for running handlers, then cancels them and gives those that
// listen a last moment. What runs on after that is given up on.
func (e *Engine) awaitHandlers(ctx context.Context, d *draining) {
	if e.awaitQuiet(ctx, d.handlers, d.hurry) {
		return
	}
	why := "their time is over"
	if d.hurried() {
		why = "stop at once"
		d.last = earlier(d.last, time.Now().Add(hurriedLast))
	}
	for _, r := range e.runners {
		if busy, _ := r.pool.counts(); busy > 0 {
			r.log.WarnContext(ctx, "drain: handlers are still running, they are cancelled", "running", busy, "because", why)
		}
	}
	// All queues first: a suspect that gives up must not let another queue begin.
	for _, r := range e.runners {
		r.returning.begin()
	}
	for _, r := range e.runners {
		r.abort(handlers.ErrDraining)
	}
	if !d.hurried() && !e.awaitQuiet(ctx, d.last, d.hurry) && d.hurried() {
		d.last = earlier(d.last, time.Now().Add(hurriedLast))
	}
	if e.awaitQuiet(ctx, d.last, nil) {
		return
	}
	for _, r := range e.runners {
		if n := r.leaveBehind(); n > 0 { //nolint:contextcheck // settling does not depend on this context
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
	for _, r := range e.runners {
		taking := r.done
		for quiet := (<-chan struct{})(taking); quiet != nil; {
			select {
			case <-quiet:
				if quiet == taking { // nothing comes any more: now for what is there
					quiet = r.pool.idle()
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
	for _, r := range e.runners {
		if busy, hung := r.pool.counts(); busy > 0 {
			r.log.InfoContext(ctx, "drain: waiting for handlers", "running", busy, "hung", hung, "left", max(time.Until(end), 0).Round(time.Millisecond))
		}
	}
}

// leaveBehind gives up on handlers that still run: their messages go back with the
// others, in their order, and what the handlers return does not count any more. It
// returns how many messages that are.
func (ws *workers) leaveBehind() (n int) {
	out := handlers.Outcome{Kind: handlers.Released, Err: handlers.ErrDraining}
	ws.pool.running(func(w *worker, lead *job) {
		if !w.current.CompareAndSwap(lead, nil) {
			return // it returns just now, and settles itself
		}
		ws.pool.gaveUp(w, lead.hungHandler())
		ws.exit(lead)
		g := &lead.group
		n += len(g.jobs)
		if g.span == nil { // the codec hangs, and no handler had them
			ws.returned(g.jobs)
			return
		}
		outs := slices.Repeat([]handlers.Outcome{out}, len(g.jobs))
		for _, j := range g.jobs {
			j.span.Returned(out)
		}
		ws.release(context.WithoutCancel(ws.base), g.jobs, outs)
		if g.several() {
			g.span.EndBatch(outs, out.Err)
		}
	})
	return n
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
			return append(errs, fmt.Errorf("sessions: %w", fault.ErrStopTime))
		}
	}
	return errs
}

// close ends the queue in this process. What an older session holds goes back last
// and so comes before the rest.
func (r *runner) close(ctx context.Context) error {
	defer r.gate.Close()
	r.undecoded.Clear()
	gathered := r.returning.end()
	begun := 0
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
		if err != nil {
			errs = append(errs, fmt.Errorf("queue %q: session %s: %w", r.code, sess.ID(), err))
		}
	}
	if begun > 0 {
		r.log.WarnContext(ctx, "drain: messages went back whose handlers had begun: they may be handled twice", "possible_duplicates", begun)
	}
	return errors.Join(errs...)
}
