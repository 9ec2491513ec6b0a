package watch

import (
	"context"
	"math"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

const (
	// behindAfter is how long due messages must have been left behind before it is
	// worth a warning.
	behindAfter = 5 * time.Second
	// behindEvery is how often that is told at most.
	behindEvery = time.Minute
)

// lag notes how long the transfers of a queue have left due messages behind though each
// took all the time that it may have of Redis: the upkeep of the pending list costs more
// than that. The zero value is usable.
type lag struct {
	on    bool
	since time.Duration // when the first of them was answered, by the local clock
	moved int           // by those after it
	told  time.Duration // when it was last told; 0 for never
}

// observe takes note of one transfer; bounded says that its script time limited it.
func (l *lag) observe(r delayed.TransferResult, bounded bool, now time.Duration) {
	switch {
	case !bounded || !r.More():
		*l = lag{told: l.told}
	case !l.on:
		l.on, l.since, l.moved = true, now, 0
	default:
		l.moved += r.Moved
	}
}

// lasts returns for how long; 0 while the transfers keep up.
func (l *lag) lasts(now time.Duration) time.Duration {
	if !l.on {
		return 0
	}
	return now - l.since
}

// tell reports whether it is to be told now, and notes that it is.
func (l *lag) tell(now time.Duration) bool {
	if l.lasts(now) < behindAfter || l.told > 0 && now-l.told < behindEvery {
		return false
	}
	l.told = now
	return true
}

// behindNews is one warning.
type behindNews struct {
	queue Queue
	lasts time.Duration
	rate  float64 // messages a second
}

// newsOf returns the warning that is due of a queue, if one is.
func (q *watched) newsOf(now time.Duration) (behindNews, bool) {
	lasts := q.lag.lasts(now)
	if !q.lag.tell(now) {
		return behindNews{}, false
	}
	return behindNews{queue: q.Queue, lasts: lasts, rate: float64(q.lag.moved) / lasts.Seconds()}, true
}

// warn logs it with the number of messages that are behind.
func (w *Watcher) warn(ctx context.Context, n behindNews) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.opts.Timeout)
	defer cancel()
	attrs := []any{
		"queue", n.queue.Name, "behind", n.lasts.Round(time.Millisecond),
		"rate", math.Round(n.rate), "advice", "declare the queue with registry.View(registry.ViewOff) if Java neither lists nor cancels its messages",
	}
	if c, err := delayed.Counts(ctx, w.rdb, n.queue.Keys); err == nil {
		attrs = append(attrs, "backlog", c.Overdue, "pending", c.Delayed)
	}
	w.opts.Logger.WarnContext(ctx, "due messages are late: keeping Java's list takes all the time that transfers may use", attrs...)
}
