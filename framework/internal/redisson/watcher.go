package redisson

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrWatcherStarted is returned by [Watcher.Start] on its second call.
var ErrWatcherStarted = errors.New("redisson: the watcher was started before")

// quietBeforePing is how long the subscription must have been silent before an
// unannounced message makes it suspect: the announcement may just be under way.
const quietBeforePing = time.Second

// Watcher transfers the due messages of all queues of a process in time. It
// wakes at the earliest of the known due times, a message on a channel and a
// sweep, so that a lost message or subscription costs lateness and never a
// stall. An earlier wake-up is never replaced by a later one, and while nothing
// is due Redis is not asked.
//
// One goroutine owns all state; transfers run beside it, at most one per queue
// at a time. Build it with [NewWatcher]; its methods are safe for concurrent use.
type Watcher struct {
	rdb    redis.UniversalClient
	opts   Options
	queues []*watched
	byChan map[string]*watched

	clock   *serverClock
	answers chan answer
	events  chan subEvent
	sub     *subscriber

	// state guards what the owner changes, so that Health can read it: the states
	// of the queues, the clock's samples and the following.
	state     sync.Mutex
	doubt     bool          // the subscription is not known to work
	lastHeard time.Duration // when the subscription last said anything
	lastErr   error
	lastErrAt time.Time

	lifecycle sync.Mutex // guards cancel and done
	cancel    context.CancelFunc
	done      chan struct{}
	running   sync.WaitGroup
}

// NewWatcher returns a watcher of queues, which must have distinct channels. rdb is shared with others and stays open.
func NewWatcher(rdb redis.UniversalClient, queues []WatchedQueue, opts Options) *Watcher {
	w := &Watcher{
		rdb:     rdb,
		opts:    opts.withDefaults(),
		byChan:  make(map[string]*watched, len(queues)),
		clock:   newServerClock(),
		answers: make(chan answer, len(queues)+1),
		events:  make(chan subEvent, 256),
		doubt:   true,
	}
	channels := make([]string, len(queues))
	for i, q := range queues {
		state := &watched{WatchedQueue: q, known: -1, hint: -1, full: fullReady}
		if q.View.exact() != "" {
			state.pace = Pace{walks: true, limit: paceExact}
		}
		w.queues = append(w.queues, state)
		w.byChan[q.Keys.Channel] = state
		channels[i] = q.Keys.Channel
	}
	w.sub = &subscriber{rdb: rdb, channels: channels, opts: w.opts, events: w.events}
	return w
}

// Start begins to watch and returns at once; the end of ctx does not stop the
// watcher. A second call returns [ErrWatcherStarted].
func (w *Watcher) Start(ctx context.Context) error {
	w.lifecycle.Lock()
	defer w.lifecycle.Unlock()
	if w.done != nil {
		return ErrWatcherStarted
	}
	// Start hooks cancel their context when the start is over.
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.done = make(chan struct{})
	if len(w.queues) > 0 {
		w.running.Go(func() { w.sub.run(ctx) })
	}
	go func() {
		defer close(w.done)
		w.own(ctx)
		w.running.Wait()
	}()
	return nil
}

// Stop ends the watcher and waits for transfers under way, but no longer than
// ctx, whose cause it then returns. It may be called at any time and repeatedly.
func (w *Watcher) Stop(ctx context.Context) error {
	w.lifecycle.Lock()
	cancel, done := w.cancel, w.done
	w.lifecycle.Unlock()
	if done == nil {
		return nil
	}
	cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// own is the loop of the goroutine that owns all state.
func (w *Watcher) own(ctx context.Context) {
	first := w.clock.now() - w.opts.DoubtSweep + min(startGrace, w.opts.DoubtSweep)
	for _, q := range w.queues {
		q.checked = first // before anyone but Health, which does not read it
	}
	alarm := newAlarm(w.clock, &w.running)
	defer alarm.timer.Stop()
	for {
		w.dispatch(ctx)
		alarm.set(ctx, w.nextWake())
		select {
		case <-ctx.Done():
			return
		case <-alarm.timer.C:
		case end := <-alarm.fine:
			alarm.rang(end)
		case e := <-w.events:
			w.heard(e)
		case a := <-w.answers:
			w.took(ctx, a)
		}
		w.drain(ctx)
	}
}

// drain takes what is waiting, so that a burst leads to one dispatch.
func (w *Watcher) drain(ctx context.Context) {
	for range cap(w.events) {
		select {
		case e := <-w.events:
			w.heard(e)
		case a := <-w.answers:
			w.took(ctx, a)
		default:
			return
		}
	}
}

// nextWake returns when the next queue is to be asked.
func (w *Watcher) nextWake() time.Duration {
	w.state.Lock()
	defer w.state.Unlock()
	at, sweep := never, w.sweep()
	room, until := w.backlogRoom(w.clock.now())
	for _, q := range w.queues {
		wake := q.wake(w.clock, sweep)
		if q.more && q.failures == 0 && room == 0 && wake < never {
			wake = max(wake, until) // or when another one is answered
		}
		at = min(at, wake)
	}
	return at
}

func (w *Watcher) sweep() time.Duration {
	if w.doubt {
		return w.opts.DoubtSweep
	}
	return w.opts.Sweep
}

// heard takes over what the subscriber said.
func (w *Watcher) heard(e subEvent) {
	if w.note(e) {
		w.opts.Logger.Warn("subscription lost; sweeping until it is back", "error", e.err)
	}
	if e.kind == subDown {
		w.report("", e.err)
	}
}

// note changes the state; lost is true when the subscription worked until now.
func (w *Watcher) note(e subEvent) (lost bool) {
	w.state.Lock()
	defer w.state.Unlock()
	switch e.kind {
	case subDown:
		lost, w.doubt = !w.doubt, true
		w.lastErr, w.lastErrAt = e.err, time.Now()
		return lost
	case subUp:
		for _, q := range w.queues {
			q.refresh()
		}
	case subAlive:
	case subMessage:
		if q := w.byChan[e.channel]; q != nil {
			q.announce(parseDue(e.payload))
		}
	}
	w.doubt, w.lastHeard = false, w.clock.now()
	return false
}

// took takes over the outcomes of one pipeline.
func (w *Watcher) took(ctx context.Context, a answer) {
	processes := make([]int, len(a.queues))
	for i, q := range a.queues {
		processes[i] = q.processes()
	}
	broken, late, suspect := w.settle(a, processes)
	for _, n := range late {
		w.running.Go(func() { w.warn(ctx, n) })
	}
	for _, q := range broken {
		w.opts.Logger.Warn("transfer failed", "queue", q.Keys.Queue, "error", q.lastErr)
	}
	if suspect {
		w.running.Go(func() { w.sub.ping(ctx) })
	}
}

// settle changes the state. It returns the queues that worked until now, what is to be
// told of those that do not keep up, and whether the subscription should give a sign of
// life: an announcement was missed, or Redis did not answer.
func (w *Watcher) settle(a answer, processes []int) (broken []*watched, late []behindNews, suspect bool) {
	w.state.Lock()
	defer w.state.Unlock()
	now := w.clock.now()
	for i, q := range a.queues {
		o := a.outcomes[i]
		q.backlog = false
		if o.Err != nil {
			if q.failures == 0 {
				broken = append(broken, q)
			}
			q.failed(o.Err, now)
			w.lastErr, w.lastErrAt = o.Err, time.Now()
			// What cut off the transfer may have cut off the subscription too.
			suspect = suspect || IsAmbiguous(o.Err)
			continue
		}
		w.clock.observe(a.sent, a.elapsed, o.Result.NowUs)
		missed := q.answered(o.Result, len(a.queues) == 1, processes[i], now)
		suspect = suspect || missed
		if n, ok := q.newsOf(now); ok {
			late = append(late, n)
		}
	}
	suspect = suspect && !w.doubt && now-w.lastHeard > quietBeforePing
	w.doubt = w.doubt || suspect
	return broken, late, suspect
}

// parseDue reads a message of the channel as leniently as Java and a little
// more. What is no number counts as "now": asking once too often costs little.
func parseDue(payload string) int64 {
	text := strings.TrimPrefix(strings.TrimSpace(payload), "+")
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms >= MaxDueMs {
			return -1
		}
		return max(ms, 0)
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return 0
	}
	return scoreMs(text)
}
