package watch

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

// The first count of listeners comes soon after the start, the others now and then.
const (
	censusFirst = time.Second
	censusEvery = 30 * time.Second
)

// countOn counts until ctx ends who listens to the queues of which nobody tells how many
// processes serve them: those that a client offers to. All of these transfer, Java's too.
func (w *Watcher) countOn(ctx context.Context) {
	for wait := censusFirst; retry.Pause(ctx, wait) == nil; wait = censusEvery + chance.Below(censusEvery/10) {
		w.count(ctx)
	}
}

// count counts once. A user who may not ask goes on as one who is alone.
func (w *Watcher) count(ctx context.Context) {
	w.state.Lock()
	var queues []*watched
	var channels []string
	for _, q := range w.queues {
		if q.Processes == nil {
			queues, channels = append(queues, q), append(channels, q.Keys.Channel)
		}
	}
	w.state.Unlock()
	if len(queues) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.opts.Timeout)
	defer cancel()
	n, err := connect.CountAll(ctx, w.rdb, channels)
	if err != nil {
		return
	}
	for _, q := range queues {
		q.listeners.Store(n[q.Keys.Channel])
	}
}
