package engine

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
)

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

// shrunk notes that messages have left a group that is not running yet; the worker keeps
// their room.
func (ws *handling) shrunk(w *worker, js, kept []*job) []*job {
	ws.occupy(w, len(js)-len(kept))
	return kept
}

// describeAll fills in what the handler may know. Messages that come too late for
// the handler leave a batch: they run alone, where that is found again.
func (ws *handling) describeAll(js []*job, now time.Time) []*job {
	kept, several := js[:0], len(js) > 1
	var stale []*job
	for _, j := range js {
		if !j.started.Equal(now) { // the watchdog may still look at the one that led
			j.started = now
		}
		m := ws.describe(j, j.serverTime(now))
		if several && ws.stale(m) != nil {
			stale = append(stale, j.repeat(false))
			continue
		}
		kept = append(kept, j)
	}
	if len(stale) > 0 {
		ws.jobs.unpop(stale)
	}
	return kept
}

// open starts the span of a group. ms are the messages of several; a batch that has shrunk
// to one message has the span of a single one.
func (ws *handling) open(js []*job, now time.Time) (ctx context.Context, ms []*handlers.Message) {
	lead := js[0]
	lead.group.jobs = js
	if len(js) == 1 {
		ctx = ws.tel.StartProcess(&lead.ctx, &lead.span, &lead.message, ws.origin(lead), now)
		lead.group.span = &lead.span
		return ctx, nil
	}
	ms = make([]*handlers.Message, len(js))
	origins := make([]telemetry.Origin, len(js))
	for i, j := range js {
		ms[i], origins[i] = &j.message, ws.origin(j)
	}
	ctx, span := ws.tel.StartBatch(&lead.ctx, ms, origins, now)
	for i, j := range js {
		j.span = span.Item(ms[i])
	}
	lead.group.span = &span
	return ctx, ms
}

// repeatAlone lets each message of a batch that failed as a whole run again alone, before
// all others: none is charged until it is known which one fails.
func (ws *handling) repeatAlone(g *group, err error) {
	handled := g.span != nil
	if handled {
		g.span.Alone(err)
	}
	again := make([]*job, len(g.jobs))
	longest := time.Duration(0)
	for i, j := range g.jobs {
		again[i] = j.repeat(handled)
		longest = max(longest, ws.retryDelay(j, handlers.Outcome{Kind: handlers.Retried}))
	}
	ws.log.Warn("batch failed as a whole: each of its messages runs again by itself, none is charged for it",
		"messages", len(g.jobs), "err", errText(err))
	// The one that fails does so again, and comes back after this time.
	ws.batching.beWary(2*longest + time.Minute)
	ws.jobs.unpop(again)
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
