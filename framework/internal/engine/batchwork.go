package engine

import (
	"context"
	"runtime"
	"time"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
)

// batch is a running batch of several messages. One of a single message is run as
// single handlers run it.
type batch struct {
	jobs []*job // the first one is the worker's current
	span telemetry.Processing
}

// inBatches sets the runner up for a batch handler; nil leaves it to single messages.
func (r *runner) inBatches(next handlers.BatchNext) {
	if next == nil {
		return
	}
	r.batching = &batching{size: r.own.BatchSize, wait: r.own.BatchWait}
	r.nextBatch = handlers.ChainBatch(next, handlers.RecoverBatch())
	r.pool.extra = r.own.Room() - r.own.Workers
}

// runBatches is the life of a worker of a batch handler. It reports false when the
// watchdog gave up on the handler.
func (r *runner) runBatches(w *worker) bool {
	for js := r.jobs.popBatch(r.batching, r.gate); js != nil; js = r.jobs.popBatch(r.batching, r.gate) {
		r.occupy(w, r.batching.size-len(js))
		if len(js) == 1 {
			if !r.run(w, js[0]) {
				return false
			}
		} else if !r.runBatch(w, js) {
			return false
		}
		r.vacateRoom(w)
	}
	return true
}

// occupy takes n more of the room that a full batch has, so that no message is
// fetched for a worker that is busy.
func (r *runner) occupy(w *worker, n int) {
	w.reserved += n
	if full := r.pool.reserve(n); !full {
		return
	}
	if end := r.endRest.Load(); end != nil {
		(*end)() // what came now would wait here
	}
}

// letStart lets workers begin with what was fetched before the runner rests: only
// then it is known whether there is room for more.
func (r *runner) letStart() {
	if r.batching == nil {
		return
	}
	for tries := 0; tries < 100 && !r.jobs.taken(); tries++ {
		runtime.Gosched()
	}
}

// vacateRoom gives the room of a worker back whose batch has ended.
func (r *runner) vacateRoom(w *worker) {
	if n := w.reserved; n != 0 {
		w.reserved = 0
		r.pool.reserve(-n)
	}
}

// runBatch takes messages through decoding, the handler and their settlement. It
// reports false when the watchdog has given up on the handler meanwhile.
func (r *runner) runBatch(w *worker, js []*job) bool {
	js = r.shrink(w, js, r.startableOf)
	if len(js) == 0 {
		return true
	}
	if js = r.shrink(w, js, r.enterBatch); len(js) == 0 {
		return true
	}
	now := time.Now()
	js, ours := r.decodeBatch(w, js, now)
	if !ours {
		return false
	}
	js = r.shrink(w, js, r.oursOf)
	js = r.shrink(w, js, func(js []*job) []*job { return r.describeBatch(js, now) })
	if len(js) == 0 {
		r.lane.leave()
		return true
	}
	lead := js[0]
	lead.ctx.begin(r.base, deadlineOf(now, r.policy.Timeout))
	defer lead.ctx.end(nil)
	ctx, ms := r.open(js, now)
	w.current.Store(lead)
	r.dog.watch()
	if !lead.owned() { // fenced or lost before it could be seen running
		return r.finish(ctx, w, lead, handlers.ErrLeaseLost)
	}
	if len(js) == 1 {
		return r.finish(ctx, w, lead, r.next(ctx, ms[0]))
	}
	return r.finish(ctx, w, lead, r.nextBatch(ctx, ms))
}

// shrink takes messages out of a batch that is not running yet; the worker keeps
// their room.
func (r *runner) shrink(w *worker, js []*job, step func([]*job) []*job) []*job {
	kept := step(js)
	r.occupy(w, len(js)-len(kept))
	return kept
}

// startableOf returns the messages that may start. Where the intake has closed since
// the take the others go back to the head together with those that wait behind them,
// in one script that keeps their order.
func (r *runner) startableOf(js []*job) []*job {
	var kept, back []*job
	for _, j := range js {
		if j.begun = r.admits(j); j.begun {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	if len(back) == 0 {
		return kept
	}
	for j := r.jobs.tryPop(); j != nil; j = r.jobs.tryPop() {
		if j.begun = r.admits(j); j.begun { // of a later take, when the intake was open again
			r.jobs.unpop([]*job{j})
			break
		}
		back = append(back, j)
	}
	r.returnedBySession(back)
	return kept
}

// oursOf returns the messages that are this process's still, see job.ours.
func (r *runner) oursOf(js []*job) []*job {
	var kept, back []*job
	now := time.Now()
	for _, j := range js {
		if j.ours(now) {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	r.returnedBySession(back)
	return kept
}

// returnedBySession gives messages back, those of each session in one script.
func (r *runner) returnedBySession(back []*job) {
	for len(back) > 0 {
		n := 1
		for n < len(back) && back[n].holder == back[0].holder {
			n++
		}
		r.returned(back[:n])
		back = back[n:]
	}
}

// enterBatch waits while a suspect runs alone in this process.
func (r *runner) enterBatch(js []*job) []*job {
	switch r.lane.enter(r.base.Done()) {
	case entered:
		return js
	case waited:
		kept := r.startableOf(js)
		if len(kept) == 0 {
			r.lane.leave()
		}
		return kept
	case later, refused:
	}
	r.returned(js)
	return nil
}

// decodeBatch returns the messages that can be decoded; the others go to the dead
// store, one by one in the order of the queue, for their row is counted. The worker
// keeps their room. ours is false when the watchdog has given up on the codec.
func (r *runner) decodeBatch(w *worker, js []*job, now time.Time) (kept []*job, ours bool) {
	lead, bad := js[0], 0
	if len(js) > 1 {
		lead.batch = &batch{jobs: js}
	}
	r.watched(w, lead, now)
	for _, j := range js {
		if j.message.Value, j.garbled = r.decodeSafely(j.msg.Body); j.garbled != nil {
			bad++
		}
	}
	if !w.current.CompareAndSwap(lead, nil) {
		return nil, false
	}
	lead.batch = nil
	r.occupy(w, bad) // first, or the runner would fetch one for each
	for i, j := range js {
		if j.garbled != nil {
			if r.undecodable(j, j.garbled, js[i+1:]...) {
				break
			}
			continue
		}
		r.gate.Decoded(j.permit)
		r.row.clear()
		kept = append(kept, j)
	}
	r.occupy(w, len(js)-len(kept)-bad)
	return kept, true
}

// describeBatch fills in what the handler may know. Messages that come too late for
// the handler leave the batch: they run by themselves, where that is found again.
func (r *runner) describeBatch(js []*job, now time.Time) []*job {
	kept := js[:0:0]
	var stale []*job
	for _, j := range js {
		if !j.started.Equal(now) { // the watchdog may still look at the one that led
			j.started = now
		}
		m := j.describe(j.message.Value, j.serverTime(now))
		if r.stale(m) != nil {
			stale = append(stale, j.repeat(false))
			continue
		}
		kept = append(kept, j)
	}
	if len(stale) > 0 {
		r.jobs.unpop(stale)
	}
	return kept
}

// open starts the span of the batch. A batch that has shrunk to one message has the
// span of a single one.
func (r *runner) open(js []*job, now time.Time) (context.Context, []*handlers.Message) {
	lead := js[0]
	ms := make([]*handlers.Message, len(js))
	if len(js) == 1 {
		ms[0] = &lead.message
		ctx, span := r.tel.StartProcess(&lead.ctx, ms[0], lead.origin(ms[0].Value), now)
		lead.span = span
		return ctx, ms
	}
	origins := make([]telemetry.Origin, len(js))
	for i, j := range js {
		ms[i], origins[i] = &j.message, j.origin(j.message.Value)
	}
	ctx, span := r.tel.StartBatch(&lead.ctx, ms, origins, now)
	for i, j := range js {
		j.span = span.Item(ms[i])
	}
	lead.batch = &batch{jobs: js, span: span}
	return ctx, ms
}

// finishBatch settles what a batch handler returned. The worker keeps its room until
// all messages are settled, or each of them would make the runner fetch one.
func (r *runner) finishBatch(ctx context.Context, w *worker, b *batch, err error) {
	r.occupy(w, len(b.jobs))
	if errs, alone := handlers.SettleBatch(ctx, err, len(b.jobs)); !alone {
		r.settleBatch(ctx, b, err, errs)
		return
	}
	r.repeatAlone(b, err)
}

// settleBatch settles each message by its own result. Those that failed are offered
// again together, and those that were interrupted go back together, in their order.
func (r *runner) settleBatch(ctx context.Context, b *batch, err error, errs []error) {
	b.span.ReturnedBatch()
	outs := make([]handlers.Outcome, len(b.jobs))
	for i, j := range b.jobs {
		outs[i] = r.outcome(ctx, j, errs[i])
		j.span.Returned(outs[i])
	}
	var released []*job
	var retried []*retrial
	for i, j := range b.jobs {
		switch outs[i].Kind {
		case handlers.Released:
			released = append(released, j)
		case handlers.Retried:
			retried = append(retried, r.retrial(j, outs[i]))
		case handlers.Done, handlers.Rejected:
			r.settle(ctx, j, outs[i])
		}
	}
	r.retryBatch(ctx, retried)
	r.releaseBatch(ctx, released, handlers.Outcome{Kind: handlers.Released, Err: err})
	b.span.EndBatch(outs, err)
}

// retryBatch offers messages again, those of each session in one round trip.
func (r *runner) retryBatch(ctx context.Context, all []*retrial) {
	ctx = context.WithoutCancel(ctx)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].job.holder == all[0].job.holder {
			n++
		}
		r.retryAll(ctx, all[:n])
		for _, t := range all[:n] {
			t.job.span.End(t.out)
			r.leave(t.job, false)
		}
		all = all[n:]
	}
}

// releaseBatch gives interrupted messages back to the head of the queue.
func (r *runner) releaseBatch(ctx context.Context, js []*job, out handlers.Outcome) {
	if len(js) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	r.giveBack(ctx, true, js...)
	for _, j := range js {
		r.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: out.Err})
		j.span.Released(handlers.ErrorType(out.Err))
		j.span.End(out)
		r.leave(j, false)
	}
}

// repeatAlone lets each message of a batch that failed as a whole run again by
// itself, before all others: nobody is charged until it is known who is to blame.
func (r *runner) repeatAlone(b *batch, err error) {
	handled := b.span.Started()
	if handled {
		b.span.Alone(err)
	}
	again := make([]*job, len(b.jobs))
	longest := time.Duration(0)
	for i, j := range b.jobs {
		again[i] = j.repeat(handled)
		longest = max(longest, r.retryDelay(j, handlers.Outcome{Kind: handlers.Retried}))
	}
	r.log.Warn("batch failed as a whole: each of its messages runs again by itself, none is charged for it",
		"messages", len(b.jobs), "err", errText(err))
	// What is to blame fails again and comes back after this time.
	r.batching.beWary(2*longest + time.Minute)
	r.jobs.unpop(again)
}

// repeat returns the message as a new job that runs by itself; whoever had the old
// one may hold it still. handled says that a handler had it.
func (j *job) repeat(handled bool) *job {
	msg := *j.msg
	if handled {
		msg.Delivered++
	}
	return &job{
		runner: j.runner, holder: j.holder, msg: &msg, permit: j.permit, seq: j.seq, losses: j.losses,
		begun: true, again: true, handled: handled,
	}
}

// leaveBatchBehind gives a running batch back at the end of a drain. It returns how
// many messages that are.
func (r *runner) leaveBatchBehind(b *batch, out handlers.Outcome) int {
	if !b.span.Started() { // the codec hangs
		r.returned(b.jobs)
		return len(b.jobs)
	}
	r.releaseBatch(r.base, b.jobs, out)
	b.span.EndBatch([]handlers.Outcome{out}, out.Err)
	return len(b.jobs)
}
