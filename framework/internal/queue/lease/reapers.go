package lease

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
)

const (
	// looksAtOnce is how many queues are looked at in one pipeline.
	looksAtOnce = 128
	// leastSleep is how long the reapers sleep at least, so that looks which are due side by
	// side go together.
	leastSleep = 20 * time.Millisecond
	// behindOthers is after how long a queue is tried again whose node has not answered others.
	behindOthers = 100 * time.Millisecond
)

// Reapers runs the reapers of all queues of a process. Each queue is looked at when the
// earliest lease ends there, so that messages are back within 1.2 leases after their
// process died, and about once per lease otherwise. Where Redis's clock goes back, or the
// key of the sessions is deleted, they are back a lease after a look has noticed.
//
// One goroutine decides what is looked at, and one for each node that does not answer yet:
// a node that hangs holds up only its own queues. Methods are safe for concurrent use.
type Reapers struct {
	rdb     redisapi.Client
	changed chan struct{} // capacity 1
	answers chan redisapi.Client

	mu  sync.Mutex // guards all, and what is in it but for those that are busy
	all []*reaping
}

// reaping is one queue of them.
type reaping struct {
	*Reaper
	next   time.Time // of the next look; zero for at once
	forget time.Time
	busy   bool // it is being looked at
	failed bool // the last look did
}

// NewReapers returns those of the client, which is shared with others and stays open.
func NewReapers(rdb redisapi.Client) *Reapers {
	return &Reapers{rdb: rdb, changed: make(chan struct{}, 1), answers: make(chan redisapi.Client)}
}

// Add takes a queue up.
func (rs *Reapers) Add(r *Reaper) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = append(rs.all, &reaping{Reaper: r, forget: nextForget()})
	select {
	case rs.changed <- struct{}{}:
	default:
	}
}

// Remove looks at a queue no longer; a look that is under way comes to its end.
func (rs *Reapers) Remove(r *Reaper) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = slices.DeleteFunc(rs.all, func(o *reaping) bool { return o.Reaper == r })
}

// Run reaps until ctx ends and returns its cause, once what is under way has ended.
func (rs *Reapers) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	var running background.Group
	defer running.Wait()
	defer end() // also where this panics: it may be run again
	rs.mu.Lock()
	busy := slices.Clone(rs.all)
	rs.mu.Unlock()
	rs.done(busy) // where Run is called again after a panic
	asked := map[redisapi.Client]bool{}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		for node, due := range rs.due(ctx, asked) {
			asked[node] = true
			running.Go(ctx, "look for dead processes", func() {
				for part := range slices.Chunk(due, looksAtOnce) {
					err := background.Call(ctx, "look for dead processes", func() error { rs.lookAt(ctx, node, part); return nil })
					if err != nil {
						rs.postpone(part)
					}
				}
				select {
				case rs.answers <- node:
				case <-ctx.Done():
				}
			})
		}
		timer.Reset(max(rs.nextIn(), leastSleep))
		select {
		case <-timer.C:
		case <-rs.changed:
		case node := <-rs.answers:
			delete(asked, node)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// due takes the queues that are to be looked at, by the nodes that they are on; those of
// nodes that are being asked wait.
func (rs *Reapers) due(ctx context.Context, asked map[redisapi.Client]bool) map[redisapi.Client][]*reaping {
	rs.mu.Lock()
	var all []*reaping
	now := time.Now()
	for _, q := range rs.all {
		if !q.busy && !q.next.After(now) {
			q.busy = true
			all = append(all, q)
		}
	}
	rs.mu.Unlock()
	groups := map[redisapi.Client][]*reaping{}
	var later []*reaping
	for _, q := range all { // without the lock: a cluster may have to be asked for its nodes
		node, err := redisapi.Node(ctx, rs.rdb, q.keys.Sessions)
		switch {
		case err != nil:
			q.next = now.Add(q.soon())
			q.opts.OnError(rediserr.Classify("cluster slots", err))
			later = append(later, q)
		case asked[node]:
			q.next = now.Add(behindOthers)
			later = append(later, q)
		default:
			groups[node] = append(groups[node], q)
		}
	}
	rs.done(later)
	return groups
}

// done lets queues be looked at again.
func (rs *Reapers) done(queues []*reaping) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, q := range queues {
		q.busy = false
	}
}

// postpone lets queues be looked at again after a look that has panicked.
func (rs *Reapers) postpone(queues []*reaping) {
	for _, q := range queues {
		q.next = time.Now().Add(q.soon())
	}
	rs.done(queues)
}

// nextIn returns how long it is until a queue is to be looked at.
func (rs *Reapers) nextIn() time.Duration {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	wait, now := time.Hour, time.Now()
	for _, q := range rs.all {
		if !q.busy {
			wait = min(wait, q.next.Sub(now))
		}
	}
	return wait
}

// lookAt looks at queues of one node, and ends what is over.
func (rs *Reapers) lookAt(ctx context.Context, node redisapi.Client, queues []*reaping) {
	var calls []script.Call
	var looked, silent []*reaping
	for _, q := range queues {
		if q.failed {
			silent = append(silent, q)
			continue
		}
		calls, looked = append(calls, q.look()), append(looked, q)
	}
	if len(calls) > 0 {
		for i, answer := range script.RunAll(ctx, rs.rdb, calls) {
			looked[i].take(ctx, answer)
		}
	}
	if len(silent) > 0 {
		err := rediserr.Classify("ping", node.Ping(ctx).Err())
		for _, q := range silent {
			q.recover(ctx, err)
		}
	}
	rs.done(queues)
}

// take takes the answer to a look in.
func (q *reaping) take(ctx context.Context, answer script.Reply) {
	wait, err := q.sweep(ctx, answer)
	if ctx.Err() != nil {
		return
	}
	if q.failed = err != nil; q.failed {
		q.opts.OnError(err)
	} else {
		q.opts.OnLook()
	}
	if time.Until(q.forget) <= 0 {
		if _, err := q.Forget(ctx); err != nil && ctx.Err() == nil {
			q.opts.OnError(err)
		}
		q.forget = nextForget()
	}
	// Jitter, so that one of many processes does the work.
	q.next = time.Now().Add(wait + chance.Below(q.opts.Lease/20+1))
}

// recover plans the look after one that failed. After an outage that was longer than a
// lease every session looks dead. The living ones renew at once: they are given the time
// for it, or each of their messages would count a death.
func (q *reaping) recover(ctx context.Context, pinged error) {
	switch {
	case ctx.Err() != nil:
	case pinged != nil:
		q.opts.OnError(pinged)
		q.next = time.Now().Add(q.opts.Lease / 10)
	default:
		q.failed, q.next = false, time.Now().Add(q.opts.Lease/3)
	}
}
