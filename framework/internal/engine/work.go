package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/stacks"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
)

// work is a worker's life: it runs jobs until the channel is closed, or until
// its handler was given up on and another worker took its place.
func (r *runner) work(w *worker) {
	w.goid = stacks.GoroutineID()
	returned := false
	defer func() {
		if returned {
			return
		}
		// The handler called runtime.Goexit: this goroutine is lost, and the
		// message failed. A detached context: the handler's ended with it.
		if j := w.current.Load(); j != nil && r.finish(context.WithoutCancel(r.base), w, j, errGoexit) {
			r.vacateRoom(w)
			r.pool.start(w, r.work)
			return
		}
		r.exorcise(w) // it had been given up on before
	}()
	if ended := r.runJobs(w); !ended {
		r.exorcise(w)
	}
	returned = true
}

// runJobs runs what comes until the queue is closed. It reports false when the
// watchdog has given up on a handler.
func (r *runner) runJobs(w *worker) bool {
	for js := r.jobs.pop(&r.batching, r.gate); js != nil; js = r.jobs.pop(&r.batching, r.gate) {
		r.occupy(w, r.batching.size-len(js))
		if !r.run(w, js) {
			return false
		}
		r.vacateRoom(w)
	}
	return true
}

var errGoexit = errors.New("handler or codec called runtime.Goexit, which ends the worker's goroutine: return an error instead")

// run takes messages through decoding, the handler and their settlement. It reports false
// when the watchdog has given up on the handler meanwhile.
func (r *runner) run(w *worker, js []*job) bool {
	if js = r.shrunk(w, js, r.startable(js)); len(js) == 0 {
		return true
	}
	if js = r.shrunk(w, js, r.enter(js)); len(js) == 0 {
		return true
	}
	first, now := js[0], time.Now()
	js, ours := r.decodeAll(w, js, now)
	if !ours {
		return false
	}
	js = r.shrunk(w, js, r.stillOurs(js))
	js = r.shrunk(w, js, r.describeAll(js, now))
	if len(js) == 0 {
		r.quit(r.base, first)
		return true
	}
	lead := js[0]
	if lead != first {
		lead.ctx.begin(r.base, deadlineOf(now, r.policy.Timeout))
	}
	defer lead.ctx.end(nil)
	ctx, batch := r.open(js, now)
	if r.log.Enabled(ctx, slog.LevelDebug) {
		for _, j := range js {
			r.log.DebugContext(ctx, "handler starts", j.named()...)
		}
	}
	w.current.Store(lead)
	r.dog.watch()
	switch {
	case !lead.owned(): // fenced or lost before it could be seen running
		return r.finish(ctx, w, lead, handlers.ErrLeaseLost)
	case batch == nil:
		return r.finish(ctx, w, lead, r.next(ctx, &lead.message))
	default:
		return r.finish(ctx, w, lead, r.nextBatch(ctx, batch))
	}
}

// watched puts a message, and the group it leads, under the watchdog's eyes before it is
// decoded: codecs are somebody's code too. What the watchdog then gives up on has no
// span yet, see traced.
func (r *runner) watched(w *worker, j *job, now time.Time) {
	j.ctx.begin(r.base, deadlineOf(now, r.policy.Timeout))
	if !j.started.Equal(now) {
		j.started = now
	}
	w.current.Store(j)
	r.dog.watch()
}

// traced gives a single message a span that ended while it was decoded. It reports whether
// that was so.
func (r *runner) traced(j *job) (decoding bool) {
	if j.group.span != nil {
		return false
	}
	m := r.describe(j, nil, j.serverTime(j.started)) // its codec may still write j.value
	_, j.span = r.tel.StartProcess(&j.ctx, m, r.origin(j, nil), j.started)
	j.group.span = &j.span
	return true
}

// returned gives messages back that were not started, those of each session in one script.
func (r *runner) returned(js []*job) {
	for len(js) > 0 {
		n := 1
		for n < len(js) && js[n].session == js[0].session {
			n++
		}
		ctx := context.WithoutCancel(r.base)
		r.giveBack(ctx, false, js[:n]...)
		r.tel.Released(ctx, int64(n))
		r.unstarted(js[:n])
		js = js[n:]
	}
}

// unstarted frees what messages have in this process that were not started.
func (r *runner) unstarted(js []*job) {
	for _, j := range js {
		if !j.handled {
			r.gate.GiveBack(j.permit) // a probe's slot, where Start was not asked
		}
		r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded}) // or where it said yes
		r.leave(j, false)
	}
}

// finish settles what the handler returned. It reports false where the watchdog
// did so before.
func (r *runner) finish(ctx context.Context, w *worker, lead *job, err error) bool {
	if !w.current.CompareAndSwap(lead, nil) {
		return false
	}
	if !lead.alone {
		r.quit(ctx, lead) // before Redis is asked: a suspect may be waiting
	}
	g := &lead.group
	if g.several() {
		r.finishBatch(ctx, w, g, err)
		return true
	}
	r.traced(lead) // where the codec ended the goroutine
	out := r.outcome(ctx, lead, err)
	lead.span.Returned(out)
	r.settle(ctx, g.jobs, []handlers.Outcome{out})
	if lead.alone {
		r.quit(ctx, lead)
	}
	return true
}

// finishBatch is finish for several messages: each has its own result, unless the batch
// failed as a whole. The worker keeps its room until all are settled, or each of them would
// make the runner fetch one.
func (r *runner) finishBatch(ctx context.Context, w *worker, g *group, err error) {
	r.occupy(w, len(g.jobs))
	errs, alone := handlers.SettleBatch(ctx, err, len(g.jobs))
	if alone {
		r.repeatAlone(g, err)
		return
	}
	g.span.ReturnedBatch()
	outs := make([]handlers.Outcome, len(errs))
	for i, j := range g.jobs {
		outs[i] = r.outcome(ctx, j, errs[i])
		j.span.Returned(outs[i])
	}
	r.settle(ctx, g.jobs, outs)
	g.span.EndBatch(outs, err)
}

func deadlineOf(now time.Time, timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return now.Add(timeout)
}

// decodeSafely survives a codec that panics: its message is undecodable.
func (r *runner) decodeSafely(body []byte) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &handlers.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return r.decode(body)
}

// undecodable sends a payload to the dead store; the tenth in a row closes the
// intake instead and takes the row back to the head: a wrong codec was deployed. Those
// that stand behind it in its batch then go back too, which undecodable reports.
func (r *runner) undecodable(j *job, err error, behind ...*job) (closed bool) {
	defer r.leave(j, false)
	ctx := context.WithoutCancel(r.base)
	begins, detail := "they begin with "+beginning(j.msg.Body), errText(err)
	if text := r.explain(j.msg.Body, r.codec); text != "" {
		begins, detail = begins+" and look like "+text, detail+"; payload looks like "+text
	}
	verdict := r.gate.Undecodable(j.permit, begins)
	defer r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: err})
	if verdict == gate.GiveBack {
		r.giveBack(ctx, false, append([]*job{j}, behind...)...)
		r.tel.Released(ctx, int64(1+len(behind)))
		r.unstarted(behind)
		return true
	}
	if verdict == gate.RestoreRow {
		r.returned(behind) // before the row, which thus comes to stand before them
	}
	done := r.store(ctx, j, handlers.ReasonUndecodable, detail, false)
	if done.Cancelled {
		r.tel.Cancelled(ctx, telemetry.CancelledInFlight, 1)
		r.endCancelled(ctx, j, err)
	}
	line := append(j.failure(err), "reason", handlers.ReasonUndecodable, "detail", detail, "entry", done.Entry)
	r.row.Add(j.seq, done.Entry, func() {
		r.tel.Dead(ctx, handlers.ReasonUndecodable, 1)
		r.log.ErrorContext(ctx, "message moved to the dead store: it cannot be decoded", line...)
	})
	if verdict == gate.Bury && r.gate.Snapshot().Decode == gate.Closed {
		return false
	}
	// The row is full, or was filled by another worker while this one was burying.
	entries, told := r.row.Take()
	if verdict == gate.RestoreRow {
		r.log.ErrorContext(ctx, "payloads in a row could not be decoded: is the right codec deployed? They go back to the head of the queue, and nothing is taken from it until one can be decoded",
			"messages", len(entries), "told_dead", told, "codec", r.codec, "payloads", begins, "err", err)
	}
	r.persist(ctx, "restore", func(ctx context.Context) error {
		_, err := j.session.Restore(ctx, entries)
		return err
	})
	return verdict == gate.RestoreRow
}

// hung gives up on a handler that did not end after its timeout and grace: its
// messages are retried, the goroutine stays behind as a zombie. all has its stack.
func (r *runner) hung(w *worker, lead *job, after time.Duration, all *stacks.Dump) {
	if !w.current.CompareAndSwap(lead, nil) {
		return // it ended just now, and settles itself
	}
	if !lead.alone {
		r.quit(r.base, lead)
	}
	r.haunt(w, lead)
	g := &lead.group
	err := &handlers.TimeoutError{After: r.policy.Timeout, Err: errHung}
	if g.span == nil {
		err.Err = errDecodeHung
	}
	if g.several() { // before the worker's successor looks for work
		r.repeatAlone(g, err)
	}
	r.vacateRoom(w)
	r.pool.start(w, r.work)
	r.tel.Zombies(context.WithoutCancel(r.base), 1)
	r.tel.Doubtful(context.WithoutCancel(r.base), "hung", int64(len(g.jobs)))
	r.log.Error("handler hangs past its timeout and grace: message retried, goroutine given up",
		lead.named("after", after, "messages", len(g.jobs), "stack", all.Of(w.goid))...)
	if g.several() {
		return
	}
	out := handlers.Classify(err)
	if r.traced(lead) {
		out.CountsForBreaker = false // it says nothing about what handlers depend on
	}
	out = r.judged(lead, out)
	lead.span.Returned(out)
	// Settling asks Redis: other handlers' time must not wait for it.
	go func() {
		r.settle(context.WithoutCancel(r.base), g.jobs, []handlers.Outcome{out})
		if lead.alone {
			r.quit(r.base, lead)
		}
	}()
}

var (
	errHung       = errors.New("handler did not return")
	errDecodeHung = errors.New("the codec did not return")
)
