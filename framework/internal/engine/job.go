package engine

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// job is one delivery in this process, from the take to its settlement.
type job struct {
	session  *sessions.Session
	msg      *lease.Message
	permit   gate.Permit
	seq      uint64 // grows in the order of the queue
	losses   uint64 // of the session when it was taken
	message  handlers.Message
	settling handlers.Settling // who wants to know what becomes of it
	group    group             // that it leads

	span     telemetry.Processing
	started  time.Time // of the handler; in queues of batches first when it was handed to the workers
	ctx      jobContext
	alone    bool // a suspect: it was in flight in two processes that died
	timedOut bool // the watchdog's own: it has cancelled the handler
	hung     bool // and given up on it
	toBlame  bool // for that: the message itself may be the cause

	handledBefore, failedBefore uint64 // messages of the queue, when the handler began

	begun   bool // the gate has let it start
	again   bool // it left a batch and runs alone
	handled bool // after a handler had it in that batch
}

// group is what a worker runs at once: one message or, with a batch handler, several. It
// belongs to the first of them, and to whoever swaps worker.current.
type group struct {
	jobs []*job                // its leader first
	span *telemetry.Processing // nil until the handler starts
	one  [1]*job               // what jobs is of a single message, so that nothing is allocated
}

// several reports whether it is a batch, which has a span of all its messages.
func (g *group) several() bool { return len(g.jobs) > 1 }

// single makes a group of one message.
func (j *job) single() []*job {
	j.group.one[0] = j
	return j.group.one[:]
}

// repeat returns the message as a new job that runs alone; whoever had the old
// one may hold it still. handled says that a handler had it.
func (j *job) repeat(handled bool) *job {
	msg := *j.msg
	if handled {
		msg.Delivered++
	}
	return &job{
		session: j.session, msg: &msg, permit: j.permit, seq: j.seq, losses: j.losses,
		begun: true, again: true, handled: handled,
	}
}

// owned reports whether the message is this process's to start, as far as the keeper
// has found out.
func (j *job) owned() bool { return j.session.Owns(j.losses) }

// ours is owned right before a handler starts. It looks at the clock: a process that
// was stopped or suspended may run a worker before its keeper.
func (j *job) ours(now time.Time) bool { return j.owned() && !j.session.Expired(now) }

// ID gives the ID of the message as text.
func (j *job) ID() string { return j.msg.ID.String() }

// entry names an entry of its dead store for users.
func (j *job) entry(id string) string { return wire.InPartition(j.msg.ID.Partition, id) }

// name is what the breaker tells failed messages apart by.
func (j *job) name() string { return j.ID() }

// firstDue is when the message was due for the first time, whatever was retried since, and
// whether that is known.
func (j *job) firstDue() (time.Time, bool) {
	return time.UnixMilli(j.msg.FirstDueMs), j.msg.FirstDueMs >= 0
}

// Digest gives the digest that traces know the message by.
func (j *job) Digest() string { return wire.Digest(j.msg.Body) }

// serverTime is now by the clock of Redis, as far as it can be estimated.
func (j *job) serverTime(now time.Time) time.Time {
	if t, ok := j.session.ServerTime(); ok {
		return t
	}
	return now
}

// named begins the attributes of a log line about the message, which are the same in all
// of them. What is not known is left out, see logGuard.
func (j *job) named(more ...any) []any {
	return append([]any{"id", j.ID(), "key", j.msg.Key, "digest", j.Digest(), "attempt", j.msg.Failed + 1}, more...)
}

// failure is named with an error, and the stack of one that was a panic.
func (j *job) failure(err error) []any {
	if p := handlers.PanicOf(err); p != nil {
		return j.named("err", err, "stack", string(p.Stack))
	}
	return j.named("err", err)
}
