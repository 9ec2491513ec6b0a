package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// An intake that its own watcher has just served expects more from it: it waits a moment
// for the watcher's next transfer or signal before it asks Redis to block.
const (
	servedRecently = 50 * time.Millisecond
	localWait      = 20 * time.Millisecond
)

// intake takes the messages of a queue in this process, by a taker for each partition, and hands
// them to the handling, which hands what became of them to the settling.
type intake struct {
	*queue
	handling *handling
	settling *settling

	seq       atomic.Uint64                 // messages taken
	control   atomic.Pointer[control.State] // what operators want of all processes; nil before it was looked at
	tellFleet func()                        // shows operators soon what has changed here
}

// taker takes the messages of one partition of a queue; most queues have one. Its goroutine
// asks the gate, takes, hands to the workers and rests when there is nothing to do.
type taker struct {
	*queue
	intake   *intake
	keys     wire.Keys
	sessions *sessions.Queue
	log      *slog.Logger

	wake       chan struct{} // capacity 1: something changed, look again
	offer      script.Offer  // where the watcher offers its transfers
	ahead      *script.Ahead // of the goroutine: the transfer to send ahead of the next take; nil or ended for none
	early      watch.Early   // what came before it was due
	claim      claim         // of the pool
	staged     bool          // of the goroutine: a blocking move may have brought something since the last take
	empty      bool          // of the goroutine: the last take found nothing more
	ready      atomic.Int64  // messages before the last probe
	lastServed atomic.Int64  // by the watcher
	fetching   atomic.Bool   // a take is under way
	movedUs    atomic.Int64  // by Redis's clock: the last transfer since that take began after which messages were ready; 0 for none
	lastGot    atomic.Int64  // ns: when a take brought messages
	got        bool          // a take did since the last rest
	seats      *waiters[*taker]
	poller     *poller       // nil where there is a seat for each queue
	trouble    trouble.State // why the take does not work now
	untilWait  atomic.Bool   // the trouble is of the wait: a take that finds nothing does not end it

	resting atomic.Pointer[context.CancelFunc] // set while it rests
	inRedis atomic.Bool                        // that is in Redis
}

// run lets all takers run until ctx ends. No message is popped after that.
func (r *intake) run(ctx context.Context) {
	var taking background.Group
	for _, t := range r.takers {
		taking.Go(ctx, "take messages", func() { t.loop(ctx) })
	}
	background.Go(ctx, "wait for the takers", func() {
		defer close(r.done)
		taking.Wait()
	})
}

// loop runs until ctx ends. No message is popped after that.
func (r *taker) loop(ctx context.Context) {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	defer func() { r.ahead.Refuse() }()
	for r.awaitFree(ctx) {
		want := r.room()
		if want <= 0 { // a batch that is not full has just taken the room
			continue
		}
		r.forgetSignal()
		permits, verdict := r.gate.Acquire(want)
		asked := permits.Len()
		r.pool.Keep(&r.claim, asked)
		if asked == 0 {
			r.ahead.Refuse()
			r.awaitGate(ctx, verdict)
			continue
		}
		var held time.Duration // for which only what was not tried yet is taken
		if permits.Probe() {
			held = r.intake.settling.pace.Wait(time.Now(), r.gate.TrippedAt(), r.sessions.Processes())
		}
		got, err := r.fetch(ctx, &permits, held > 0)
		resting := err == nil && got < asked
		r.empty = resting
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

// awaitFree waits for a free worker that may start. It reports false when the taker is to end.
func (r *taker) awaitFree(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	sess := r.sessions.Current()
	able := func() bool { return !sess.Fenced() && !r.suspects.Stalled() }
	if able() && r.pool.Free() > 0 {
		return true
	}
	r.ahead.Refuse()
	sess.Acks.Expect(sessions.TakeSoon)
	defer sess.Acks.Expect(sessions.TakeNow)
	r.vacate(ctx)
	for {
		windows := r.suspects.Watch()
		var look <-chan time.Time
		switch {
		case !able():
			r.pool.Begone(&r.claim)
			r.pool.WakeNext() // another one may have the room
		case r.empty && len(r.takers) > 1: // it takes no room from partitions that have messages
			look = time.After(emptyPoll)
		default:
			r.pool.Await(&r.claim) // before the look, so that no room is missed
		}
		if able() && r.pool.Free() > 0 {
			r.pool.Begone(&r.claim)
			return true
		}
		select {
		case <-r.wake:
			r.empty = false
		case <-look: // it gets a turn now and then
			r.empty = false
		case <-windows:
		case <-ctx.Done():
			return false
		}
	}
}

// vacate gives back what a blocking move brought in last, while this process is
// crowded: others shall have it.
func (r *taker) vacate(ctx context.Context) {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for (r.pool.TooManyHung() || r.staged && r.intake.handling.crowded()) && ctx.Err() == nil {
		_, err := r.sessions.Current().Release(ctx, nil)
		if err == nil {
			r.staged = false
			r.recovered(ctx)
			return
		}
		if ctx.Err() == nil {
			r.complain(ctx, err)
		}
		r.pause(ctx, b.Next())
	}
}

// fetch takes up to as many messages as there are permits and hands them to
// the workers; with held one at most, that was not tried yet.
func (r *taker) fetch(ctx context.Context, permits *gate.Permits, held bool) (n int, err error) {
	defer permits.Release()
	end := r.hurry()
	var batch lease.Batch
	r.fetching.Store(true)
	r.movedUs.Store(0)
	defer func() {
		if end(); n == 0 {
			r.pool.Fill(&r.claim, 0)
		}
		r.fetching.Store(false)
		if moved := r.movedUs.Load(); moved != 0 && (moved >= batch.NowUs || batch.Repeated) { // the take did not find that
			r.signal()
		}
	}()
	sess := r.sessions.Current()
	before, began := sess.LeaseValidUntil(), time.Now()
	acks := sess.Acks.Drain()
	if permits.Probe() {
		r.ahead.Refuse()
		batch, err = sess.Probe(ctx, held, acks)
		r.ready.Store(int64(batch.Ready))
		r.intake.settling.pace.Saw(r.intake.handling.allReady())
	} else {
		batch, err = sess.TakeBehind(ctx, r.ahead, permits.Len(), acks)
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
	n = len(batch.Messages)
	if n > 0 || !r.untilWait.Load() {
		r.recovered(ctx)
	}
	if n == 0 {
		return 0, nil
	}
	r.noteEarly(ctx, &batch)
	r.got = true
	r.lastGot.Store(began.UnixNano())
	full := r.pool.Fill(&r.claim, n)
	r.intake.handling.jobs.push(r.jobsOf(sess, &batch, permits))
	if full && len(r.takers) > 1 { // what came to another partition now would wait here
		for _, t := range r.takers {
			if t.inRedis.Load() {
				t.Unseat()
			}
		}
	}
	return n, nil
}

// jobsOf pairs what was taken with its permits.
func (r *taker) jobsOf(sess *sessions.Session, batch *lease.Batch, permits *gate.Permits) []job {
	n := len(batch.Messages)
	sess.Hold(n)
	jobs := make([]job, n)
	losses, arrived := sess.Losses(), r.intake.handling.batching.arrival()
	seq := r.intake.seq.Add(uint64(n)) - uint64(n)
	for i := range jobs {
		seq++
		p, _ := permits.Next()
		j := &jobs[i]
		j.session, j.msg, j.permit = sess, &batch.Messages[i], p
		j.seq, j.losses, j.alone, j.started = seq, losses, batch.Suspect, arrived
	}
	return jobs
}

// buried reports what the take itself moved to the dead store.
func (r *taker) buried(ctx context.Context, bs []lease.Buried) {
	for _, b := range bs {
		r.tel.Dead(ctx, b.Reason, 1)
		r.sessions.Current().NoteBuried(ctx, b)
		r.log.ErrorContext(ctx, "message moved to the dead store", "digest", b.Digest, "bytes", b.Size, "reason", b.Reason, "entry", wire.InPartition(r.keys.Partition, b.Entry))
	}
}

// rest waits until there may be messages: for the watcher if it served this queue a moment
// ago, otherwise in Redis or, without a seat there, until a poll finds
// some.
func (r *taker) rest(ctx context.Context) error {
	sess := r.sessions.Current()
	sess.Acks.Expect(sessions.TakeFar)
	defer sess.Acks.Expect(sessions.TakeNow)
	if time.Since(time.Unix(0, r.lastServed.Load())) < servedRecently {
		t := time.NewTimer(localWait)
		defer t.Stop()
		select {
		case r.ahead = <-r.offer:
			return nil
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
	r.intake.handling.letStart()
	if r.gate.Snapshot().State == gate.Open || r.intake.handling.crowded() { // it may have opened before the rest was seen
		return nil
	}
	got := r.got
	if r.got = false; !r.seats.Claim(r, got) {
		r.restApart(waitCtx, got)
		return nil
	}
	var w lease.Waited
	var err error
	r.staged = true
	r.inRedis.Store(true)
	defer r.inRedis.Store(false)
	if len(r.takers) > 1 && r.intake.handling.crowded() { // before that was seen
		return nil
	}
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
		fruitless = err == nil && !w.Landed && !w.Lost && !w.Interrupted && waitCtx.Err() == nil && len(r.wake) == 0 && !sess.Fenced() && !sess.MayLand()
	}
	r.empty = r.empty && !w.Landed
	if errors.Is(err, lease.ErrFull) { // a full Redis refuses the move: poll
		r.pause(ctx, fullPoll)
		return nil
	}
	return err
}

// restApart waits without a connection of its own until a poll finds messages, the watcher has
// moved some, or something else changes.
func (r *taker) restApart(ctx context.Context, got bool) {
	r.untilWait.Store(false) // it does not need to wait in Redis
	r.sessions.Current().Disconnect()
	if got && r.rdb.LLen(ctx, r.keys.Queue).Val() > 0 { // a take may bring less than there is
		return
	}
	defer r.poller.Rest(&polledList{r.keys.Queue, r.sessions.Processes, r.signal})()
	select {
	case r.ahead = <-r.offer:
	case <-r.wake:
	case <-ctx.Done():
	}
}

// awaitGate waits until the gate may give permits. What a blocking move brought
// in at the last moment goes back first: while the gate is closed Java and other
// processes shall have it.
func (r *taker) awaitGate(ctx context.Context, v gate.Verdict) {
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

const (
	fullPoll  = 200 * time.Millisecond // how often a queue is looked at while Redis is full
	emptyPoll = 200 * time.Millisecond // and an empty partition, while others have all workers
	heldPoll  = 10 * time.Second       // and for what was not tried yet; the watcher tells of what it transfers
)

// hold is pause while what is ready must wait, until there is something else: a signal,
// or another number of ready messages.
func (r *taker) hold(ctx context.Context, d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0 && r.pauseUntil(ctx, min(left, heldPoll), r.wake); left = time.Until(end) {
		if n, err := r.rdb.LLen(ctx, r.keys.Queue).Result(); err != nil || n != r.ready.Load() {
			return
		}
	}
}

// pause waits for d; the acks go alone meanwhile.
func (r *taker) pause(ctx context.Context, d time.Duration) {
	r.pauseUntil(ctx, d, nil)
}

// pauseUntil reports whether it waited for all of d.
func (r *taker) pauseUntil(ctx context.Context, d time.Duration, signal <-chan struct{}) bool {
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
func (r *taker) complain(ctx context.Context, err error) {
	if r.trouble.Begin(err) {
		r.log.ErrorContext(ctx, "cannot take messages; tried again until it works", "err", err)
	}
}

// recovered notes that the queue can be taken from.
func (r *taker) recovered(ctx context.Context) {
	if lasted, was := r.trouble.End(); was {
		r.untilWait.Store(false)
		r.log.InfoContext(ctx, "takes messages again", "after", lasted)
	}
}

// gateChanged is called by the gate: a rest in Redis must end when the intake
// closes.
func (r *intake) gateChanged(c gate.Change) {
	resumedBy := ""
	if now := r.control.Load(); now != nil {
		resumedBy = now.ResumedBy
	}
	c.Log(r.log, resumedBy)
	r.tellFleet()
	for _, t := range r.takers {
		t.signal()
	}
	if c.To == gate.Open {
		r.handling.endRest()
	}
}

// signal wakes the taker if it rests here; in Redis, see interrupt.
func (r *taker) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// forgetSignal is called before a take: it finds all that was signalled until now.
func (r *taker) forgetSignal() {
	select {
	case <-r.wake:
	default:
	}
}

// served is called by the watcher when messages of this queue are ready. While a take is under
// way it signals nothing: the take may find them, and looks at movedUs when it ends.
func (r *taker) served(by delayed.TransferResult) {
	r.lastServed.Store(time.Now().UnixNano())
	r.movedUs.Store(by.NowUs)
	if !by.Taken && !r.fetching.Load() {
		r.signal()
	}
}

// LastGot and Unseat are for the seats.
func (r *taker) LastGot() time.Time { return time.Unix(0, r.lastGot.Load()) }

// Unseat ends its rest.
func (r *taker) Unseat() {
	if end := r.resting.Load(); end != nil {
		(*end)()
	}
}
