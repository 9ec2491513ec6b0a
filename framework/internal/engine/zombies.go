package engine

import (
	"context"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
)

// zombie is a handler that was given up on and has not returned: its message is
// offered again, and its goroutine holds memory and whatever it hangs on.
type zombie struct {
	id, digest string
	started    time.Time
	since      time.Time // when it was given up on
}

func (j *job) zombie() zombie {
	return zombie{id: j.ID(), digest: j.Digest(), started: j.started, since: time.Now()}
}

// maxZombies is how many hung handlers a queue may gather before it stops taking.
func (p *pool) maxZombies() int { return max(4, p.size) }

// haunted reports whether so many handlers hang that nothing may be taken.
func (p *pool) haunted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.zombies) >= p.maxZombies()
}

// gaveUp notes that the worker's handler hangs. It returns how many do, 0 where that one
// has come back meanwhile: between the moment at which it was given up on and this one.
func (p *pool) gaveUp(w *worker, z zombie) int {
	p.mu.Lock()
	n := 0
	if !w.back {
		if p.zombies == nil {
			p.zombies = map[*worker]zombie{}
		}
		p.zombies[w] = z
		n = len(p.zombies)
	}
	p.mu.Unlock()
	p.freed()
	return n
}

// cameBack notes that a handler that had been given up on has returned after all.
func (p *pool) cameBack(w *worker) (z zombie, left int) {
	p.mu.Lock()
	w.back = true
	z = p.zombies[w]
	delete(p.zombies, w)
	left = len(p.zombies)
	p.mu.Unlock()
	p.freed()
	return z, left
}

// hanging returns all zombies, the oldest first.
func (p *pool) hanging() []zombie {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]zombie, 0, len(p.zombies))
	for _, z := range p.zombies {
		out = append(out, z)
	}
	slices.SortFunc(out, func(a, b zombie) int { return a.since.Compare(b.since) })
	return out
}

// haunt counts the worker's handler as hung. Where that makes too many, the intake
// closes, and a rest in Redis ends: a message that came now would wait here.
func (r *runner) haunt(w *worker, j *job) {
	if n := r.pool.gaveUp(w, j.zombie()); n == r.pool.maxZombies() {
		r.log.Error("too many handlers hang: nothing is taken until some return; restart the process if they never do", "hung", n)
		if end := r.endRest.Load(); end != nil {
			(*end)()
		}
	}
}

// exorcise ends the count of a hung handler that has returned. Once the engine has
// stopped nobody is told.
func (r *runner) exorcise(w *worker) {
	z, left := r.pool.cameBack(w)
	if r.parking.open() || z.started.IsZero() { // or it was never counted
		return
	}
	r.log.Warn("a handler that had been given up on has returned", "ran", time.Since(z.started), "id", z.id, "digest", z.digest, "hung", left)
	if left == r.pool.maxZombies()-1 {
		r.log.Info("fewer handlers hang: messages are taken again")
	}
}

// crowded reports whether a message that came now would wait here: too many handlers
// hang, or batches that are not full have all workers.
func (r *runner) crowded() bool {
	return r.pool.haunted() || r.suspects.Stalled() || r.batching.inBatches() && r.pool.free() <= 0
}

// vacate gives back what a blocking move brought in last, while this process is
// crowded: others shall have it.
func (r *runner) vacate(ctx context.Context) {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for (r.pool.haunted() || r.staged && r.crowded()) && ctx.Err() == nil {
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
