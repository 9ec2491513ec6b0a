package watch

import (
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
)

const (
	// never is later than every wake-up.
	never = time.Duration(1<<63 - 1)
	// startGrace is how long the first transfer waits for the subscription, so
	// that one transfer after it sees everything.
	startGrace = 200 * time.Millisecond
	// jitterWinner and what follows spread several processes. Who moved something last time
	// asks at once. About so many others stand by, and ask within some ms: where the winner
	// is gone or slow one of them takes its place. All others ask later, the more of them
	// there are: together they look at a queue some twenty times a second and as often as
	// they sweep, however many processes and messages there are.
	jitterWinner = 300 * time.Microsecond
	jitterLeast  = time.Millisecond
	jitterNear   = 5 * time.Millisecond
	standBy      = 5
	jitterEach   = 100 * time.Millisecond // for each process
	jitterMost   = 5 * time.Second
	// idleFirst and idleMax space transfers that found nothing, whatever woke them.
	idleFirst = 100 * time.Microsecond
	idleMax   = 3 * time.Millisecond
	// retryFirst and retryMax space transfers that failed.
	retryFirst = 50 * time.Millisecond
	retryMax   = 500 * time.Millisecond
	// deepReady is the length of the ready list from which on a backlog is moved
	// with pauses: consumers have enough to do, and others use Redis too.
	deepReady = 2000
	// FullReady is the length of the ready list from which on a [Watcher] moves nothing: consumers are slow,
	// and what is pending can still be cancelled. Then it is looked at again after
	// fullFirst, at last every fullMax.
	FullReady = 10_000
	fullFirst = 5 * time.Millisecond
	fullMax   = 100 * time.Millisecond

	// firstWalks is the first limit of walks: the list may be long, and nobody knows yet
	// how long one takes.
	firstWalks = 16
)

// watched is the state of one queue. The embedded part never changes; the rest
// belongs to the owner goroutine, under the watcher's state lock.
type watched struct {
	Queue

	pace script.Pace // of walks, without a view of messages: see newWatched
	lag  lag

	known int64 // due ms of the head in the last reply; -1 for none
	hint  int64 // earliest due ms announced since the last transfer was sent; -1 for none
	ready int64
	full  int // length of the ready list from which on nothing is moved: FullReady, less in tests

	checked   time.Duration // when the last transfer was answered
	notBefore time.Duration // pause after an error, an idle transfer or a long one
	soon      bool          // ask at once: the subscription is new, or more is due
	more      bool          // the last transfer left due messages behind
	busy      bool          // a transfer is under way
	backlog   bool          // that transfer is one of backlogsAtOnce
	sent      time.Duration // when it was sent
	aimed     int64         // due ms for which it was sent; -1 for none
	won       bool          // it moved what was due last, as far as this process knows
	announced bool          // that transfer was, or may have been, woken by a message
	idle      int           // transfers in a row that moved nothing
	failures  int           // transfers in a row that failed
	broken    time.Time     // since when they fail, as the log was told; zero while they do not
	jitter    time.Duration
	place     float64      // among all processes, from 0 to 1: drawn once, see standsBy
	listeners atomic.Int64 // counted where Processes is nil
	lastErr   error
	lastOK    time.Time
	deaf      error // why its channel is not listened to; nil while it is, as far as Redis permits it
}

// newWatched returns the state of a queue that was never asked. With a view
// the pace limits the walks alone: random due times over a long pending list make
// each message cost a walk of that list, and what is drained from its head costs none.
func newWatched(q Queue) *watched {
	w := &watched{Queue: q, known: -1, hint: -1, full: FullReady, place: chance.Float64()}
	first := delayed.DefaultTransferLimit
	if !w.NoView {
		first = firstWalks
	}
	w.pace = script.NewPace(1, first, delayed.MaxTransferLimit)
	return w
}

// learn lets the pace learn from a transfer. One without walks says nothing of them.
func (q *watched) learn(r delayed.TransferResult) {
	if r.Taken && r.ServerTime == 0 { // the time is also that of the take
		return
	}
	round := script.Round{Done: r.Moved + r.Malformed, Elapsed: r.Elapsed, ServerTime: r.ServerTime}
	round.Limited = round.Done
	if !q.NoView {
		if r.Walks == 0 && round.Done > 0 {
			return
		}
		round.Limited = r.Walks
	}
	q.pace.Observe(round)
}

// wake returns when the queue is to be asked next.
func (q *watched) wake(clock *serverClock, sweep time.Duration) time.Duration {
	if q.busy {
		return never
	}
	at := q.checked + sweep
	if q.soon {
		at = 0
	}
	for _, due := range [...]int64{q.known, q.hint} {
		if due >= 0 {
			at = min(at, clock.at(due)+q.jitter)
		}
	}
	return max(at, q.notBefore)
}

// listens notes whether Redis permits the channel, and adds the queue where that has changed.
func (q *watched) listens(denied error, deaf, hears []*watched) (nowDeaf, nowHears []*watched) {
	was := q.deaf
	q.deaf = denied
	switch {
	case was == nil && denied != nil:
		deaf = append(deaf, q)
	case was != nil && denied == nil:
		hears = append(hears, q)
	}
	return deaf, hears
}

// announce takes note of a due time heard on the channel.
func (q *watched) announce(dueMs int64) {
	if q.hint < 0 || dueMs < q.hint {
		q.hint = dueMs
	}
	if q.Early != nil {
		q.Early.announced(dueMs)
	}
}

// send marks the queue as being asked. What was announced so far is covered by
// the answer; what is announced from now on is kept beside it.
func (q *watched) send() {
	q.announced, q.aimed = q.hint >= 0, q.known
	if q.announced && (q.aimed < 0 || q.hint < q.aimed) {
		q.aimed = q.hint
	}
	q.busy, q.soon, q.hint = true, false, -1
	if q.Early != nil {
		q.Early.looks()
	}
}

// expects reports whether a transfer that is sent now is likely to move something: a message
// is due, and this process is the one that asks first. Of the others most find nothing, and a
// take behind that would be for nothing.
func (q *watched) expects(clock *serverClock) bool {
	return q.aimed >= 0 && clock.at(q.aimed) <= clock.now() && (q.won || q.jitter == 0)
}

// answered takes over a transfer's result; processes is how many serve the
// queue. It reports whether the result shows a message that should have been
// announced on the channel and was not.
func (q *watched) answered(r delayed.TransferResult, alone bool, processes int, now time.Duration) (unannounced bool) {
	expected, done := q.known, r.Done()
	q.busy, q.checked, q.failures, q.lastErr, q.lastOK = false, now, 0, nil, time.Now()
	if q.Early != nil {
		if n := q.Early.looked(r, q.hint); n > 0 {
			q.OnEarly(n)
		}
	}
	q.known, q.ready, q.more, q.notBefore = r.NextDueMs, r.Ready, r.More(), 0
	asked := q.pace.Limit()
	if alone || r.ServerTime > 0 { // otherwise Elapsed is that of a whole pipeline
		q.learn(r)
	}
	// A fast queue's limit reaches its maximum before long; large payloads fill no limit.
	bounded := r.Walks > 0 && q.pace.Limit() < delayed.MaxTransferLimit && (q.pace.Slow() || r.Walks >= asked)
	q.lag.observe(r, bounded && !q.NoView, now)
	full := done == 0 && r.Ready >= int64(q.full) && r.NextDueMs >= 0 && r.NextDueMs <= r.NowUs/1000
	switch {
	case full:
		q.more = true
		q.idle++
		q.notBefore = now + min(fullFirst<<min(q.idle-1, 8), fullMax)
	case r.DeadErr != nil && done == 0:
		q.notBefore = now + retryMax
	case done == 0:
		q.idle++
		q.notBefore = now + min(idleFirst<<min(q.idle-1, 8), idleMax)
	default:
		q.idle = 0
	}
	if q.more && !full {
		q.soon = true
		if r.Ready > deepReady {
			q.notBefore = now + min(max(r.ServerTime, r.Elapsed/2), script.Slow)
		}
	}
	if done > 0 {
		q.won = true
	} else if q.aimed >= 0 && q.aimed <= r.NowUs/1000 { // another process has moved that
		q.won = false
	}
	q.jitter = q.drawJitter(processes)
	if q.announced || q.hint >= 0 {
		return false
	}
	if done > 0 {
		return expected < 0 || expected > r.NowUs/1000
	}
	return r.NextDueMs >= 0 && (expected < 0 || r.NextDueMs < expected)
}

// drawJitter returns how much later than the due time this process asks.
func (q *watched) drawJitter(processes int) time.Duration {
	most := jitterNear
	switch {
	case processes <= 1:
		return 0
	case q.won:
		return chance.Below(jitterWinner)
	case !q.standsBy(processes):
		most = min(time.Duration(processes)*jitterEach, jitterMost)
	}
	return jitterLeast + chance.Below(most-jitterLeast)
}

// standsBy reports whether this process is one of the few that look whether the winner has
// moved what is due. No process assigns the places, so there may be one more or fewer.
func (q *watched) standsBy(processes int) bool {
	return q.place*float64(processes) < standBy
}

// processes returns how many processes serve the queue.
func (q *watched) processes() int {
	if q.Processes == nil {
		return int(max(q.listeners.Load(), 1))
	}
	return q.Processes()
}

// failed plans the next try after an error.
func (q *watched) failed(err error, now time.Duration) {
	q.busy, q.soon, q.lastErr = false, true, err
	q.notBefore = now + retry.Backoff(q.failures, retryFirst, retryMax)
	q.failures++
}

// refresh makes the queue ask at once, after the subscription was renewed.
func (q *watched) refresh() {
	q.soon, q.notBefore, q.failures = true, 0, 0
}

func (q *watched) args() delayed.TransferArgs {
	limit, walks := q.pace.Limit(), q.pace.Limit()
	if !q.NoView {
		limit = delayed.MaxTransferLimit
	}
	if !q.more {
		// Not known to have a backlog: it shares a pipeline with others.
		limit = min(limit, delayed.DefaultTransferLimit)
	}
	return delayed.TransferArgs{
		Limit: limit, Walks: min(walks, limit), EmptyOK: q.EmptyOK, NoDueTracking: !q.DueTracking, NoView: q.NoView,
		MaxReady: q.full,
	}
}
