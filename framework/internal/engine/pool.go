package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// pool has the workers of one queue, and their room.
type pool struct {
	*room
	mu    sync.Mutex
	slots []*worker
}

// worker is one goroutine that runs handlers; current is what it runs now. Who
// swaps current for nil, the worker or the watchdog, settles the message.
type worker struct {
	roomWorker
	current atomic.Pointer[job]
	goid    string // number of its goroutine, set before the first job

	decoded []decoded    // of the group that it decodes; kept to be used again
	weight  atomic.Int64 // of what it decodes and handles, see workers.weigh

	// Room reserved beside the messages it runs; of whoever swaps current, as these.
	reserved int
}

// running visits every job whose handler runs now.
func (p *pool) running(visit func(w *worker, j *job)) {
	p.mu.Lock()
	slots := p.slots
	p.mu.Unlock()
	for _, w := range slots {
		if j := w.current.Load(); j != nil {
			visit(w, j)
		}
	}
}

// workerName is what workers do.
const workerName = "handle messages"

// start adds a worker; with old set it takes that one's place.
func (p *pool) start(ctx context.Context, old *worker, work func(*worker)) {
	w := p.join(old)
	background.Go(ctx, workerName, func() { work(w) })
}

// join adds a worker that runs on the caller's goroutine.
func (p *pool) join(old *worker) *worker {
	w := &worker{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots = append(without(p.slots, old), w)
	return w
}

// quit removes a worker that ends.
func (p *pool) quit(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots = without(p.slots, w)
}

// without copies the workers but one, with room for another: running reads them without the
// lock.
func without(all []*worker, but *worker) []*worker {
	next := make([]*worker, 0, len(all)+1)
	for _, w := range all {
		if w != but {
			next = append(next, w)
		}
	}
	return next
}

// idleWorkers is for how long workers that are not needed are kept.
const idleWorkers = 10 * time.Second

// spareWorkers ends those that are not needed, until ctx ends.
func (e *Engine) spareWorkers(ctx context.Context) {
	t := time.NewTicker(idleWorkers)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		for _, r := range e.intakes {
			r.handling.jobs.spare()
		}
	}
}
