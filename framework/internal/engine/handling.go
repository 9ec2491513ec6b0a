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
	"github.com/duequeue/duequeue/framework/internal/telemetry"
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

var errGoexit = errors.New("handler or codec called runtime.Goexit, which ends the worker's goroutine: return an error instead")

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

// shrunk notes that messages have left a group that is not running yet; the worker keeps
// their room.
func (ws *handling) shrunk(w *worker, js, kept []*job) []*job {
	ws.occupy(w, len(js)-len(kept))
	return kept
}

// startable returns the messages that may start, and those that are to go back. Where the
// intake has closed since the take these are the others together with those that wait
// behind them, so that one script keeps their order.
func (ws *handling) startable(js []*job) (kept, back []*job) {
	kept = js[:0]
	for _, j := range js {
		if j.begun = ws.admits(j); j.begun {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	if len(back) == 0 {
		return kept, nil
	}
	for j := ws.jobs.tryPop(); j != nil; j = ws.jobs.tryPop() {
		if j.begun = ws.admits(j); j.begun { // of a later take, when the intake was open again
			ws.jobs.unpop([]*job{j})
			break
		}
		back = append(back, j)
	}
	return kept, back
}

// admits reports whether the message may start now. The gate is asked once about a
// probe, which may come here again.
func (ws *handling) admits(j *job) bool {
	if !j.owned() || ws.settling.returning.Open() {
		return false
	}
	return j.begun && j.permit.Probe() || ws.gate.Start(j.permit)
}

// stillOurs returns the messages that are this process's still, see job.ours, and those
// that are to go back.
func stillOurs(js []*job) (kept, back []*job) {
	kept = js[:0]
	now := time.Now()
	for _, j := range js {
		if j.ours(now) {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	return kept, back
}

// notHanging returns the messages of a group whose handlers do not hang in this process. A
// second call of one would most likely hang too, and cost another worker.
func (ws *handling) notHanging(js []*job) []*job {
	kept := js[:0]
	for _, j := range js {
		if delay, hangs := ws.pool.Postpone(j.ID); hangs {
			if ws.settling.postpone(j, delay) {
				ws.log.Warn("message postponed: its handler hangs in this process, other processes have it first", j.named("delay", delay)...)
			}
			continue
		}
		kept = append(kept, j)
	}
	return kept
}

// Enter waits until messages may run beside what runs in this process now. What it does
// not return is settled. The gate is asked again after a wait, which may be long.
func (ws *handling) enter(js []*job) []*job {
	lead := js[0]
	var how entry
	if lead.alone {
		how = ws.suspects.EnterAlone(ws.base.Done())
	} else {
		how = ws.suspects.Enter(ws.base.Done())
	}
	switch how {
	case entered:
		return js
	case waited:
		ours, late := stillOurs(js)
		kept, back := ws.startable(ours)
		back = append(late, back...)
		if len(kept) > 0 && ws.settling.begin(lead) {
			ws.settling.returned(back)
			return kept
		}
		ws.settling.exit(lead) // before Redis is asked: others may go on meanwhile
		ws.settling.returned(append(back, kept...))
		return nil
	case enterLater:
		if lead.alone && lead.ours(time.Now()) && ws.admits(lead) {
			delay := ws.suspects.Postponement()
			if ws.settling.postpone(lead, delay) {
				ws.suspects.Postponed(lead.Digest(), delay)
				ws.log.Warn("suspect postponed: it must run alone, and the other queues of this process have their time first",
					lead.named("delay", delay)...)
			}
			return nil
		}
	case refused:
	}
	ws.settling.returned(js)
	return nil
}

// decoded is what a codec made of a payload.
type decoded struct {
	value any
	err   error
}

// decodeAll returns the messages that can be decoded; the others go to the dead
// store, one by one in the order of the queue: those in a row are counted. The worker
// keeps their room. ours is false when the watchdog has given up on the codec.
func (ws *handling) decodeAll(w *worker, js []*job, now time.Time) (kept []*job, ours bool) {
	lead, bad := js[0], 0
	lead.group.jobs = js
	ws.watched(w, lead, now)
	w.decoded = w.decoded[:0]
	for _, j := range js {
		value, err := ws.decodeSafely(j.msg.Body)
		w.decoded = append(w.decoded, decoded{value, err})
		if err != nil {
			bad++
		}
	}
	if !w.current.CompareAndSwap(lead, nil) {
		return nil, false
	}
	several := len(js) > 1
	if several {
		ws.occupy(w, bad) // first, or the intake would fetch one for each
	}
	defer clear(w.decoded)
	kept = js[:0]
	for i, j := range js {
		if err := w.decoded[i].err; err != nil {
			if ws.undecodable(j, err, js[i+1:]...) {
				break
			}
			continue
		}
		j.message.Value = w.decoded[i].value
		if !ws.decodes.Load() {
			ws.decodes.Store(true)
		}
		if ws.gate.Decoded(j.permit) {
			ws.undecoded.Clear()
		}
		kept = append(kept, j)
	}
	if several {
		ws.occupy(w, len(js)-len(kept)-bad)
	}
	ws.lighten(w, kept)
	return kept, true
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

// decodeSafely survives a codec that panics: its message is undecodable.
func (ws *handling) decodeSafely(body []byte) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &handlers.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return ws.decode(body)
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

func deadlineOf(now time.Time, timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return now.Add(timeout)
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

// endRest ends the takers' waits in Redis: what came now would wait here.
func (ws *handling) endRest() {
	for _, t := range ws.takers {
		t.Unseat()
	}
}
