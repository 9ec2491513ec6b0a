package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/handlers"
)

// batchQueues is how many queues share one pipeline: the first one's messages
// wait until the last one's script has run.
const batchQueues = 16

// backlogsAtOnce is how many backlogs are moved at the same time: what falls due in
// another queue waits for the scripts of these, whatever number of queues has one.
const backlogsAtOnce = 2

// backlogHangs is how long one of them may take before it no longer counts: it waits for
// a node that does not answer, not for a script.
const backlogHangs = time.Second

// answer is what one pipeline brought back for the owner.
type answer struct {
	queues   []*watched
	outcomes []delayed.TransferOutcome
	sent     time.Duration
	elapsed  time.Duration
}

// dispatch sends every queue whose time has come, and with a sweep those whose
// sweep is near, so that idle queues stay together in one pipeline. It returns when the
// next queue is to be asked. There may be very many queues: it looks at each once.
func (w *Watcher) dispatch(ctx context.Context) (next time.Duration) {
	w.state.Lock()
	defer w.state.Unlock()
	now := w.clock.now()
	sweep := w.sweep()
	var shared, backlogs []*watched
	swept := false
	next = never
	for _, q := range w.queues {
		if wake := q.wake(w.clock, w.sweepOf(q, sweep)); wake > now {
			next = min(next, wake)
			continue
		}
		swept = swept || q.checked+sweep <= now
		switch {
		case q.more && q.failures == 0:
			backlogs = append(backlogs, q)
		case q.more: // its pauses are its bound: it must not take the place of one that works
			q.send()
			w.send(ctx, []*watched{q})
		default:
			q.send()
			shared = append(shared, q)
		}
	}
	// Who waited longest comes first.
	slices.SortFunc(backlogs, func(a, b *watched) int { return cmp.Compare(a.checked, b.checked) })
	if len(backlogs) > 0 {
		room, _ := w.backlogRoom(now)
		for _, q := range backlogs[:min(len(backlogs), room)] {
			q.send()
			q.backlog, q.sent = true, now
			w.send(ctx, []*watched{q})
		}
		if len(backlogs) > room { // they wait until another one is answered, or hangs
			_, until := w.backlogRoom(now)
			next = min(next, until)
		}
	}
	if swept {
		for _, q := range w.queues {
			if !q.busy && !q.more && q.notBefore <= now && q.checked+sweep-sweep/10 <= now {
				q.send()
				shared = append(shared, q)
			}
		}
	}
	if len(shared) > 0 {
		w.send(ctx, shared)
	}
	return next
}

// backlogRoom returns how many backlogs may be moved besides those that are, and until
// when that stays so if none is answered.
func (w *Watcher) backlogRoom(now time.Duration) (room int, until time.Duration) {
	room, until = backlogsAtOnce, never
	for _, q := range w.queues {
		if end := q.sent + backlogHangs; q.backlog && now < end {
			room, until = room-1, min(until, end)
		}
	}
	return max(room, 0), until
}

// send runs transfers of the queues beside the owner. In a Cluster each node has
// its own pipelines, so that a node that hangs holds up only its own queues.
func (w *Watcher) send(ctx context.Context, queues []*watched) {
	plan := make([]delayed.QueueTransfer, len(queues))
	for i, q := range queues {
		plan[i] = delayed.QueueTransfer{Keys: q.Keys, Args: q.args()}
		if q.expects(w.clock) {
			plan[i].Takes = q.Takes
		}
	}
	w.running.Go(ctx, "transfer", func() {
		if !redisapi.IsCluster(w.rdb) || len(queues) == 1 {
			w.exchange(ctx, queues, plan)
			return
		}
		for _, group := range byNode(ctx, w.rdb, plan) {
			w.running.Go(ctx, "transfer", func() {
				members, part := make([]*watched, len(group)), make([]delayed.QueueTransfer, len(group))
				for i, at := range group {
					members[i], part[i] = queues[at], plan[at]
				}
				w.exchange(ctx, members, part)
			})
		}
	})
}

// byNode groups queues by the node that holds them; those of unknown nodes run
// alone.
func byNode(ctx context.Context, cluster redisapi.Client, plan []delayed.QueueTransfer) [][]int {
	var groups [][]int
	at := make(map[redisapi.Client]int)
	for i, q := range plan {
		node, err := redisapi.Node(ctx, cluster, q.Keys.Timeout)
		if err != nil {
			groups = append(groups, []int{i})
			continue
		}
		g, known := at[node]
		if !known {
			g, at[node] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// exchange runs pipelines of at most batchQueues, tells the users of the queues
// and hands the answers to the owner.
func (w *Watcher) exchange(ctx context.Context, queues []*watched, plan []delayed.QueueTransfer) {
	for len(queues) > 0 {
		n := min(len(queues), batchQueues)
		a := answer{queues: queues[:n], sent: w.clock.now()}
		err := background.Call(ctx, "transfer", func() error {
			a.outcomes = w.transfer(ctx, plan[:n])
			a.elapsed = w.clock.now() - a.sent
			for i, q := range a.queues {
				w.tell(q, a.outcomes[i])
			}
			return nil
		})
		if err != nil { // the owner waits for an answer, and tries again
			a.outcomes, a.elapsed = slices.Repeat([]delayed.TransferOutcome{{Err: err}}, n), w.clock.now()-a.sent
		}
		queues, plan = queues[n:], plan[n:]
		select {
		case w.answers <- a:
		case <-ctx.Done():
			return
		}
	}
}

// transfer runs one pipeline. It is not cut short by Stop, which waits for it:
// a call that Redis executes anyway should also be answered.
func (w *Watcher) transfer(ctx context.Context, plan []delayed.QueueTransfer) []delayed.TransferOutcome {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.opts.Timeout)
	defer cancel()
	return delayed.TransferAll(ctx, w.rdb, plan)
}

func (w *Watcher) buried(q *watched, reason string, n int) {
	switch {
	case n == 0:
	case q.OnBuried != nil:
		q.OnBuried(reason, n)
	case w.opts.OnBuried != nil:
		w.opts.OnBuried(q.Keys.Queue, reason, n)
	}
}

// tell calls the callbacks of one queue.
func (w *Watcher) tell(q *watched, o delayed.TransferOutcome) {
	if o.Err != nil {
		w.report(q.Keys.Queue, o.Err)
		return
	}
	w.buried(q, handlers.ReasonMalformed, o.Result.Malformed)
	w.buried(q, handlers.ReasonOverflowed, o.Result.Overflowed)
	if o.Result.DeadErr != nil {
		w.report(q.Keys.Queue, o.Result.DeadErr)
	}
	if q.Looked != nil {
		q.Looked(o.Result)
	}
	if q.Served != nil && (o.Result.Moved > 0 || o.Result.Ready > 0) {
		q.Served(o.Result)
	}
}

func (w *Watcher) report(queue string, err error) {
	if w.opts.OnError != nil {
		w.opts.OnError(queue, err)
	}
}
