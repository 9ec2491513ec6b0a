package framework

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// ErrNoEntry says that the dead store has no such entry.
var ErrNoEntry = errors.New("the dead store has no such entry")

// ErrMalformedEntry says that an entry of the dead store is no payload: an element
// that fits no layout of Redisson's.
var ErrMalformedEntry = errors.New("the entry is an element of no known layout, not a payload: drop it, or redrive it with Malformed")

// Redrive puts one message of the dead store at the end of the ready list, as a new
// one: due now, without attempts behind it. Call it when the reason for its death is
// mended. Errors: [ErrNoEntry], [ErrMalformedEntry], [*ChangeUnknownError] when a reply
// was lost and the entry is gone, most likely by this very call, and what Redis
// answered.
func Redrive(ctx context.Context, c *Client, q registry.Descriptor, entry string) error {
	t, err := c.targetOf(q)
	if err != nil {
		return err
	}
	status, err := redisson.Redrive(ctx, c.rdb, t.keys, redisson.RedriveArgs{
		Entries: []redisson.RedriveEntry{{Entry: entry}}, NoDueTracking: !q.Policy().DueTracking,
	})
	switch {
	case err != nil:
		return err
	case status[0] == redisson.RedriveUnknown:
		return &ChangeUnknownError{Op: "redrive", ID: entry, Tries: 2, Err: ErrNoEntry}
	case status[0] == redisson.RedriveGone:
		return fmt.Errorf("%w: %s", ErrNoEntry, entry)
	case status[0] == redisson.RedriveRefused:
		return fmt.Errorf("%w: %s", ErrMalformedEntry, entry)
	}
	return nil
}

// DefaultRedriveRate is how many messages a second [RedriveAll] puts back by default.
const DefaultRedriveRate = 100

// RedriveOptions shape a [RedriveAll]. The zero value redrives all but malformed ones.
type RedriveOptions struct {
	// Reason, where set, is the only one that is redriven: one of the Reason constants.
	Reason string
	// Rate is how many messages a second are put back, so that consumers and what they
	// call are not flooded. Defaults to [DefaultRedriveRate]; negative is no limit.
	Rate float64
	// Limit is the most messages to put back; 0 is no limit.
	Limit int
	// Malformed puts malformed entries back, too: their bytes as they lay in Redis.
	Malformed bool
	// Progress, where set, is called after each step, on the caller's goroutine.
	Progress func(RedriveResult)
}

// RedriveResult counts what a [RedriveAll] did.
type RedriveResult struct {
	Redriven int
	Skipped  int // of another reason, malformed, or taken out by others meanwhile
	Unknown  int // gone after a reply was lost: put back, unless others took them out
}

// RedriveAll puts the messages of a dead store back, oldest first, each as [Redrive]
// does. Those that die again meanwhile are left for another time. When ctx ends, or
// Redis does not answer, the rest stays in the store; the result counts what was done.
func RedriveAll(ctx context.Context, c *Client, q registry.Descriptor, o RedriveOptions) (RedriveResult, error) {
	t, err := c.targetOf(q)
	if err != nil {
		return RedriveResult{}, err
	}
	if o.Rate == 0 {
		o.Rate = DefaultRedriveRate
	}
	last, err := c.rdb.XRevRangeN(ctx, t.keys.Dead, "+", "-", 1).Result()
	if err != nil || len(last) == 0 {
		return RedriveResult{}, redisson.Classify("xrevrange", err)
	}
	r := &redriving{options: o, client: c, queue: q, target: t, last: last[0].ID}
	err = r.run(ctx)
	return r.result, err
}

// redriving is one call of RedriveAll.
type redriving struct {
	options RedriveOptions
	client  *Client
	queue   registry.Descriptor
	target  *target
	last    string // the newest entry when it began
	result  RedriveResult
}

func (r *redriving) run(ctx context.Context) error {
	for from := "-"; ; {
		page, err := deadRange(ctx, r.client, r.queue, from, r.last, r.step())
		if err != nil || len(page) == 0 {
			return err
		}
		from = "(" + page[len(page)-1].Entry
		var entries []redisson.RedriveEntry
		for _, m := range page {
			if r.options.Reason == "" || m.Reason == r.options.Reason {
				entries = append(entries, redisson.RedriveEntry{Entry: m.Entry})
			}
		}
		r.result.Skipped += len(page) - len(entries)
		done, err := r.put(ctx, entries)
		if err != nil {
			return err
		}
		if r.options.Limit > 0 && r.result.Redriven >= r.options.Limit {
			return nil
		}
		if err := r.rest(ctx, done); err != nil {
			return err
		}
	}
}

// step returns how many entries the next step has: a tenth of a second's, so that a
// rate is even.
func (r *redriving) step() int64 {
	n := redisson.MaxRedrive
	if r.options.Rate > 0 {
		n = min(n, max(int(r.options.Rate/10), 1))
	}
	if r.options.Limit > 0 {
		n = min(n, r.options.Limit-r.result.Redriven)
	}
	return int64(n)
}

func (r *redriving) put(ctx context.Context, entries []redisson.RedriveEntry) (done int, err error) {
	statuses, err := redisson.Redrive(ctx, r.client.rdb, r.target.keys, redisson.RedriveArgs{
		Entries: entries, Malformed: r.options.Malformed, NoDueTracking: !r.queue.Policy().DueTracking,
	})
	if err != nil {
		return 0, err
	}
	for _, s := range statuses {
		switch s {
		case redisson.Redriven:
			done++
		case redisson.RedriveUnknown:
			r.result.Unknown++
		default:
			r.result.Skipped++
		}
	}
	r.result.Redriven += done
	if r.options.Progress != nil {
		r.options.Progress(r.result)
	}
	return done, nil
}

// rest waits as long as the rate asks for after n messages.
func (r *redriving) rest(ctx context.Context, n int) error {
	if r.options.Rate < 0 || n == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(float64(n) / r.options.Rate * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// DropDead deletes entries of a dead store for good, and returns how many there were.
func DropDead(ctx context.Context, c *Client, q registry.Descriptor, entries ...string) (int64, error) {
	t, err := c.targetOf(q)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	n, err := c.rdb.XDel(ctx, t.keys.Dead, entries...).Result()
	return n, redisson.Classify("xdel", err)
}
