package watch

import (
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// earlyBy is how much earlier than its due time a message must come to count: Java rounds, and asks
// Redis for no time.
const earlyBy = time.Second

// earlyKept is for how long early messages are told of.
const earlyKept = 10 * time.Minute

// Early counts the messages of a queue that came before they were due. Only a Java client with a fast
// clock moves such ones, and the due time is lost then. What Go knows of it:
//
// A record of the message may have kept the due time. Else, where a transfer has found nothing ready
// and the first pending message due later, nothing can become ready until then but what others
// push or move early. Where messages came all the same, and that first one is gone at the next look
// though it is still not due, they were moved early. Cancellations and pushes of others look the
// same only where both come between two looks.
//
// The zero value is ready to use. Safe for concurrent use.
type Early struct {
	mu     sync.Mutex
	quiet  bool  // the last look found nothing ready, and nothing due
	next   int64 // ms: the earliest due time known since then; -1 for none
	came   came  // since then, though nothing was known to be due
	asked  asked // as it was when the look that is under way was sent
	counts EarlyCount
}

// came are messages that nobody expected, and when the last of them came, in ms of Redis.
type came struct{ messages, at int64 }

type asked struct {
	next int64
	came
}

// EarlyCount is what came early.
type EarlyCount struct {
	Messages int64         // since nothing came early for ten minutes
	By       time.Duration // the most, at least: of what has no record
	last     time.Time
}

// Took is told what a take has brought: how many messages have no record of their due time, and of
// those that have one, how many came so much too early at most. It returns how many were early.
func (e *Early) Took(nowMs int64, unknown, early int64, by time.Duration) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	// The announcement of a message may come behind it.
	if unknown > 0 && e.quiet && (e.next < 0 || e.next-nowMs > earlyBy.Milliseconds()) {
		e.came = came{e.came.messages + unknown, nowMs}
	}
	if early > 0 {
		e.count(early, by)
	}
	return early
}

// announced is told a due time of the channel.
func (e *Early) announced(dueMs int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if dueMs >= 0 && (e.next < 0 || dueMs < e.next) {
		e.next = dueMs
	}
}

// looks is told that a transfer is sent: what is announced from now on it may not see.
func (e *Early) looks() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = asked{e.next, e.came}
}

// looked is told what the transfer found, and the earliest due time that was announced since it was
// sent, -1 for none. It returns how many messages were early.
func (e *Early) looked(r delayed.TransferResult, hint int64) (early int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, done, was := r.NowUs/1000, r.Done(), e.asked
	gone := was.next-now > earlyBy.Milliseconds() && (r.NextDueMs < 0 || r.NextDueMs > was.next)
	if was.messages > 0 && e.quiet && gone && done == 0 {
		early = was.messages
		e.count(early, time.Duration(was.next-was.at)*time.Millisecond)
	}
	e.came, e.asked = came{}, asked{}
	e.quiet = done == 0 && r.Ready == 0
	if e.next = r.NextDueMs; hint >= 0 && (e.next < 0 || hint < e.next) {
		e.next = hint
	}
	return early
}

func (e *Early) count(n int64, by time.Duration) {
	if time.Since(e.counts.last) > earlyKept {
		e.counts = EarlyCount{}
	}
	e.counts.Messages, e.counts.By, e.counts.last = e.counts.Messages+n, max(e.counts.By, by), time.Now()
}

// Count returns what came early.
func (e *Early) Count() EarlyCount {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.counts.last) > earlyKept {
		return EarlyCount{}
	}
	return e.counts
}

// IsEarly reports whether a message that is due then came too early, and by how much.
func IsEarly(dueMs, nowMs int64) (by time.Duration, early bool) {
	by = time.Duration(dueMs-nowMs) * time.Millisecond
	return by, by > earlyBy
}
