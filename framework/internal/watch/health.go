package watch

import "time"

// Health is a snapshot of a [Watcher].
type Health struct {
	// Subscribed is false while the subscription is not known to work; sweeps
	// then stand in for it.
	Subscribed bool

	LastSuccess time.Time // last transfer that was answered; zero for none
	LastError   error     // last error of a transfer or the subscription
	LastErrorAt time.Time

	// Skew is the local clock minus that of Redis, as of the quickest recent
	// reply. Java clients whose clock is fast deliver early by theirs.
	Skew time.Duration

	Queues []QueueHealth // in the order given to New
}

// QueueHealth is one queue's part of [Health].
type QueueHealth struct {
	Queue       string
	NextDueMs   int64     // due time of the next pending message; -1 for none or unknown
	Ready       int64     // length of the ready list when last seen
	Backlog     bool      // the last transfer left due messages behind
	Failures    int       // transfers in a row that failed
	LastSuccess time.Time // zero for none
	LastError   error     // of the last transfer; nil when it succeeded
	Deaf        error     // why the channel is not listened to: Redis does not permit it; nil where it is

	// ViewBehind is for how long transfers have left due messages behind because the
	// upkeep of the pending list takes all their time; 0 while they keep up.
	ViewBehind time.Duration
}

// Health returns the present state.
func (w *Watcher) Health() Health {
	w.state.Lock()
	defer w.state.Unlock()
	h := Health{
		Subscribed:  !w.doubt,
		LastError:   w.lastErr,
		LastErrorAt: w.lastErrAt,
		Skew:        w.clock.skew(),
		Queues:      make([]QueueHealth, len(w.queues)),
	}
	for i, q := range w.queues {
		h.Queues[i] = QueueHealth{
			Queue:       q.Keys.Queue,
			NextDueMs:   q.next(),
			Ready:       q.ready,
			Backlog:     q.more,
			Failures:    q.failures,
			LastSuccess: q.lastOK,
			LastError:   q.lastErr,
			Deaf:        q.deaf,
			ViewBehind:  q.lag.lasts(w.clock.now()),
		}
		if q.lastOK.After(h.LastSuccess) {
			h.LastSuccess = q.lastOK
		}
	}
	return h
}

// next returns the earliest due time known or announced, -1 for none.
func (q *watched) next() int64 {
	if q.hint >= 0 && (q.known < 0 || q.hint < q.known) {
		return q.hint
	}
	return q.known
}
