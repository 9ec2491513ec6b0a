package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/handlers"
)

// handling runs the handler of a queue for its messages, in groups, on workers.
type handling struct {
	*queue
	settling *settling

	decode    func([]byte) (any, error)
	explain   func(payload []byte, codec string) string // what it may be; "" for no answer
	misfit    func(payload []byte, err error) error     // the error of a payload of the codec that is not of the Go type; nil where the codec is another one
	decodes   atomic.Bool                               // a payload was decoded since the start
	next      handlers.Next
	nextBatch handlers.BatchNext // for groups of several messages
	batching  batching
	jobs      *jobQueue
	dog       *watchdog
	memory    *weight.Bound // for what is decoded, of all queues
	undecoded deadstore.Undecodable
}

// endRest ends the takers' waits in Redis: what came now would wait here.
func (ws *handling) endRest() {
	for _, t := range ws.takers {
		t.Unseat()
	}
}

// hire starts a worker.
func (ws *handling) hire() {
	background.Go(ws.base, workerName, func() { ws.work(ws.pool.join(nil)) }) // joined there: the caller holds a lock
}

// work is a worker's life: it runs jobs until it is not needed any more, or until
// its handler was given up on and another worker took its place.
func (ws *handling) work(w *worker) {
	w.goid = goroutineID()
	ws.jobs.come()
	returned := false
	defer func() {
		if returned {
			return
		}
		ws.unweigh(w)
		// The handler called runtime.Goexit, or what is around it panicked: this goroutine is
		// lost, and the message failed. A detached context: the handler's ended with it.
		if j := w.current.Load(); j != nil {
			err := errGoexit
			if p := recover(); p != nil {
				err = &handlers.PanicError{Value: p, Stack: debug.Stack()}
			}
			if ws.finish(context.WithoutCancel(ws.base), w, j, err) {
				ws.vacateRoom(w)
				ws.pool.start(ws.base, w, ws.work)
				return
			}
		}
		ws.clearHung(w) // it had been given up on before
	}()
	if ended := ws.runJobs(w); ended {
		ws.pool.quit(w)
	} else {
		ws.clearHung(w)
	}
	returned = true
}

// runJobs runs what comes until the worker is to end. It reports false when the
// watchdog has given up on a handler.
func (ws *handling) runJobs(w *worker) bool {
	for js := ws.jobs.pop(&ws.batching, ws.gate); js != nil; js = ws.jobs.pop(&ws.batching, ws.gate) {
		ws.occupy(w, ws.batching.size-len(js))
		ws.weigh(w, js) // first, since what may start is asked after each wait
		ours := ws.run(w, js)
		ws.unweigh(w)
		if !ours {
			return false
		}
		ws.vacateRoom(w)
	}
	return true
}

var errGoexit = errors.New("handler or codec called runtime.Goexit, which ends the worker's goroutine: return an error instead")

// run takes messages through decoding, the handler and their settlement. It reports false
// when the watchdog has given up on the handler meanwhile.
func (ws *handling) run(w *worker, js []*job) bool {
	kept, back := ws.startable(js)
	ws.settling.returned(back)
	if js = ws.shrunk(w, js, kept); len(js) == 0 {
		return true
	}
	if js = ws.shrunk(w, js, ws.notHanging(js)); len(js) == 0 {
		return true
	}
	if js = ws.shrunk(w, js, ws.enter(js)); len(js) == 0 {
		return true
	}
	first, now := js[0], time.Now()
	js, ours := ws.decodeAll(w, js, now)
	if !ours {
		return false
	}
	kept, late := stillOurs(js)
	left := len(kept) == 0 && !first.alone
	if left {
		ws.settling.exit(first) // before Redis is asked: a suspect may be waiting
	}
	ws.settling.returned(late)
	js = ws.shrunk(w, js, kept)
	js = ws.shrunk(w, js, ws.describeAll(js, now))
	if len(js) == 0 {
		if !left {
			ws.settling.exitSettled(ws.base, first)
		}
		return true
	}
	lead := js[0]
	if lead != first {
		lead.ctx.Begin(ws.base, deadlineOf(now, ws.policy.Timeout))
	}
	defer lead.ctx.End(nil)
	ctx, batch := ws.open(js, now)
	if ws.log.Enabled(ctx, slog.LevelDebug) {
		for _, j := range js {
			ws.log.DebugContext(ctx, "handler starts", j.named()...)
		}
	}
	lead.handledBefore, lead.failedBefore = ws.gate.Tally()
	w.current.Store(lead)
	ws.dog.watch()
	switch {
	case !lead.owned(): // fenced or lost before it could be seen running
		return ws.finish(ctx, w, lead, handlers.ErrLeaseLost)
	case batch == nil:
		return ws.finish(ctx, w, lead, ws.next(ctx, &lead.message))
	default:
		return ws.finish(ctx, w, lead, ws.nextBatch(ctx, batch))
	}
}

// watched puts a message, and the group it leads, under the watchdog's eyes before it is
// decoded: codecs are somebody's code too. What the watchdog then gives up on has no
// span yet, see traced.
func (ws *handling) watched(w *worker, j *job, now time.Time) {
	j.ctx.Begin(ws.base, deadlineOf(now, ws.policy.Timeout))
	if !j.started.Equal(now) {
		j.started = now
	}
	j.handledBefore, j.failedBefore = ws.gate.Tally()
	w.current.Store(j)
	ws.dog.watch()
}

// traced gives a single message a span that ended while it was decoded. It reports whether
// that was so.
func (ws *handling) traced(j *job) (decoding bool) {
	if j.group.span != nil {
		return false
	}
	m := ws.describe(j, j.serverTime(j.started))
	ws.tel.StartProcess(&j.ctx, &j.span, m, ws.origin(j), j.started)
	j.group.span = &j.span
	return true
}

// finish settles what the handler returned. It reports false where the watchdog
// did so before.
func (ws *handling) finish(ctx context.Context, w *worker, lead *job, err error) bool {
	if !w.current.CompareAndSwap(lead, nil) {
		return false
	}
	if !lead.alone {
		ws.settling.exitSettled(ctx, lead) // before Redis is asked: a suspect may be waiting
	}
	g := &lead.group
	if g.several() {
		ws.finishBatch(ctx, w, g, err)
		return true
	}
	ws.traced(lead) // where the codec ended the goroutine
	out := ws.outcome(ctx, lead, err)
	lead.span.Returned(out)
	ws.settling.settle(ctx, g.jobs, []handlers.Outcome{out})
	if lead.alone {
		ws.settling.exitSettled(ctx, lead)
	}
	return true
}

// finishBatch is finish for several messages: each has its own result, unless the batch
// failed as a whole. The worker keeps its room until all are settled, or each of them would
// make the intake fetch one.
func (ws *handling) finishBatch(ctx context.Context, w *worker, g *group, err error) {
	ws.occupy(w, len(g.jobs))
	errs, alone := handlers.SettleBatch(ctx, err, len(g.jobs))
	if alone {
		ws.repeatAlone(g, err)
		return
	}
	g.span.ReturnedBatch()
	outs := make([]handlers.Outcome, len(errs))
	for i, j := range g.jobs {
		outs[i] = ws.outcome(ctx, j, errs[i])
		j.span.Returned(outs[i])
	}
	ws.settling.settle(ctx, g.jobs, outs)
	g.span.EndBatch(outs, err)
}

func deadlineOf(now time.Time, timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return now.Add(timeout)
}
