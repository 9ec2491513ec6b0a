package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/stacks"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
	"github.com/duequeue/duequeue/handlers"
)

// hung gives up on a handler that did not end after its timeout and grace: its
// messages are retried, the goroutine is left behind. all has its stack.
func (ws *workers) hung(w *worker, lead *job, after time.Duration, all *stacks.Dump) {
	if !w.current.CompareAndSwap(lead, nil) {
		return // it ended just now, and settles itself
	}
	if !lead.alone {
		ws.exitSettled(ws.base, lead)
	}
	ws.markHung(w, lead)
	g := &lead.group
	err := &handlers.TimeoutError{After: ws.policy.Timeout, Err: errHung}
	if g.span == nil {
		err.Err = errDecodeHung
	}
	if g.several() { // before the worker's successor looks for work
		ws.repeatAlone(g, err)
	}
	ws.vacateRoom(w)
	ws.pool.start(w, ws.work)
	ws.tel.Zombies(context.WithoutCancel(ws.base), 1)
	ws.tel.Doubtful(context.WithoutCancel(ws.base), "hung", int64(len(g.jobs)))
	ws.log.Error("handler hangs past its timeout and grace: message retried, goroutine given up",
		lead.named("after", after, "messages", len(g.jobs), "stack", all.Of(w.goid))...)
	if g.several() {
		return
	}
	out := handlers.Classify(err)
	if ws.traced(lead) {
		out.CountsForBreaker = false // it says nothing about what handlers depend on
	}
	out = ws.judged(lead, out)
	lead.span.Returned(out)
	// Settling asks Redis: other handlers' time must not wait for it.
	go func() {
		ws.settle(context.WithoutCancel(ws.base), g.jobs, []handlers.Outcome{out})
		if lead.alone {
			ws.exitSettled(ws.base, lead)
		}
	}()
}

// hungHandler is a handler that was given up on and has not returned: its message is
// offered again, and its goroutine holds memory and whatever it hangs on.
type hungHandler struct {
	id, digest string
	started    time.Time
	since      time.Time // when it was given up on
}

func (j *job) hungHandler() hungHandler {
	return hungHandler{id: j.ID(), digest: j.Digest(), started: j.started, since: time.Now()}
}

// maxHung is how many hung handlers a queue may gather before it stops taking.
func (p *pool) maxHung() int { return max(4, p.size) }

// tooManyHung reports whether so many handlers hang that nothing may be taken.
func (p *pool) tooManyHung() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.hung) >= p.maxHung()
}

// gaveUp notes that the worker's handler hangs. It returns how many do, 0 where that one
// has come back meanwhile: between the moment at which it was given up on and this one.
func (p *pool) gaveUp(w *worker, z hungHandler) int {
	p.mu.Lock()
	n := 0
	if !w.back {
		if p.hung == nil {
			p.hung = map[*worker]hungHandler{}
		}
		p.hung[w] = z
		n = len(p.hung)
	}
	p.mu.Unlock()
	p.freed()
	return n
}

// cameBack notes that a handler that had been given up on has returned after all.
func (p *pool) cameBack(w *worker) (z hungHandler, left int) {
	p.mu.Lock()
	w.back = true
	z = p.hung[w]
	delete(p.hung, w)
	left = len(p.hung)
	p.mu.Unlock()
	p.freed()
	return z, left
}

// hanging returns the handlers that hang, the oldest first.
func (p *pool) hanging() []hungHandler {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]hungHandler, 0, len(p.hung))
	for _, z := range p.hung {
		out = append(out, z)
	}
	slices.SortFunc(out, func(a, b hungHandler) int { return a.since.Compare(b.since) })
	return out
}

// markHung counts the worker's handler as hung. Where that makes too many, the intake
// closes, and a rest in Redis ends: a message that came now would wait here.
func (ws *workers) markHung(w *worker, j *job) {
	if n := ws.pool.gaveUp(w, j.hungHandler()); n == ws.pool.maxHung() {
		ws.log.Error("too many handlers hang: nothing is taken until some return; restart the process if they never do", "hung", n)
		ws.endRest()
	}
}

// clearHung ends the count of a hung handler that has returned. Once the engine has
// stopped the log is not told.
func (ws *workers) clearHung(w *worker) {
	z, left := ws.pool.cameBack(w)
	if ws.returning.open() || z.started.IsZero() { // or it was never counted
		return
	}
	ws.log.Warn("a handler that had been given up on has returned", "ran", time.Since(z.started), "id", z.id, "digest", z.digest, "hung", left)
	if left == ws.pool.maxHung()-1 {
		ws.log.Info("fewer handlers hang: messages are taken again")
	}
}

// crowded reports whether a message that came now would wait here: too many handlers
// hang, or batches that are not full have all workers.
func (ws *workers) crowded() bool {
	return ws.pool.tooManyHung() || ws.suspects.Stalled() || ws.batching.inBatches() && ws.pool.free() <= 0
}

// vacate gives back what a blocking move brought in last, while this process is
// crowded: others shall have it.
func (r *runner) vacate(ctx context.Context) {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for (r.pool.tooManyHung() || r.staged && r.crowded()) && ctx.Err() == nil {
		_, err := r.sessions.Current().Release(ctx, nil)
		if err == nil {
			r.staged = false
			r.recovered(ctx)
			return
		}
		if ctx.Err() == nil {
			r.complain(ctx, err)
		}
		r.pause(ctx, b.Next())
	}
}

var (
	errHung       = errors.New("handler did not return")
	errDecodeHung = errors.New("the codec did not return")
)
