package framework

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// drain ends the engine in order: intake, handlers, leases, the rest.
func (e *Engine) drain(ctx context.Context) error {
	share := e.budget(ctx)
	handlersEnd := time.Now().Add(share)

	e.stopTaking()
	watcherErr := e.watcher.Stop(ctx)
	for _, r := range e.runners {
		<-r.done // the end of its context ends a blocking wait too
		r.jobs.close()
	}
	e.awaitHandlers(ctx, handlersEnd)
	close(e.torn)

	errs := []error{watcherErr}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, r := range e.runners {
		wg.Go(func() {
			err := r.holder.Load().close(ctx)
			for _, old := range r.retired.all() {
				err = errors.Join(err, old.close(ctx))
			}
			r.gate.Close()
			r.abort(handlers.ErrDraining)
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
		})
	}
	wg.Wait()
	e.dog.close()
	e.keeper.close()
	e.reaping.Wait()
	if e.unobserve != nil {
		errs = append(errs, e.unobserve())
	}
	return errors.Join(append(errs, e.take.Close())...)
}

// awaitHandlers waits for running handlers until end, then cancels them and
// gives those that listen a last moment.
func (e *Engine) awaitHandlers(ctx context.Context, end time.Time) {
	for _, r := range e.runners {
		if !waitUntil(ctx, r.pool.idle(), end) {
			busy, _ := r.pool.counts()
			r.log.WarnContext(ctx, "drain: handlers are still running, they are cancelled", "running", busy)
			r.draining.Store(true)
			r.abort(handlers.ErrDraining)
		}
	}
	last := end.Add(lastMoment(ctx, end))
	for _, r := range e.runners {
		if !waitUntil(ctx, r.pool.idle(), last) {
			busy, _ := r.pool.counts()
			r.log.ErrorContext(ctx, "drain: handlers ignore their cancelled context; their messages go back and may be handled twice", "running", busy)
		}
	}
}

// lastMoment is a third of what is left after the handlers' share.
func lastMoment(ctx context.Context, end time.Time) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Second
	}
	return max(deadline.Sub(end)/3, 0)
}

func waitUntil(ctx context.Context, idle <-chan struct{}, end time.Time) bool {
	t := time.NewTimer(time.Until(end))
	defer t.Stop()
	select {
	case <-idle:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	select {
	case <-idle:
		return true
	default:
		return false
	}
}
