package engine

import "sync"

// jobQueue hands jobs to workers, first in, first out. A channel would wake one
// worker for each job; here a worker that takes a job wakes the next one only if
// more are waiting and no other worker is on its way. Handlers that block are
// started one after the other at once, and handlers that take microseconds are
// run by as many workers as there are processors.
type jobQueue struct {
	mu     sync.Mutex
	more   sync.Cond
	jobs   []*job
	head   int
	idle   int  // workers in Wait
	waking bool // one of them was signalled and has not come yet
	closed bool
	gather gathering // of queues that hand out batches
}

func newJobQueue() *jobQueue {
	q := &jobQueue{gather: gathering{came: make(chan struct{}, 1)}}
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
	if q.idle > 0 && !q.waking && !q.gather.waits && q.head < len(q.jobs) {
		q.waking = true
		q.more.Signal()
	}
}
