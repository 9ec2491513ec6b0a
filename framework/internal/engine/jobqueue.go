package engine

import "sync"

// jobQueue hands jobs to workers, first in, first out. A channel would wake one
// worker for each job; here a worker that takes a job wakes the next one only if
// more are waiting and no other worker is on its way. Handlers that block are
// started one after the other at once, and handlers that take microseconds are
// run by as many workers as there are processors. A worker is started where none is idle,
// and ends when it was not needed for a while: a queue on which nothing happens has none.
type jobQueue struct {
	mu     sync.Mutex
	more   sync.Cond
	jobs   []*job
	head   int
	idle   int  // workers in Wait
	waking bool // one of them was signalled, or started, and has not come yet
	closed bool
	gather gathering // of queues that hand out batches

	hire   func() // starts a worker; called with mu held
	most   int    // workers
	hired  int    // of these, how many there are
	spared int    // the fewest that were idle since the last look
	fired  int    // idle workers that are to end
}

// newJobQueue makes a queue for so many workers, which hire starts one by one.
func newJobQueue(most int, hire func()) *jobQueue {
	q := &jobQueue{gather: gathering{came: make(chan struct{}, 1)}, most: most, hire: hire}
	q.more.L = &q.mu
	return q
}

// push adds jobs.
func (q *jobQueue) push(js []job) {
	q.mu.Lock()
	for i := range js {
		q.jobs = append(q.jobs, &js[i])
	}
	q.gather.nudge()
	q.wakeLocked()
	q.mu.Unlock()
}

// tryPop returns nil when there is no job now.
func (q *jobQueue) tryPop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.jobs) {
		return nil
	}
	return q.takeLocked()
}

// close lets workers end once all jobs are taken.
func (q *jobQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.gather.nudge()
	q.more.Broadcast()
	q.mu.Unlock()
}

func (q *jobQueue) takeLocked() *job {
	j := q.jobs[q.head]
	q.jobs[q.head] = nil
	if q.head++; q.head == len(q.jobs) {
		q.jobs, q.head = q.jobs[:0], 0
	}
	return j
}

func (q *jobQueue) wakeLocked() {
	switch {
	case q.waking || q.gather.waits || q.head == len(q.jobs):
	case q.idle > 0:
		q.waking = true
		q.more.Signal()
	case q.hired < q.most:
		q.waking = true
		q.hired++
		q.hire()
	}
}

// come says that a worker has begun.
func (q *jobQueue) come() {
	q.mu.Lock()
	q.waking = false
	q.mu.Unlock()
}

// spare ends the workers that were not needed since it was called last.
func (q *jobQueue) spare() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fired = q.spared
	for range q.fired {
		q.more.Signal()
	}
	q.spared = q.idle
}
