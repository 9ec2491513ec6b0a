package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/handlers"
)

// workers handle the messages of a queue, in groups.
type workers struct {
	settler

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
func (ws *workers) endRest() {
	for _, t := range ws.takers {
		t.Unseat()
	}
}

// hire starts a worker.
func (ws *workers) hire() {
	background.Go(ws.base, handling, func() { ws.work(ws.pool.join(nil)) }) // joined there: the caller holds a lock
}

// work is a worker's life: it runs jobs until it is not needed any more, or until
// its handler was given up on and another worker took its place.
func (ws *workers) work(w *worker) {
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
func (ws *workers) runJobs(w *worker) bool {
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
func (ws *workers) run(w *worker, js []*job) bool {
	kept, back := ws.startable(js)
	ws.returned(back)
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
		ws.exit(first) // before Redis is asked: a suspect may be waiting
	}
	ws.returned(late)
	js = ws.shrunk(w, js, kept)
	js = ws.shrunk(w, js, ws.describeAll(js, now))
	if len(js) == 0 {
		if !left {
			ws.exitSettled(ws.base, first)
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
func (ws *workers) watched(w *worker, j *job, now time.Time) {
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
func (ws *workers) traced(j *job) (decoding bool) {
	if j.group.span != nil {
		return false
	}
	m := ws.describe(j, j.serverTime(j.started))
	ws.tel.StartProcess(&j.ctx, &j.span, m, ws.origin(j), j.started)
	j.group.span = &j.span
	return true
}

// returned gives messages back that were not started, in the order of the queue: those of
// each session in one script, which puts them before all others, so the last go first.
func (s *settler) returned(js []*job) {
	slices.SortFunc(js, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.msg.ID.Partition, b.msg.ID.Partition), cmp.Compare(a.seq, b.seq))
	})
	for end := len(js); end > 0; {
		begin := end - 1
		for begin > 0 && js[begin-1].session == js[end-1].session {
			begin--
		}
		ctx := context.WithoutCancel(s.base)
		s.giveBack(ctx, false, js[begin:end]...)
		s.tel.Released(ctx, int64(end-begin))
		s.unstarted(js[begin:end])
		end = begin
	}
}

// unstarted frees what messages have in this process that were not started.
func (s *settler) unstarted(js []*job) {
	for _, j := range js {
		if !j.handled {
			s.gate.GiveBack(j.permit) // a probe's slot, where Start was not asked
		}
		s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded}) // or where it said yes
		s.leave(j, false)
	}
}

// finish settles what the handler returned. It reports false where the watchdog
// did so before.
func (ws *workers) finish(ctx context.Context, w *worker, lead *job, err error) bool {
	if !w.current.CompareAndSwap(lead, nil) {
		return false
	}
	if !lead.alone {
		ws.exitSettled(ctx, lead) // before Redis is asked: a suspect may be waiting
	}
	g := &lead.group
	if g.several() {
		ws.finishBatch(ctx, w, g, err)
		return true
	}
	ws.traced(lead) // where the codec ended the goroutine
	out := ws.outcome(ctx, lead, err)
	lead.span.Returned(out)
	ws.settle(ctx, g.jobs, []handlers.Outcome{out})
	if lead.alone {
		ws.exitSettled(ctx, lead)
	}
	return true
}

// finishBatch is finish for several messages: each has its own result, unless the batch
// failed as a whole. The worker keeps its room until all are settled, or each of them would
// make the runner fetch one.
func (ws *workers) finishBatch(ctx context.Context, w *worker, g *group, err error) {
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
	ws.settle(ctx, g.jobs, outs)
	g.span.EndBatch(outs, err)
}

func deadlineOf(now time.Time, timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return now.Add(timeout)
}
