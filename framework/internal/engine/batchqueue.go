package engine

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/gate"
)

// batching is how one queue forms groups: batches, or single messages where size is 1.
type batching struct {
	size int
	wait time.Duration

	// Until this moment, in ns since 1970, messages that have failed before run
	// alone: a batch failed as a whole lately, and one of them may be why.
	waryUntil atomic.Int64
}

// alone reports whether the message runs in a batch of one: a suspect, one that hung, one
// whose batch failed as a whole, one that may spoil a batch, or a stale one.
func (b *batching) alone(j *job) bool {
	return j.alone || j.again || j.msg.Hung > 0 || j.msg.Failed > 0 && time.Now().UnixNano() < b.waryUntil.Load()
}

// arrival is the moment at which jobs are handed over, where it matters.
func (b *batching) arrival() (now time.Time) {
	if b.wait > 0 {
		now = time.Now()
	}
	return now
}

// inBatches reports whether there may be several messages in a group.
func (b *batching) inBatches() bool { return b.size > 1 }

// beWary keeps messages that failed before out of batches for a while.
func (b *batching) beWary(d time.Duration) {
	b.waryUntil.Store(max(b.waryUntil.Load(), time.Now().Add(d).UnixNano()))
}

// gathering is what a job queue needs to hand out batches: one worker at most waits
// for a batch to fill, and the others behind it.
type gathering struct {
	waits bool          // a worker does
	came  chan struct{} // capacity 1: something was pushed, or the queue closed
}

// nudge lets the worker that gathers look again. Caller holds the queue's lock.
func (g *gathering) nudge() {
	if !g.waits {
		return
	}
	select {
	case g.came <- struct{}{}:
	default:
	}
}

// pop waits for a job and returns it with those behind it that may run together
// with it: at most b.size, all of one session. Where there are fewer it waits for
// more until the first one has lain here for b.wait, the queue is closed, or the
// gate opens. Nil means that the worker is to end. One timer at most runs
// in a queue, whatever the number of messages.
func (q *jobQueue) pop(b *batching, g *gate.Gate) []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for q.gather.waits || q.head == len(q.jobs) {
			if q.closed && q.head == len(q.jobs) {
				return nil
			}
			q.idle++
			q.more.Wait()
			q.idle--
			q.spared = min(q.spared, q.idle)
			q.waking = false
			if q.fired > 0 && q.head == len(q.jobs) {
				q.fired--
				q.hired--
				return nil
			}
		}
		n, whole := q.fitLocked(b)
		if !whole && b.wait > 0 && !q.closed {
			q.gatherLocked(b, g)
			n, _ = q.fitLocked(b)
		}
		if n == 0 { // startable took them away meanwhile
			continue
		}
		js := q.takeLocked().single()
		if n > 1 {
			js = append(make([]*job, 0, n), js...)
			for len(js) < n {
				js = append(js, q.takeLocked())
			}
		}
		q.wakeLocked()
		return js
	}
}

// fitLocked returns how many jobs from the head on may run together, and whether
// waiting would not make them more.
func (q *jobQueue) fitLocked(b *batching) (n int, whole bool) {
	jobs := q.jobs[q.head:]
	for n < len(jobs) && n < b.size {
		j := jobs[n]
		if b.alone(j) {
			return max(n, 1), true
		}
		if j.session != jobs[0].session {
			return n, true
		}
		n++
		if j.permit.Probe() && n == len(jobs) {
			return n, true // no more come before its result
		}
	}
	return n, n == b.size
}

// gatherLocked waits for more jobs, without the lock. Only one worker does at a time.
func (q *jobQueue) gatherLocked(b *batching, g *gate.Gate) {
	left := time.Until(q.jobs[q.head].started.Add(b.wait))
	if left <= 0 {
		return
	}
	q.gather.waits = true
	defer func() {
		if q.gather.waits = false; q.closed {
			q.more.Broadcast() // those behind may have seen the end already
		}
	}()
	over := time.NewTimer(left)
	defer over.Stop()
	for whole := false; !whole && !q.closed && q.head < len(q.jobs); _, whole = q.fitLocked(b) {
		more := false
		q.mu.Unlock()
		changed := g.Changed() // before the look at it, so that no change is missed
		if g.Snapshot().State != gate.Open {
			select {
			case <-q.gather.came:
				more = true
			case <-changed:
				more = true
			case <-over.C:
			}
		}
		q.mu.Lock()
		if !more {
			return
		}
	}
}

// taken reports whether workers have begun with all jobs, or gather them.
func (q *jobQueue) taken() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.gather.waits || q.head == len(q.jobs)
}

// unpop puts jobs back to the front, in their order.
func (q *jobQueue) unpop(js []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(append(make([]*job, 0, len(js)+len(q.jobs)-q.head), js...), q.jobs[q.head:]...)
	q.head = 0
	q.gather.nudge()
	q.wakeLocked()
}

// occupy takes n more of the room that a full batch has, so that no message is
// fetched for a worker that is busy.
func (ws *handling) occupy(w *worker, n int) {
	if n == 0 {
		return
	}
	w.reserved += n
	if full := ws.pool.Reserve(n); full {
		ws.endRest()
	}
}

// vacateRoom gives the room of a worker back whose group has ended.
func (ws *handling) vacateRoom(w *worker) {
	if n := w.reserved; n != 0 {
		w.reserved = 0
		ws.pool.Reserve(-n)
	}
}

// letStart lets workers begin with what was fetched before the intake rests: only
// then it is known whether there is room for more.
func (ws *handling) letStart() {
	if !ws.batching.inBatches() {
		return
	}
	for tries := 0; tries < 100 && !ws.jobs.taken(); tries++ {
		runtime.Gosched()
	}
}
