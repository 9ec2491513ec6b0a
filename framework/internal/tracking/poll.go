package tracking

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

// pollFor looks at the lists of queues that rest, in one pipeline each time, for as long as
// there is no connection that tells of them.
func (n *node) pollFor(d time.Duration) {
	end := time.Now().Add(d)
	next := n.polled.Add(n.t.opts.Poll)
	if n.polled.IsZero() { // processes of a deploy start together
		next = time.Now().Add(chance.Below(n.t.opts.Poll))
	}
	for ; next.Before(end); next = next.Add(n.t.opts.Poll) {
		if retry.Pause(n.run, time.Until(next)) != nil {
			return
		}
		n.poll()
		if now := time.Now(); next.Before(now) { // it took long
			next = now
		}
		n.polled = next
	}
	_ = retry.Pause(n.run, time.Until(end)) // whoever calls sees the end of the node
}

// poll looks once.
func (n *node) poll() {
	n.t.mu.Lock()
	lists := make([]*List, 0, len(n.lists))
	for l := range n.lists {
		if l.resting {
			lists = append(lists, l)
		}
	}
	n.t.mu.Unlock()
	if len(lists) == 0 {
		return
	}
	slices.SortFunc(lists, func(a, b *List) int { return strings.Compare(a.key, b.key) }) // so that a simulated run can be repeated
	ctx, cancel := context.WithTimeout(n.run, 5*n.t.opts.Poll)
	defer cancel()
	pipe := n.t.rdb.Pipeline()
	lengths := make([]*redis.IntCmd, len(lists))
	for i, l := range lists {
		lengths[i] = pipe.LLen(ctx, l.key)
	}
	_, _ = pipe.Exec(ctx) // the commands are read one by one; the next look comes soon
	for i, l := range lists {
		if length, err := lengths[i].Result(); err == nil && length > 0 {
			l.wake()
		}
	}
}
