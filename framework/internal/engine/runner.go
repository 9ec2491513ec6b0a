package engine

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lease"
)

// A runner that its own watcher has just served expects more from it: it waits
// a moment for the watcher's signal before it asks Redis to block.
const (
	servedRecently = 50 * time.Millisecond
	localWait      = 20 * time.Millisecond
)

// runner is one queue in this process. Its goroutine asks the gate, takes, hands
// to the workers and rests when there is nothing to do. It is built in layers, of which
// each knows those below alone: a queue is what all need, a settler tells Redis what became
// of messages, workers handle them, and the runner takes.
type runner struct {
	workers

	wake       chan struct{} // capacity 1: something changed, look again
	seq        uint64        // messages taken; of the runner's goroutine, as is:
	staged     bool          // a blocking move may have brought something since the last take
	ready      int           // messages before the last probe
	lastServed atomic.Int64  // by the watcher
	trouble    trouble.State // why the take does not work now
	untilWait  atomic.Bool   // the trouble is of the wait: a take that finds nothing does not end it
}

// signal wakes the runner if it rests here; in Redis, see interrupt.
func (r *runner) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// served is called by the watcher when messages of this queue are ready.
func (r *runner) served() {
	r.lastServed.Store(time.Now().UnixNano())
	r.signal()
}

// gateChanged is called by the gate: a rest in Redis must end when the intake
// closes.
func (r *runner) gateChanged(c gate.Change) {
	r.logGate(c)
	r.signal()
	if c.To == gate.Open {
		r.endRest()
	}
}

// loop runs until ctx ends. No message is popped after that.
func (r *runner) loop(ctx context.Context) {
	defer close(r.done)
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for r.awaitFree(ctx) {
		want := r.settledFree()
		if want <= 0 { // a batch that is not full has just taken the room
			continue
		}
		permits, verdict := r.gate.Acquire(want)
		if permits.Len() == 0 {
			r.awaitGate(ctx, verdict)
			continue
		}
		asked := permits.Len()
		var held time.Duration // for which only what was not tried yet is taken
		if permits.Probe() {
			held = r.pace.Wait(time.Now(), r.gate.TrippedAt(), r.sessions.Processes())
		}
		got, err := r.fetch(ctx, &permits, held > 0)
		resting := err == nil && got < asked
		switch {
		case resting && held > 0: // a rest in Redis would bring what must wait
			r.hold(ctx, held)
		case resting:
			err = r.rest(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.untilWait.Store(resting && trouble.Answered(err))
			r.complain(ctx, err)
			r.pause(ctx, b.Next())
			continue
		}
		b.Reset()
	}
}

// fetch takes up to as many messages as there are permits and hands them to
// the workers; with held one at most, that was not tried yet.
func (r *runner) fetch(ctx context.Context, permits *gate.Permits, held bool) (int, error) {
	defer permits.Release()
	sess := r.sessions.Current()
	before := sess.LeaseValidUntil()
	acks := sess.Acks.Drain()
	var batch lease.Batch
	var err error
	if permits.Probe() {
		batch, err = sess.Probe(ctx, held, acks)
		r.ready = batch.Ready
		r.pace.Saw(batch.Ready)
	} else {
		batch, err = sess.Take(ctx, permits.Len(), acks)
	}
	if err != nil {
		sess.Acks.PutBack(acks)
		if errors.Is(err, lease.ErrAbandoned) {
			err = errors.Join(err, r.replaceSession()) //nolint:contextcheck // the session outlives this take
		}
		return 0, err
	}
	sess.Acks.Sent(acks)
	r.sessions.Acked(sess)
	r.staged = false
	if batch.Lost && !sess.Gone(before) {
		r.sessions.Lost(ctx, sess)
	}
	r.buried(ctx, batch.Buried)
	n := len(batch.Messages)
	if n > 0 || !r.untilWait.Load() {
		r.recovered(ctx)
	}
	if n == 0 {
		return 0, nil
	}
	r.pool.enter(n)
	sess.Hold(n)
	jobs := make([]job, n)
	losses, arrived := sess.Losses(), r.batching.arrival()
	for i := range jobs {
		r.seq++
		p, _ := permits.Next()
		j := &jobs[i]
		j.session, j.msg, j.permit = sess, &batch.Messages[i], p
		j.seq, j.losses, j.alone, j.started = r.seq, losses, batch.Suspect, arrived
	}
	r.jobs.push(jobs)
	return n, nil
}

// rest waits until there may be messages: for the watcher's signal if it served
// this queue a moment ago, otherwise in Redis.
func (r *runner) rest(ctx context.Context) error {
	sess := r.sessions.Current()
	sess.Acks.Expect(sessions.TakeFar)
	defer sess.Acks.Expect(sessions.TakeNow)
	if time.Since(time.Unix(0, r.lastServed.Load())) < servedRecently {
		t := time.NewTimer(localWait)
		defer t.Stop()
		select {
		case <-r.wake:
			return nil
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
	waitCtx, end := context.WithCancel(ctx)
	defer end()
	r.resting.Store(&end)
	defer r.resting.Store(nil)
	r.letStart()
	if r.gate.Snapshot().State == gate.Open || r.crowded() { // it may have opened before the rest was seen
		return nil
	}
	var w lease.Waited
	var err error
	r.staged = true
	// A wait that brought nothing says that the queue is empty still: no take.
	for fruitless := true; fruitless; {
		before := sess.LeaseValidUntil()
		w, err = sess.Wait(waitCtx)
		if w.Lost && !sess.Gone(before) {
			r.sessions.Lost(ctx, sess)
		}
		if err == nil && !w.Interrupted { // though nothing came: it may be days until something does
			r.recovered(ctx)
		}
		fruitless = err == nil && !w.Landed && !w.Lost && !w.Interrupted && waitCtx.Err() == nil && len(r.wake) == 0 && !sess.Fenced()
	}
	if errors.Is(err, lease.ErrFull) { // a full Redis refuses the move: poll
		r.pause(ctx, fullPoll)
		return nil
	}
	return err
}

const (
	fullPoll = 200 * time.Millisecond // how often a queue is looked at while Redis is full
	heldPoll = 10 * time.Second       // and for what was not tried yet; the watcher tells of what it transfers
)

// awaitFree waits for a free worker that may start. It reports false when the runner is to end.
func (r *runner) awaitFree(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	sess := r.sessions.Current()
	free := func() bool { return r.pool.free() > 0 && !sess.Fenced() && !r.suspects.Stalled() }
	if free() {
		return true
	}
	sess.Acks.Expect(sessions.TakeSoon)
	defer sess.Acks.Expect(sessions.TakeNow)
	r.vacate(ctx)
	for {
		windows := r.suspects.Watch()
		if free() {
			return true
		}
		select {
		case <-r.wake:
		case <-windows:
		case <-ctx.Done():
			return false
		}
	}
}

// overlapFrom is the size of a fetch from which on half of it is worth a script of
// its own: the other half is handled while Redis is asked. Smaller ones are cheaper
// whole (measured at 16 and 128).
const overlapFrom = 64

// settledFree returns how many messages to ask for. Workers that are about to be
// free are let finish first: otherwise handlers that take microseconds would lead
// to fetches of one message each. It costs a slow handler nothing, since it stops
// as soon as none finishes meanwhile.
func (r *runner) settledFree() int {
	want := r.own.Prefetch // within what all workers have room for
	free := r.pool.free()
	enough := want
	if want >= overlapFrom {
		enough = want / 2
	}
	for free < enough {
		runtime.Gosched()
		now := r.pool.free()
		if now <= free {
			break
		}
		free = now
	}
	return min(free, want)
}

// awaitGate waits until the gate may give permits. What a blocking move brought
// in at the last moment goes back first: while the gate is closed Java and other
// processes shall have it.
func (r *runner) awaitGate(ctx context.Context, v gate.Verdict) {
	sess := r.sessions.Current()
	sess.Acks.Expect(sessions.TakeFar)
	defer sess.Acks.Expect(sessions.TakeNow)
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for v.State == gate.Open {
		_, err := sess.Release(ctx, nil)
		if err == nil {
			r.recovered(ctx)
			break
		}
		r.complain(ctx, err)
		select {
		case <-time.After(b.Next()):
		case <-v.Changed:
			return
		case <-ctx.Done():
			return
		}
	}
	select {
	case <-v.Changed:
	case <-ctx.Done():
	}
}

// pause waits for d; the acks go alone meanwhile.
func (r *runner) pause(ctx context.Context, d time.Duration) {
	r.pauseUntil(ctx, d, nil)
}

// hold is pause while what is ready must wait, until there is something else: a signal,
// or another number of ready messages.
func (r *runner) hold(ctx context.Context, d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0 && r.pauseUntil(ctx, min(left, heldPoll), r.wake); left = time.Until(end) {
		if n, err := r.rdb.LLen(ctx, r.keys.Queue).Result(); err != nil || int(n) != r.ready {
			return
		}
	}
}

// pauseUntil reports whether it waited for all of d.
func (r *runner) pauseUntil(ctx context.Context, d time.Duration, signal <-chan struct{}) bool {
	sess := r.sessions.Current()
	sess.Acks.Expect(sessions.TakeFar)
	defer sess.Acks.Expect(sessions.TakeNow)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-signal:
	case <-ctx.Done():
	}
	return false
}

// complain notes why the queue cannot be taken from.
func (r *runner) complain(ctx context.Context, err error) {
	if r.trouble.Begin(err) {
		r.log.ErrorContext(ctx, "cannot take messages; tried again until it works", "err", err)
	}
}

// recovered notes that the queue can be taken from.
func (r *runner) recovered(ctx context.Context) {
	if lasted, was := r.trouble.End(); was {
		r.untilWait.Store(false)
		r.log.InfoContext(ctx, "takes messages again", "after", lasted)
	}
}
