package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
)

// work is a worker's life: it runs jobs until the channel is closed, or until
// its handler was given up on and another worker took its place.
func (r *runner) work(w *worker) {
	w.goid = goroutineID()
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
	if r.batching != nil {
		return r.runBatches(w)
	}
	for j := r.jobs.pop(); j != nil; j = r.jobs.pop() {
		if !r.run(w, j) {
			return false
		}
	}
	return true
}

var errGoexit = errors.New("handler or codec called runtime.Goexit, which ends the worker's goroutine: return an error instead")

// run takes one message through decoding, the handler and its settlement.
// It reports false when the watchdog has given up on the handler meanwhile.
func (r *runner) run(w *worker, j *job) bool {
	if j = r.startable(j); j == nil || !r.enter(j) {
		return true
	}
	now := time.Now()
	r.watched(w, j, now)
	defer j.ctx.end(nil)
	value, err := r.decodeSafely(j.msg.Body)
	if !w.current.CompareAndSwap(j, nil) {
		return false
	}
	if err != nil {
		r.undecodable(j, err)
		r.quit(r.base, j)
		return true
	}
	r.gate.Decoded(j.permit)
	r.row.clear()
	if !j.ours(time.Now()) {
		r.retreat(j)
		return true
	}

	m := j.describe(value, j.serverTime(now))
	ctx, span := r.tel.StartProcess(&j.ctx, m, j.origin(value), now)
	j.span = span
	if r.log.Enabled(ctx, slog.LevelDebug) {
		r.log.DebugContext(ctx, "handler starts", j.named()...)
	}
	w.current.Store(j)
	r.dog.watch()
	if !j.owned() { // fenced or lost before it could be seen running
		return r.finish(ctx, w, j, handlers.ErrLeaseLost)
	}
	return r.finish(ctx, w, j, r.next(ctx, m))
}

// watched puts a message, and the batch it leads, under the watchdog's eyes before it is
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

// traced gives a message a span that ended while it was decoded. It reports whether
// that was so.
func (r *runner) traced(j *job) (decoding bool) {
	if j.span.Started() {
		return false
	}
	m := j.describe(nil, j.serverTime(j.started))
	_, j.span = r.tel.StartProcess(&j.ctx, m, j.origin(nil), j.started)
	return true
}

// startable returns the message if it may start. Otherwise the intake has closed
// since the take: it goes back to the head together with those that wait behind it,
// in one script that keeps their order. The first one behind it that may start, a
// probe of a later take, is returned.
func (r *runner) startable(j *job) *job {
	var back []*job
	for j != nil && !r.admits(j) {
		if len(back) > 0 && back[0].holder != j.holder {
			r.returned(back)
			back = nil
		}
		back = append(back, j)
		j = r.jobs.tryPop()
	}
	r.returned(back)
	return j
}

// admits reports whether the message may start now. The gate is asked once about a
// probe, which may come here again.
func (r *runner) admits(j *job) bool {
	if !j.owned() || r.parking.open() {
		return false
	}
	return j.begun && j.permit.Probe() || r.gate.Start(j.permit)
}

// enter waits until the message may run beside what runs in this process now. It
// reports false where it may not: then it is settled.
func (r *runner) enter(j *job) bool {
	var how entry
	if j.alone {
		how = r.lane.enterAlone(r.base.Done())
	} else if how = r.lane.enter(r.base.Done()); how == entered {
		return true
	}
	// The intake may have closed meanwhile. A probe has started already.
	may := j.ours(time.Now()) && !r.parking.open() && (j.permit.Probe() || r.gate.Start(j.permit))
	switch how {
	case entered, waited:
		if may && r.begin(j) {
			return true
		}
		r.leaveSolo(j)
	case later:
		if may && j.alone {
			r.postpone(j)
			return false
		}
	case refused:
	}
	r.returned([]*job{j})
	return false
}

// retreat gives a message back that has entered and whose handler must not start.
func (r *runner) retreat(j *job) {
	if j.alone {
		defer r.quit(r.base, j)
	} else {
		r.quit(r.base, j) // before Redis is asked: a suspect may be waiting
	}
	r.returned([]*job{j})
}

// returned gives messages back that were not started.
func (r *runner) returned(js []*job) {
	if len(js) == 0 {
		return
	}
	ctx := context.WithoutCancel(r.base)
	r.giveBack(ctx, false, js...)
	r.tel.Released(ctx, int64(len(js)))
	r.unstarted(js)
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
func (r *runner) finish(ctx context.Context, w *worker, j *job, err error) bool {
	if !w.current.CompareAndSwap(j, nil) {
		return false
	}
	if !j.alone {
		r.quit(ctx, j) // before Redis is asked: a suspect may be waiting
	}
	if j.batch != nil {
		r.finishBatch(ctx, w, j.batch, err)
		return true
	}
	r.traced(j) // where the codec ended the goroutine
	out := r.outcome(ctx, j, err)
	j.span.Returned(out)
	r.settle(ctx, j, out)
	if j.alone {
		r.quit(ctx, j)
	}
	return true
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
	r.row.add(j.seq, done.Entry, func() {
		r.tel.Dead(ctx, handlers.ReasonUndecodable, 1)
		r.log.ErrorContext(ctx, "message moved to the dead store: it cannot be decoded", line...)
	})
	if verdict == gate.Bury && r.gate.Snapshot().Decode == gate.Closed {
		return false
	}
	// The row is full, or was filled by another worker while this one was burying.
	entries, told := r.row.take()
	if verdict == gate.RestoreRow {
		r.log.ErrorContext(ctx, "payloads in a row could not be decoded: is the right codec deployed? They go back to the head of the queue, and nothing is taken from it until one can be decoded",
			"messages", len(entries), "told_dead", told, "codec", r.codec, "payloads", begins, "err", err)
	}
	r.persist(ctx, "restore", func(ctx context.Context) error {
		_, err := j.holder.sess.Restore(ctx, entries)
		return err
	})
	return verdict == gate.RestoreRow
}

// hung gives up on a handler that did not end after its timeout and grace: the
// message is retried, the goroutine stays behind as a zombie. all has its stack.
func (r *runner) hung(w *worker, j *job, after time.Duration, all *stacks) {
	if !w.current.CompareAndSwap(j, nil) {
		return // it ended just now, and settles itself
	}
	if !j.alone {
		r.quit(r.base, j)
	}
	r.haunt(w, j)
	err := &handlers.TimeoutError{After: r.policy.Timeout, Err: errHung}
	if j.decoding() {
		err.Err = errDecodeHung
	}
	if j.batch != nil { // before the worker's successor looks for work
		r.repeatAlone(j.batch, err)
	}
	r.vacateRoom(w)
	r.pool.start(w, r.work)
	r.tel.Zombies(context.WithoutCancel(r.base), 1)
	r.tel.Doubtful(context.WithoutCancel(r.base), "hung", j.count())
	r.log.Error("handler hangs past its timeout and grace: message retried, goroutine given up",
		j.named("after", after, "messages", j.count(), "stack", all.of(w.goid))...)
	if j.batch != nil {
		return
	}
	out := handlers.Classify(err)
	if r.traced(j) {
		out.CountsForBreaker = false // it says nothing about what handlers depend on
	}
	out = r.judged(j, out)
	j.span.Returned(out)
	// Settling asks Redis: other handlers' time must not wait for it.
	go func() {
		r.settle(context.WithoutCancel(r.base), j, out)
		if j.alone {
			r.quit(r.base, j)
		}
	}()
}

var (
	errHung       = errors.New("handler did not return")
	errDecodeHung = errors.New("the codec did not return")
)
