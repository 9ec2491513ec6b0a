package watch

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// ErrStarted is returned by [Watcher.Start] on its second call.
var ErrStarted = errors.New("redisson: the watcher was started before")

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
// at a time. Build it with [New]; its methods are safe for concurrent use.
type Watcher struct {
	rdb  redisapi.Client
	opts Options

	clock   *serverClock
	answers chan answer
	events  chan connect.Event
	changed chan struct{} // capacity 1: a queue was added
	sub     *connect.Subscriber

	// state guards what the owner changes, so that Health can read it: the queues and
	// their states, the clock's samples and the following.
	state      sync.Mutex
	queues     []*watched
	byChan     map[string]*watched
	doubt      bool          // the subscription is not known to work
	subscribed bool          // it was made, and has not failed
	lastHeard  time.Duration // when the subscription last said anything
	lostAt     time.Time     // of the subscription, as the log was told; zero while it is up
	lastErr    error
	lastErrAt  time.Time

	lifecycle sync.Mutex // guards cancel and done
	cancel    context.CancelFunc
	done      chan struct{}
	running   background.Group
}

// New returns a watcher of queues, which must have distinct channels. rdb is shared with others and stays open.
func New(rdb redisapi.Client, queues []Queue, opts Options) *Watcher {
	w := &Watcher{
		rdb:     rdb,
		opts:    opts.withDefaults(),
		byChan:  make(map[string]*watched, len(queues)),
		clock:   newServerClock(),
		answers: make(chan answer, len(queues)+1),
		events:  make(chan connect.Event, 256),
		changed: make(chan struct{}, 1),
		doubt:   true,
	}
	w.sub = connect.Subscribe(rdb, connect.SubscribeOptions{Ping: w.opts.Ping, PingTimeout: w.opts.PingTimeout}, w.events)
	for _, q := range queues {
		w.include(q)
	}
	if w.opts.Channel != "" {
		w.sub.Join(w.opts.Channel)
	}
	return w
}

// include takes a queue up.
func (w *Watcher) include(q Queue) *watched {
	if q.Name == "" {
		q.Name = q.Keys.Queue
	}
	state := newWatched(q)
	w.queues = append(w.queues, state)
	w.byChan[q.Keys.Channel] = state
	w.sub.Join(q.Keys.Channel)
	return state
}

// Start begins to watch and returns at once; the end of ctx does not stop the
// watcher. A second call returns [ErrStarted].
func (w *Watcher) Start(ctx context.Context) error {
	w.lifecycle.Lock()
	defer w.lifecycle.Unlock()
	if w.done != nil {
		return ErrStarted
	}
	// Start hooks cancel their context when the start is over.
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.done = make(chan struct{})
	if len(w.queues) > 0 {
		w.running.Loop(ctx, "hear of announcements", func() { w.sub.Run(ctx) })
	}
	if !w.opts.Embedded {
		w.running.Loop(ctx, "count the processes of queues", func() { w.countOn(ctx) })
	}
	background.Go(ctx, "move due messages", func() {
		defer close(w.done)
		defer w.running.Wait()
		w.own(ctx)
	})
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
	w.state.Lock()
	for _, q := range w.queues {
		q.checked = w.firstCheck()
	}
	w.state.Unlock()
	alarm := newAlarm(w.clock, &w.running)
	defer alarm.timer.Stop()
	for {
		alarm.set(ctx, w.dispatch(ctx))
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
		case <-w.changed:
		}
		w.drain(ctx)
	}
}

// firstCheck is when a new queue counts as asked, so that its first transfer waits for
// the subscription a moment.
func (w *Watcher) firstCheck() time.Duration {
	return w.clock.now() - w.opts.DoubtSweep + min(startGrace, w.opts.DoubtSweep)
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

func (w *Watcher) sweep() time.Duration {
	if w.doubt {
		return w.opts.DoubtSweep
	}
	return w.opts.Sweep
}

// sweepOf is that of a queue: whose announcements are not heard is looked at as often as all of them in
// doubt.
func (w *Watcher) sweepOf(q *watched, sweep time.Duration) time.Duration {
	if q.deaf != nil {
		return w.opts.DoubtSweep
	}
	return sweep
}

// heard takes over what the subscriber said.
func (w *Watcher) heard(e connect.Event) {
	lost, back, deaf, hears := w.note(e)
	for _, q := range deaf {
		w.opts.Logger.Warn("Redis does not permit this process to listen to the channel of a queue: it looks for due messages once a second", "queue", q.Name, "channel", q.Keys.Channel, "err", q.deaf)
	}
	for _, q := range hears {
		w.opts.Logger.Info("this process may listen to the channel of a queue again", "queue", q.Name)
	}
	for _, q := range slices.Concat(deaf, hears) {
		if q.OnListen != nil {
			q.OnListen()
		}
	}
	switch {
	case lost:
		w.opts.Logger.Warn("lost the subscription to announcements: looking for due messages more often until it is back", "err", e.Err)
	case back > 0:
		w.opts.Logger.Info("the subscription to announcements is back", "after", back.Round(time.Millisecond))
	}
	if e.Kind == connect.Down {
		w.report("", e.Err)
	}
	if e.Kind == connect.Message && e.Channel == w.opts.Channel && w.opts.OnMessage != nil {
		w.opts.OnMessage(e.Payload)
	}
}

// note changes the state. lost is true when the subscription worked until now; back is
// for how long it did not, where it does again and the log was told. Of deaf the channels are not
// permitted any more, and of hears again.
func (w *Watcher) note(e connect.Event) (lost bool, back time.Duration, deaf, hears []*watched) {
	w.state.Lock()
	defer w.state.Unlock()
	switch e.Kind {
	case connect.Down:
		lost, w.doubt, w.subscribed = w.subscribed, true, false
		w.lastErr, w.lastErrAt = e.Err, time.Now()
		if lost {
			w.lostAt = time.Now()
		}
		return lost, 0, nil, nil
	case connect.Up:
		w.subscribed = true
		if !w.lostAt.IsZero() {
			back, w.lostAt = max(time.Since(w.lostAt), 1), time.Time{}
		}
		for _, q := range w.queues {
			q.refresh()
			deaf, hears = q.listens(e.Denied[q.Keys.Channel], deaf, hears)
		}
	case connect.Joined:
		if q := w.byChan[e.Channel]; q != nil {
			q.refresh()
			deaf, hears = q.listens(nil, deaf, hears)
		}
	case connect.Denied:
		if q := w.byChan[e.Channel]; q != nil {
			deaf, hears = q.listens(e.Err, deaf, hears)
		}
	case connect.Alive:
	case connect.Message:
		if q := w.byChan[e.Channel]; q != nil {
			q.announce(parseDue(e.Payload))
		}
	}
	w.doubt, w.lastHeard = false, w.clock.now()
	return false, back, deaf, hears
}

// Add watches one more queue, before the start or after it. It reports false, and does
// nothing, where a queue with that channel is watched already.
func (w *Watcher) Add(q Queue) bool {
	w.state.Lock()
	defer w.state.Unlock()
	if w.byChan[q.Keys.Channel] != nil {
		return false
	}
	w.include(q).checked = w.firstCheck()
	select {
	case w.changed <- struct{}{}:
	default:
	}
	return true
}

// Remove watches a queue no longer; a transfer that is under way ends by itself.
func (w *Watcher) Remove(k wire.Keys) {
	w.state.Lock()
	defer w.state.Unlock()
	gone := w.byChan[k.Channel]
	if gone == nil {
		return
	}
	delete(w.byChan, k.Channel)
	w.queues = slices.DeleteFunc(slices.Clone(w.queues), func(q *watched) bool { return q == gone })
	w.sub.Leave(k.Channel)
}

// took takes over the outcomes of one pipeline.
func (w *Watcher) took(ctx context.Context, a answer) {
	processes := make([]int, len(a.queues))
	for i, q := range a.queues {
		processes[i] = q.processes()
	}
	broken, late, suspect := w.settle(a, processes) // those of broken are this goroutine's
	for _, n := range late {
		w.running.Task(ctx, "warn of queues that fall behind", func() { w.warn(ctx, n) })
	}
	for _, q := range broken {
		if q.lastErr != nil {
			w.opts.Logger.Warn("cannot move due messages: retrying until it works", "queue", q.Name, "err", q.lastErr)
			continue
		}
		w.opts.Logger.Info("moving due messages again", "queue", q.Name, "after", time.Since(q.broken).Round(time.Millisecond))
		q.broken = time.Time{}
	}
	if suspect {
		w.running.Task(ctx, "ping the subscription", func() { w.sub.Ping(ctx) })
	}
}

// settle changes the state. It returns the queues that worked until now and those that
// work again, what is to be told of those that do not keep up, and whether the subscription should give a sign of
// life: an announcement was missed, or Redis did not answer.
func (w *Watcher) settle(a answer, processes []int) (broken []*watched, late []behindNews, suspect bool) {
	w.state.Lock()
	defer w.state.Unlock()
	now := w.clock.now()
	for i, q := range a.queues {
		o := a.outcomes[i]
		q.backlog = false
		if o.Err != nil {
			if q.broken.IsZero() {
				q.broken = time.Now()
				broken = append(broken, q)
			}
			q.failed(o.Err, now)
			w.lastErr, w.lastErrAt = o.Err, time.Now()
			// What cut off the transfer may have cut off the subscription too.
			suspect = suspect || rediserr.IsAmbiguous(o.Err)
			continue
		}
		w.clock.observe(a.sent, a.elapsed, o.Result.NowUs)
		if !q.broken.IsZero() {
			broken = append(broken, q)
		}
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
		if ms >= wire.MaxDueMs {
			return -1
		}
		return max(ms, 0)
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return 0
	}
	return wire.ScoreMs(text)
}
