package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// ReapOptions are the options of [Reap]. With the zero value Reap gives back the messages of
// sessions whose lease has ended, and waits for nothing.
type ReapOptions struct {
	// Wait makes Reap wait for the leases that have not ended yet: until its lease ends, a
	// dead process looks like a living one. A lease that is renewed since belongs to a
	// living process, which Reap leaves alone. Reap waits for the longest lease at most.
	Wait bool
}

// Reaped says what [Reap] did with one queue.
type Reaped struct {
	Queue    string // the name that Reap was called with
	Sessions int64  // sessions whose lease had ended, now removed
	Messages int64  // messages returned to the head of the ready list
	Dead     int64  // messages moved to the dead store: they had been in flight in three processes that died
	// Cancelled counts messages that were dropped: they had been cancelled in flight.
	Cancelled int64

	Alive int64 // sessions that were renewed while Reap waited
	Open  int64 // sessions whose lease has not ended: alive, or dead for less than a lease
	// InFlight counts the messages that the sessions of Alive and Open hold.
	InFlight int64
	// OpenUntil is when the last lease of Open ends, if it is not renewed; the zero time
	// for none.
	OpenUntil time.Time
}

// Reap puts the messages that dead Go processes held back at the head of a queue, oldest
// first. Use it if no Go process is left to do so, for example after a rollback to Java.
// Reap leaves living processes alone. Queues are named as for [Diagnose]. With an error
// it also returns what it had done until then; another call does the rest.
func Reap(ctx context.Context, c *framework.Client, queue string, o ReapOptions) (Reaped, error) {
	done := Reaped{Queue: queue}
	client := access.Of(c)
	all, _, err := partsOf(ctx, client, queue)
	if err != nil {
		return done, err
	}
	for _, keys := range all { // one after the other: what waits is for all at once
		one, err := reapOne(ctx, client, keys, o)
		done.add(one)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// add adds what was done with another partition.
func (r *Reaped) add(o Reaped) {
	r.Sessions, r.Messages, r.Dead, r.Cancelled = r.Sessions+o.Sessions, r.Messages+o.Messages, r.Dead+o.Dead, r.Cancelled+o.Cancelled
	r.Alive, r.Open, r.InFlight = max(r.Alive, o.Alive), max(r.Open, o.Open), r.InFlight+o.InFlight
	if o.OpenUntil.After(r.OpenUntil) {
		r.OpenUntil = o.OpenUntil
	}
}

// reapOne is Reap of one partition.
func reapOne(ctx context.Context, client access.Client, keys wire.Keys, o ReapOptions) (done Reaped, err error) {
	reaper := lease.NewReaper(client.Redis, keys, lease.ReaperOptions{Lease: client.Lease})
	seen := map[string]int64{} // session → deadline as first seen; a later one means that the process lives
	for pass := 0; ; pass++ {
		held, now, err := heldNow(ctx, client.Redis, keys)
		if err != nil {
			return done, err
		}
		done.Alive, done.Open, done.InFlight, done.OpenUntil = 0, 0, 0, time.Time{}
		var next int64 // end of the lease that ends first of those that are waited for
		for _, h := range held {
			first, known := seen[h.Session]
			if !known && pass == 0 {
				first = h.DeadlineMs
				seen[h.Session] = first
			}
			switch {
			case h.Ended(now):
				handed, err := reaper.Reap(ctx, h.Session)
				if err != nil {
					return done, err
				}
				if handed.Session != "" { // else another process ended it, or it was renewed
					done.Sessions++
					done.Messages += int64(handed.Bodies + handed.Staged)
					done.Dead += int64(handed.Buried)
					done.Cancelled += int64(handed.Cancelled)
				}
				continue
			case h.DeadlineMs > first:
				done.Alive++
			default:
				done.Open++
				done.OpenUntil = time.UnixMilli(h.DeadlineMs)
				if next == 0 {
					next = h.DeadlineMs
				}
			}
			done.InFlight += h.Messages
		}
		if !o.Wait || done.Open == 0 {
			return done, nil
		}
		select {
		case <-ctx.Done():
			return done, context.Cause(ctx)
		case <-time.After(min(time.Duration(next-now+1)*time.Millisecond, reapLook)):
		}
	}
}

// reapLook is how often a Reap that waits looks whether leases were renewed.
const reapLook = time.Second

// heldNow returns what the sessions of a queue hold, and the time of Redis in ms.
func heldNow(ctx context.Context, rdb redisapi.Client, keys wire.Keys) ([]lease.Held, int64, error) {
	counts, err := delayed.Counts(ctx, rdb, keys)
	if err != nil || counts.Sessions == 0 {
		return nil, 0, err
	}
	held, err := lease.HeldBy(ctx, rdb, keys)
	return held, counts.NowUs / 1000, err
}

// sessionsPrefix begins the keys that say which Go processes handle a queue.
const sessionsPrefix = "duequeue:sessions:"

// HeldQueues searches the database for the queues that Go processes handle, or handled
// when they died, and returns them sorted, for [Reap]. The client's mapping of names applies,
// as for [Queues]. It returns a name in braces without its braces: the keys of what is in
// flight are the same for both, and a queue for its partitions. The search looks at every
// key, some hundreds at a time.
func HeldQueues(ctx context.Context, c *framework.Client) ([]string, error) {
	client := access.Of(c)
	var names []string
	p := budget.PaceOf(1)
	err := eachKey(ctx, client.Redis, sessionsPrefix+"*", &p, func(key string) bool {
		if name, ok := client.Own(wire.NameOf(strings.TrimPrefix(key, sessionsPrefix))); ok {
			if queue, _, partition := wire.PartitionedBy(name); partition {
				name = queue
			}
			names = append(names, name)
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
