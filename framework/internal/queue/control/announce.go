package control

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	writeTimeout = 5 * time.Second
	atOnce       = 100 // records of a pipeline
	// soon is for how long a change waits for others.
	soon = 100 * time.Millisecond
)

// AnnouncedQueue is a queue that a process serves. Its functions must not block.
type AnnouncedQueue struct {
	Keys wire.Keys
	// Tell returns what the process says now.
	Tell func() Record
	// Others is told once, after the first record, what all processes say; id is that of this one.
	// May be nil.
	Others func(id string, all []Process)
	// Parts are the partitions that it looks at whenever it writes all records, and Found is told
	// which keys of one of them Redis is going to delete. May be nil.
	Parts []wire.Keys
	Found func(part int, f delayed.Expiring)
}

// Announcer writes the records of a process. Make it with [NewAnnouncer]; its methods are
// safe for concurrent use.
type Announcer struct {
	rdb    script.Pipelined
	id     string
	lease  time.Duration
	queues []AnnouncedQueue
	log    *slog.Logger

	// Notes, if it is set before the start, returns what else to write with all records: errors of it
	// hurt nobody.
	Notes func() []script.Call

	cancel  context.CancelFunc
	running background.Group
	wake    chan struct{} // capacity 1: something changed
	failing trouble.State

	compared map[int]bool    // queues of which the others were told; of the goroutine that writes
	refused  map[int]Refusal // queues whose record Redis does not permit, told in the records of the others; of that goroutine

	mu      sync.Mutex
	changed map[int]bool // queues with something new
}

// NewAnnouncer makes the announcer of an engine.
func NewAnnouncer(rdb script.Pipelined, queues []AnnouncedQueue, lease time.Duration, log *slog.Logger) *Announcer {
	return &Announcer{rdb: rdb, id: chance.Hex(), lease: lease, queues: queues, log: log, changed: map[int]bool{}, compared: map[int]bool{}, refused: map[int]Refusal{}, wake: make(chan struct{}, 1)}
}

// every is how often a record is written at least.
func (a *Announcer) every() time.Duration { return a.lease * 2 / 3 }

// Changed makes the record of a queue, by its place in the list, be written soon.
func (a *Announcer) Changed(queue int) {
	a.mu.Lock()
	a.changed[queue] = true
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Start begins; ctx must outlive the work of the engine.
func (a *Announcer) Start(ctx context.Context) {
	ctx, a.cancel = context.WithCancel(ctx)
	a.running.Loop(ctx, "show this process to operators", func() { a.run(ctx) })
}

// Close ends the announcer and removes the records, until ctx ends: what stays then is over
// in a lease.
func (a *Announcer) Close(ctx context.Context) {
	a.cancel()
	if !trouble.Bounded(ctx, a.running.Wait) {
		return
	}
	pipe := a.rdb.Pipeline()
	for _, q := range a.queues {
		pipe.HDel(ctx, q.Keys.Processes, a.id)
	}
	_, _ = pipe.Exec(ctx)
}

func (a *Announcer) run(ctx context.Context) {
	next := time.NewTimer(a.every())
	defer next.Stop()
	for all := true; ; {
		worked := a.write(ctx, all)
		switch {
		case !worked:
			next.Reset(min(a.every(), time.Second+chance.Below(time.Second)))
		case all:
			next.Reset(a.every())
		}
		all = false
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			all = true
		case <-a.wake:
			select { // what else has changed, here and in other processes
			case <-time.After(chance.Jitter(soon)):
			case <-ctx.Done():
				return
			}
		}
	}
}

// write writes all records, or those with something new.
func (a *Announcer) write(ctx context.Context, all bool) (worked bool) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	a.mu.Lock()
	changed := a.changed
	a.changed = map[int]bool{}
	a.mu.Unlock()
	var calls []script.Call
	var answered []func(script.Reply)
	var failed error
	ask := func(call script.Call, f func(script.Reply)) {
		calls, answered = append(calls, call), append(answered, f)
	}
	if all && a.Notes != nil {
		for _, call := range a.Notes() {
			ask(call, func(script.Reply) {})
		}
	}
	for i, q := range a.queues {
		if !all && !changed[i] {
			continue
		}
		ask(a.writing(i), func(reply script.Reply) {
			failed = cmp.Or(failed, reply.Err)
			a.permitted(i, reply.Err)
		})
		if q.Others != nil && !a.compared[i] {
			ask(PresenceCall(q.Keys), func(reply script.Reply) {
				if all, err := ParseProcesses(reply); err == nil { // one who may not read does not compare
					q.Others(a.id, all)
				}
				a.compared[i] = true
			})
		}
		if !all {
			continue
		}
		for part, k := range q.Parts {
			ask(delayed.ExpiryCall(k), func(reply script.Reply) {
				if found, err := delayed.ExpiryOf(k, reply); err == nil {
					q.Found(part, found)
				}
			})
		}
	}
	for at := 0; at < len(calls) && (failed == nil || trouble.Answered(failed)); at += atOnce {
		for i, reply := range script.RunAll(ctx, a.rdb, calls[at:min(at+atOnce, len(calls))]) {
			answered[at+i](reply)
		}
	}
	switch {
	case failed == nil:
		if lasted, was := a.failing.End(); was {
			a.log.Info("this process is reported to operators again", "after", lasted)
		}
	case errors.Is(ctx.Err(), context.Canceled):
	case a.failing.Begin(failed):
		a.log.Warn("cannot report this process to operators: retrying; its work goes on", "err", failed)
	}
	return failed == nil || trouble.Answered(failed) // what Redis refuses it refuses in a second, too
}

// writing writes the record of a queue.
func (a *Announcer) writing(queue int) script.Call {
	return script.Call{Script: presenceScript, Keys: []string{a.queues[queue].Keys.Processes}, Args: []any{
		a.id, a.every().Milliseconds(), a.lease.Milliseconds(), a.record(queue).text(), maxProcesses,
	}}
}

// record is what the process says of a queue, and which of the other queues it may not write to.
func (a *Announcer) record(queue int) Record {
	r := a.queues[queue].Tell()
	for _, other := range slices.Sorted(maps.Keys(a.refused)) {
		if other != queue {
			r.Refused = append(r.Refused, a.refused[other])
		}
	}
	return r
}

// permitted notes whether Redis permits the record of a queue. The others are written soon where that
// has changed.
func (a *Announcer) permitted(queue int, err error) {
	_, refused := RefusalOf(err)
	switch _, was := a.refused[queue]; {
	case refused == was, err != nil && !refused:
		return
	case refused:
		a.refused[queue] = Refusal{Key: a.queues[queue].Keys.Processes}
	default:
		delete(a.refused, queue)
	}
	for other := range a.queues {
		if other != queue {
			a.Changed(other)
		}
	}
}
