package engine

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/handlers"
)

// hung gives up on a handler that did not end after its timeout and grace: its
// messages are retried, the goroutine is left behind. all has its stack.
func (ws *handling) hung(w *worker, lead *job, after time.Duration, all *dumpStacks) {
	if !w.current.CompareAndSwap(lead, nil) {
		return // it ended just now, and settles itself
	}
	if !lead.alone {
		ws.settling.exitSettled(ws.base, lead)
	}
	lead.hung, lead.toBlame = true, ws.toBlame(lead)
	ws.markHung(w, lead)
	ws.unweigh(w) // those that hang are bounded by their number
	g := &lead.group
	err := &handlers.TimeoutError{After: ws.policy.Timeout, Err: errHung}
	if g.span == nil {
		err.Err = errDecodeHung
	}
	if g.several() { // before the worker's successor looks for work
		ws.repeatAlone(g, err)
	}
	ws.vacateRoom(w)
	ws.pool.start(ws.base, w, ws.work)
	ws.tel.Zombies(context.WithoutCancel(ws.base), 1)
	ws.tel.Doubtful(context.WithoutCancel(ws.base), "hung", int64(len(g.jobs)))
	ws.log.Error("handler hangs past its timeout and grace: message retried, goroutine given up",
		lead.named("after", after, "messages", len(g.jobs), "stack", all.Of(w.goid))...)
	if g.several() {
		return
	}
	out := handlers.Classify(err)
	if ws.traced(lead) {
		out.CountsForBreaker = false // it says nothing about what handlers depend on
	}
	out = ws.judged(lead, out)
	lead.span.Returned(out)
	// Settling asks Redis: other handlers' time must not wait for it.
	background.Go(ws.base, "settle what hangs", func() {
		if lead.alone {
			defer ws.settling.exitSettled(ws.base, lead)
		}
		ws.settling.settle(context.WithoutCancel(ws.base), g.jobs, []handlers.Outcome{out})
	})
}

// toBlame reports whether a message may be the cause that its handler hangs: messages beside it
// were handled meanwhile, or there were none. Where there were and none was handled, what
// handlers depend on may be the cause.
func (ws *handling) toBlame(j *job) bool {
	handled, failed := ws.gate.Tally()
	if handled != j.handledBefore {
		return true
	}
	beside := failed != j.failedBefore
	ws.pool.running(func(*worker, *job) { beside = true })
	for _, z := range ws.pool.Hanging() {
		beside = beside || z.Since.After(j.started)
	}
	return !beside
}

func (j *job) hungHandler() hungHandler {
	h := hungHandler{ID: j.ID(), Digest: j.Digest(), Batch: j.group.several(), Attempt: j.msg.Failed + 1, Hangs: j.msg.Hung, Started: j.started, Since: time.Now()}
	if !h.Batch { // which of a batch hangs is not known
		h.Hangs++
	}
	return h
}

// markHung counts the worker's handler as hung. Where that makes too many, the intake
// closes, and a rest in Redis ends: a message that came now would wait here.
func (ws *handling) markHung(w *worker, j *job) {
	if n := ws.pool.GaveUp(&w.roomWorker, j.hungHandler()); n == ws.pool.MaxHung() {
		ws.log.Error("too many handlers hang: nothing is taken until some return; restart the process if they never do", "hung", n)
		ws.endRest()
	}
}

// clearHung ends the count of a hung handler that has returned. Once the engine has
// stopped the log is not told.
func (ws *handling) clearHung(w *worker) {
	z, left := ws.pool.CameBack(&w.roomWorker)
	if ws.settling.returning.Open() || z.Started.IsZero() { // or it was never counted
		return
	}
	ws.log.Warn("a handler that had been given up on has returned", "ran", time.Since(z.Started), "id", z.ID, "digest", z.Digest, "hung", left)
	if left == ws.pool.MaxHung()-1 {
		ws.log.Info("fewer handlers hang: messages are taken again")
	}
}

// crowded reports whether a message that came now would wait here: too many handlers
// hang, batches that are not full or messages of other partitions have all workers, or
// operators want fewer workers.
func (ws *handling) crowded() bool {
	return ws.pool.TooManyHung() || ws.suspects.Stalled() || ws.pool.Free() <= 0
}

var (
	errHung       = errors.New("handler did not return")
	errDecodeHung = errors.New("the codec did not return")
)
