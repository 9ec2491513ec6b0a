package delayed

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// FollowMigrationArgs shape a [FollowMigration]. The zero value is usable.
type FollowMigrationArgs struct {
	// Interval is how often the end of each pending list is looked at: the longest
	// that an element which was not announced stays as it was offered. Defaults to
	// 20 ms.
	Interval time.Duration

	// Sweep is the pause between two walks of the whole timeout set, which find what
	// stands in no list. It grows to 20 times the length of such a walk. Defaults to
	// 30 s.
	Sweep time.Duration

	// Progress is called after each script that rewrote something and after each
	// walk of the whole set, with the number of the queue and what was done since the
	// beginning; Universal, Ambiguous and Malformed are those of the last whole walk.
	// whole says that all of the queue was walked.
	Progress func(queue int, count LayoutCount, whole bool)

	// Trouble is called with errors that may pass, with the number of the queue, or
	// -1 for the subscription. The work goes on.
	Trouble func(queue int, err error)
}

func (a FollowMigrationArgs) withDefaults() FollowMigrationArgs {
	if a.Interval <= 0 {
		a.Interval = 20 * time.Millisecond
	}
	if a.Sweep <= 0 {
		a.Sweep = 30 * time.Second
	}
	if a.Progress == nil {
		a.Progress = func(int, LayoutCount, bool) {}
	}
	if a.Trouble == nil {
		a.Trouble = func(int, error) {}
	}
	return a
}

// MigratedQueue is one queue of a [FollowMigration].
type MigratedQueue struct {
	Keys wire.Keys
	Args MigrateArgs // DryRun and Progress are not used
}

// FollowMigration makes all pending elements of the queues universal and keeps them
// so until ctx ends, which is no error. What is offered becomes universal at the
// next message on the queue's channel, sent for each new head, or else within
// Interval. One subscription serves all queues; one goroutine does the work.
//
// An element that falls due sooner than that may still meet a Redisson that cannot
// read it, which then fails until the element is rewritten, and repeats what it had
// moved before it in the same script.
//
// An error that cannot pass by itself, such as a wrong type, ends the work on its
// queue; FollowMigration returns when no queue is left, or with ctx, with all of
// these errors joined, each a [*fault.QueueError].
func FollowMigration(ctx context.Context, rdb redisapi.Client, queues []MigratedQueue, args FollowMigrationArgs) error {
	f := &follower{args: args.withDefaults(), events: make(chan connect.Event, 64), byChannel: map[string]*followed{}}
	var channels []string
	for i, q := range queues {
		q.Args.DryRun, q.Args.Progress = false, nil
		fq := &followed{migrator: newMigrator(rdb, q.Keys, q.Args), number: i, heard: true, sweepDue: time.Now()}
		f.queues = append(f.queues, fq)
		f.byChannel[q.Keys.Channel] = fq
		channels = append(channels, q.Keys.Channel)
	}
	sub := connect.Subscribe(rdb, connect.SubscribeOptions{}, f.events, channels...)
	subCtx, cancel := context.WithCancel(ctx)
	var running background.Group
	defer running.Wait()
	defer cancel()
	running.Loop(subCtx, "hear of offers", func() { sub.Run(subCtx) })
	f.loop(ctx)
	return errors.Join(f.failed...)
}

// follower is the state of FollowMigration; it belongs to its goroutine.
type follower struct {
	args      FollowMigrationArgs
	queues    []*followed
	byChannel map[string]*followed
	events    chan connect.Event
	failed    []error
}

// followed is one queue of it.
type followed struct {
	*migrator
	number int
	total  LayoutCount

	heard    bool      // something happened: look at the end of the list
	looked   time.Time // when that was done last
	deep     *deepWalk // of the rest of the list, or of the whole set
	sweepDue time.Time
	whole    LayoutCount // of the walk of the set that is under way

	failures int
	after    time.Time // no script before
}

// deepWalk is a walk that takes more than one script; others go on between them.
type deepWalk struct {
	walk        string
	at, element string
	tick        int64
	began       time.Time
}

func (f *follower) loop(ctx context.Context) {
	tick := time.NewTicker(f.args.Interval)
	defer tick.Stop()
	for ctx.Err() == nil && len(f.queues) > 0 {
		busy := false
		for _, q := range append([]*followed(nil), f.queues...) {
			more, err := f.turn(ctx, q)
			busy = busy || more
			if err != nil && ctx.Err() == nil {
				f.trouble(q, err)
			}
		}
		if busy {
			f.drain()
			continue
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case e := <-f.events:
			f.event(e)
			f.drain()
		}
	}
}

// drain takes what the subscription has said meanwhile.
func (f *follower) drain() {
	for {
		select {
		case e := <-f.events:
			f.event(e)
		default:
			return
		}
	}
}

func (f *follower) event(e connect.Event) {
	switch e.Kind {
	case connect.Message:
		if q := f.byChannel[e.Channel]; q != nil {
			q.heard = true
		}
	case connect.Up:
		for _, q := range f.queues {
			q.heard = true
		}
		for channel, err := range e.Denied {
			f.deaf(channel, err)
		}
	case connect.Denied:
		f.deaf(e.Channel, e.Err)
	case connect.Down:
		if e.Err != nil {
			f.args.Trouble(-1, e.Err)
		}
	case connect.Alive, connect.Joined:
	}
}

// deaf tells that a queue is looked at every Interval alone.
func (f *follower) deaf(channel string, err error) {
	if q := f.byChannel[channel]; q != nil {
		f.args.Trouble(q.number, err)
	}
}

// trouble puts a queue off for a while, or gives it up.
func (f *follower) trouble(q *followed, err error) {
	if rediserr.MayPass(err) {
		q.after = time.Now().Add(retry.Backoff(q.failures, retryFirst, retryMax))
		q.failures++
		f.args.Trouble(q.number, err)
		return
	}
	f.failed = append(f.failed, &fault.QueueError{Queue: q.keys.Queue, Err: err})
	for i := range f.queues {
		if f.queues[i] == q {
			f.queues = append(f.queues[:i], f.queues[i+1:]...)
			return
		}
	}
}

// turn does what is due on one queue, a script or two, and reports whether there is
// more to do at once.
func (f *follower) turn(ctx context.Context, q *followed) (more bool, err error) {
	now := time.Now()
	if now.Before(q.after) {
		return false, nil
	}
	if q.heard || now.Sub(q.looked) >= f.args.Interval {
		q.heard, q.looked = false, now
		if err = f.tail(ctx, q); err != nil {
			q.heard = true
			return false, err
		}
	}
	if q.deep == nil && !now.Before(q.sweepDue) {
		q.deep, q.whole = &deepWalk{walk: overSet, began: now}, LayoutCount{}
	}
	if q.deep != nil {
		err = f.step(ctx, q)
	}
	if err == nil {
		q.failures = 0
	}
	return q.deep != nil, err
}

// tail looks at the entries that were added to the end of the list.
func (f *follower) tail(ctx context.Context, q *followed) error {
	first := q.ids.falling()
	at, tick, known := "", first, q.stops
	rewritten := int64(0)
	for script := 0; ; script++ {
		step, err := q.run(ctx, "list", at, "", tick, known)
		if err != nil {
			q.stops = known // what was not looked at yet must not be taken for known
			return err
		}
		if at == "" {
			q.stops = step.anchors
		}
		f.add(q, step.count)
		rewritten += step.count.Rewritten + step.count.Ghosts
		at, tick = step.at, tick-step.looked
		if step.done {
			break
		}
		if len(known) == 0 || script == tailScripts {
			// As in the beginning: the rest of the list is walked from there to its
			// head, while its end is looked at between.
			q.deep = &deepWalk{walk: overList, at: at, tick: tick, began: time.Now()}
			break
		}
	}
	if rewritten == 0 {
		q.ids.last = first - tickHeadroom // not used
	}
	return nil
}

// retryFirst and retryMax space the tries of a queue that fails.
const (
	retryFirst = 50 * time.Millisecond
	retryMax   = 2 * time.Second
)

// tailScripts is how many scripts the end of one list may take while others wait.
const tailScripts = 20

// step does one script of the deep walk.
func (f *follower) step(ctx context.Context, q *followed) error {
	d := q.deep
	if d.walk == overSet {
		d.tick = q.ids.rising()
	}
	step, err := q.run(ctx, d.walk, d.at, d.element, d.tick, nil)
	if err != nil {
		return err
	}
	d.at, d.element = step.at, step.element
	if d.walk == overList {
		d.tick -= step.looked
	} else {
		q.ids.used(d.tick + step.looked)
		q.whole.add(step.count)
	}
	f.add(q, step.count)
	if !step.done {
		return nil
	}
	q.deep = nil
	if d.walk == overSet {
		now := time.Now()
		q.sweepDue = now.Add(max(f.args.Sweep, 20*now.Sub(d.began)))
		w := q.whole
		q.total.Universal, q.total.Ambiguous = w.Universal, w.Ambiguous
		q.total.Malformed, q.total.Examples = w.Malformed, w.Examples
		f.args.Progress(q.number, q.total, true)
	}
	return nil
}

// add takes over what was rewritten; what was only seen is that of whole walks.
func (f *follower) add(q *followed, c LayoutCount) {
	c.Universal, c.Ambiguous, c.Malformed, c.Examples = 0, 0, 0, nil
	q.total.add(c)
	if c.Rewritten+c.Ghosts > 0 {
		f.args.Progress(q.number, q.total, false)
	}
}
