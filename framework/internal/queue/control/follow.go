package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/trouble"
)

const (
	// lookTimeout bounds one pipeline of looks where the client honours contexts.
	lookTimeout = 5 * time.Second
	// lookAtOnce is how many queues share one pipeline.
	lookAtOnce = 100
	// endSlack is how much later than its end a pause is looked at, so that it is over by
	// the clock of Redis, too.
	endSlack = 3 * time.Millisecond
)

// State is what a process knows of the control of a queue.
type State struct {
	Settings

	// Known is false where a part was never understood, since the process started: then
	// nothing may be taken. What it has once understood it keeps.
	Known bool
	// Err is why the last look has not brought all; nil where it has.
	Err error
}

// Queue is a queue whose control a [Follower] follows.
type Queue struct {
	Name string // in Redis
	Key  string // of its control
	// Apply is told what is known, when that has changed. It is called by one goroutine at a
	// time and must not block.
	Apply func(State)
	// Asked is told that operators want to know what the process does. It must not block.
	Asked func()
	Log   *slog.Logger
}

// Follower keeps what this process knows of the control of its queues. Make it with
// [NewFollower]; its methods are safe for concurrent use.
type Follower struct {
	rdb  script.Pipelined
	net  time.Duration // for how long a queue may be without confirmation
	log  *slog.Logger
	wake chan struct{} // capacity 1: look again

	looking background.Group // beside Run

	mu      sync.Mutex
	queues  []*followed
	byName  map[string]*followed
	failing trouble.State
}

// followed is one queue; its state is guarded by Follower.mu.
type followed struct {
	Queue

	state     State
	has       [parts]bool // what was understood once
	version   string      // that the state is of
	stale     bool        // it is to be looked at
	busy      bool        // a look is under way
	unread    bool        // the last look was not answered
	heard     uint64      // counts what made it stale, so that a look under way does not cover it
	confirmed time.Time   // when the version was last seen
	ends      time.Time   // when the pause is over, by the clock of this process; zero for never
	untilMs   int64       // the same by the clock of Redis; 0 for never
	notBefore time.Time   // pause after a look that failed
	bad       trouble.State
}

// wrongType is the version that a transfer reports of a key that is no hash.
const wrongType = "!"

// NewFollower makes the follower of these queues, of which none is known yet. A queue whose
// version no transfer confirms is looked at after net.
func NewFollower(rdb script.Pipelined, queues []Queue, net time.Duration, log *slog.Logger) *Follower {
	f := &Follower{rdb: rdb, net: net, log: log, wake: make(chan struct{}, 1), byName: map[string]*followed{}}
	for _, q := range queues {
		of := &followed{Queue: q, stale: true}
		f.queues = append(f.queues, of)
		f.byName[q.Name] = of
	}
	return f
}

// Saw takes note of what a transfer has seen: the version, and the time of Redis in ms.
func (f *Follower) Saw(queue, version string, nowMs int64) {
	f.mu.Lock()
	q := f.byName[queue]
	if q == nil {
		f.mu.Unlock()
		return
	}
	changed := version != q.version || q.untilMs > 0 && nowMs >= q.untilMs
	switch {
	case !changed && q.unread: // the version says nothing of the error: the next look does
	case !changed:
		q.confirmed = time.Now()
	case !q.stale:
		q.stale = true
		q.heard++
	}
	f.mu.Unlock()
	if changed {
		f.signal()
	}
}

// Told takes note of a message on the channel.
func (f *Follower) Told(message string) {
	name, changed := strings.CutPrefix(message, changeMark)
	if !changed {
		name = strings.TrimPrefix(message, askMark)
	}
	f.mu.Lock()
	q := f.byName[name]
	if q != nil && changed {
		q.stale = true
		q.heard++
	}
	f.mu.Unlock()
	switch {
	case q == nil:
	case changed:
		f.signal()
	case q.Asked != nil:
		q.Asked()
	}
}

func (f *Follower) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// LookAll looks at all queues at once: before anything is taken, and before Run. What it could
// not read is tried again by Run.
func (f *Follower) LookAll(ctx context.Context) {
	f.look(ctx, f.queues)
	f.looking.Wait()
}

// Run looks at what has changed until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	defer f.looking.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		due, next := f.due(time.Now())
		f.look(ctx, due)
		timer.Reset(next)
	}
}

// due returns what is to be looked at now, and how long it is until there is more.
func (f *Follower) due(now time.Time) (due []*followed, next time.Duration) {
	next = f.net
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.queues {
		if q.busy { // its end wakes
			continue
		}
		at := q.confirmed.Add(f.net)
		if !q.ends.IsZero() && q.ends.Before(at) {
			at = q.ends
		}
		if q.stale {
			at = now
		}
		if at.Before(q.notBefore) {
			at = q.notBefore
		}
		if wait := at.Sub(now); wait > 0 {
			next = min(next, wait)
		} else {
			due = append(due, q)
		}
	}
	return due, next
}

// look reads the control of queues, beside the caller. In a Cluster each node has its own
// pipelines, so that a node that hangs holds up only its own queues.
func (f *Follower) look(ctx context.Context, queues []*followed) {
	if len(queues) == 0 {
		return
	}
	f.mu.Lock()
	for _, q := range queues {
		q.busy, q.notBefore = true, time.Now().Add(trouble.RetryMost) // where the look panics
	}
	f.mu.Unlock()
	nodes := map[redisapi.Client][]*followed{}
	for _, q := range queues {
		var node redisapi.Client // nil where it is not known, and where there is one alone
		if redisapi.IsCluster(f.rdb) {
			node, _ = redisapi.Node(ctx, f.rdb.(redisapi.Client), q.Key)
		}
		nodes[node] = append(nodes[node], q)
	}
	for _, of := range nodes {
		f.looking.Go(ctx, "read what operators set", func() {
			defer f.signal()
			for part := range slices.Chunk(of, lookAtOnce) {
				f.lookAt(ctx, part)
			}
		})
	}
}

func (f *Follower) lookAt(ctx context.Context, queues []*followed) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	defer f.looked(queues)
	calls := make([]script.Call, len(queues))
	heard := make([]uint64, len(queues))
	f.mu.Lock()
	for i, q := range queues {
		calls[i] = script.Call{Script: lookScript, Keys: []string{q.Key}, Args: []any{newVersion()}}
		heard[i] = q.heard
	}
	f.mu.Unlock()
	began := time.Now()
	var failed error
	for i, reply := range script.RunAll(ctx, f.rdb, calls) {
		r, err := reading{}, reply.Err
		if err == nil {
			r, err = readingOf(lookScript, queues[i].Key, reply.Value)
		}
		if err != nil && !isBad(err) {
			failed = err
		}
		f.learn(queues[i], r, err, heard[i], began)
	}
	switch {
	case failed == nil && !f.allRead():
	case failed == nil:
		if lasted, was := f.failing.End(); was {
			f.log.Info("the operators' settings can be read again", "after", lasted)
		}
	case ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded):
		if f.failing.Begin(failed) {
			f.log.Warn("cannot read the operators' settings: keeping the last known ones, and retrying", "err", failed)
		}
	}
}

// learn takes over what a look has brought.
func (f *Follower) learn(q *followed, r reading, err error, heard uint64, began time.Time) {
	f.mu.Lock()
	before := q.state
	q.unread = err != nil && !isBad(err)
	if err != nil {
		q.state.Err = err
		q.notBefore = began.Add(trouble.RetryMost + chance.Below(trouble.RetryMost))
		var wrong *fault.WrongTypeError
		if errors.As(err, &wrong) { // until its version changes, or for as long as nothing is confirmed
			q.version, q.stale, q.confirmed, q.notBefore = wrongType, q.heard != heard, time.Now(), time.Time{}
			q.ends, q.untilMs = time.Time{}, 0
		}
	} else {
		q.take(r, began)
		q.stale, q.confirmed, q.notBefore = q.heard != heard, time.Now(), time.Time{}
	}
	after := q.state
	f.mu.Unlock()
	q.tell(before, after)
}

// looked lets queues be looked at again.
func (f *Follower) looked(queues []*followed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range queues {
		q.busy = false
	}
}

// allRead reports whether the last look at each queue was answered.
func (f *Follower) allRead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.ContainsFunc(f.queues, func(q *followed) bool { return q.unread })
}

// take merges what was understood with what is known. Caller holds mu.
func (q *followed) take(r reading, began time.Time) {
	next := r.Settings
	var errs []error
	for p := range parts {
		if r.bad[p] == nil {
			q.has[p] = true
			continue
		}
		errs = append(errs, r.bad[p])
		switch p {
		case partPause:
			next.Pause = q.state.Pause
		case partRate:
			next.Limit.Rate = q.state.Limit.Rate
		default:
			next.Limit.Workers = q.state.Limit.Workers
		}
	}
	if next.Pause.equal(q.state.Pause) {
		next.Pause = q.state.Pause
	}
	q.version, q.ends, q.untilMs = r.Version, time.Time{}, 0
	if p := next.Pause; p != nil && !p.Until.IsZero() {
		q.untilMs = p.Until.UnixMilli()
		q.ends = began.Add(max(time.Duration(q.untilMs-r.nowMs)*time.Millisecond, 0) + endSlack)
	}
	q.state = State{Settings: next, Known: q.has[partPause] && q.has[partRate] && q.has[partWorkers], Err: errors.Join(errs...)}
}

// tell logs what is wrong with the hash, and hands over what is known.
func (q *followed) tell(before, after State) {
	switch err := after.Err; {
	case err == nil:
		if lasted, was := q.bad.End(); was {
			q.Log.Info("the operators' settings are understood again", "after", lasted)
		}
	case isBad(err) && q.bad.Begin(err):
		q.Log.Error("cannot understand the operators' settings: keeping the last known ones", "known", after.Known, "err", err)
	}
	if !before.same(after) {
		q.Apply(after)
	}
}

// same reports whether two states are alike but for their version.
func (s State) same(o State) bool {
	return s.Known == o.Known && s.Pause == o.Pause && s.Limit == o.Limit &&
		s.ResumedBy == o.ResumedBy && s.ResumedAt.Equal(o.ResumedAt) && fmt.Sprint(s.Err) == fmt.Sprint(o.Err)
}

// isBad reports whether an error is of what the hash holds, not of reaching it.
func isBad(err error) bool {
	var field *fault.ControlError
	var wrong *fault.WrongTypeError
	return errors.As(err, &field) || errors.As(err, &wrong)
}
