package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// partitions are the keys of all partitions of a queue, whose names were checked.
func (e *Engine) partitions(c Consumer) []wire.Keys {
	keys, _ := partitions.Keys(c.Queue.Key(), c.Queue.Policy().AllPartitions(), func(name string) (wire.Keys, error) {
		return wire.KeysOf(e.client.Name(name)), nil
	})
	return keys
}

// agree compares the numbers of partitions with those that other processes have noted. What
// else is wrong with the key of a queue without partitions is for who follows the control.
func (e *Engine) agree(ctx context.Context) error {
	all := make([]delayed.Declared, len(e.consumers))
	for i, c := range e.consumers {
		p := c.Queue.Policy()
		all[i] = delayed.Declared{
			Code: c.Code(), Keys: wire.KeysOf(e.client.Name(c.Queue.Key())), Spread: delayed.Spread{N: p.Partitions, Other: p.OtherPartitions},
		}
	}
	var errs []error
	for i, err := range delayed.Agree(ctx, e.client.Redis, all...) {
		c := e.consumers[i]
		if delayed.MayNotCompare(err) {
			if n := c.Queue.Policy().AllPartitions(); n > 1 {
				e.log.WarnContext(ctx, "the number of partitions could not be compared with that of other processes", "queue", c.Code(), "partitions", n, "err", err)
			}
			continue
		}
		if err != nil && e.onItsOwn(c, err) {
			continue // probe says so
		}
		if err != nil && (c.Queue.Policy().AllPartitions() > 1 || errors.As(err, new(*fault.PartitionsError))) {
			errs = append(errs, &fault.RegistrationError{Code: c.Code(), Declared: c.Declared, Err: err})
		}
	}
	return errors.Join(errs...)
}

// name is what health calls a taker.
func (r *taker) name() string {
	if r.keys.Partition == 0 {
		return r.code
	}
	return fmt.Sprintf("%s (partition %d)", r.code, r.keys.Partition)
}

// ours returns those of some entries that are of its partition, as they stand in the store.
func (r *taker) ours(entries []string) (own []string) {
	for _, e := range entries {
		if partition, id, _ := wire.CutPartition(e); partition == r.keys.Partition {
			own = append(own, id)
		}
	}
	return own
}

// inPartition makes lines name the partition; that of 0 is the queue of that name.
func inPartition(log *slog.Logger, keys wire.Keys) *slog.Logger {
	if keys.Partition == 0 {
		return log
	}
	return log.With("partition", keys.Partition)
}

// replaceSession gives up the session whose last take has an unknown outcome: another one
// takes from now on, the old one ends when its messages are settled.
func (r *taker) replaceSession() error {
	old, err := r.sessions.Replace()
	if err != nil {
		return err
	}
	background.Go(r.base, "end a session", func() {
		old.AwaitSettled()
		r.intake.settling.persist(context.WithoutCancel(r.base), "close", func(ctx context.Context) error {
			handed, err := old.End(ctx)
			r.cancelled(ctx, handed.Cancelled)
			return err
		})
		r.sessions.Forget(old)
	})
	return nil
}

// cancelRunning cancels the running handlers of messages that were taken under a session
// when it had been lost fewer than so many times.
func (ws *handling) cancelRunning(s *sessions.Session, losses uint64) (n int) {
	ws.pool.running(func(_ *worker, j *job) {
		if j.session == s && j.losses < losses {
			n++
			j.ctx.End(handlers.ErrLeaseLost)
		}
	})
	return n
}

// allReady is how many messages the last probes found ready, in all partitions.
func (ws *handling) allReady() (n int) {
	for _, t := range ws.takers {
		n += int(t.ready.Load())
	}
	return n
}

// Several takers share the room of one pool: each claims some before it fetches, and where
// there is none they wait in turn.

// claimTime is for how long a fetch may keep what it has claimed: a node that does not
// answer must not keep workers from what other nodes have.
const claimTime = 100 * time.Millisecond

// room claims room for the next fetch. A taker whose node gave no answer claims the least.
func (r *taker) room() int {
	want := r.settledFree()
	if r.trouble.Cause() != nil && len(r.takers) > 1 {
		want = min(want, 1)
	}
	return r.pool.Claim(&r.claim, want)
}

// hurry gives back what a fetch has claimed that takes long. The result ends that.
func (r *taker) hurry() (end func() bool) {
	if len(r.takers) == 1 {
		return func() bool { return true }
	}
	return time.AfterFunc(claimTime, func() { r.pool.Keep(&r.claim, 0) }).Stop
}

// overlapFrom is the size of a fetch from which on half of it is worth a script of
// its own: the other half is handled while Redis is asked. Smaller ones are cheaper
// whole (measured at 16 and 128).
const overlapFrom = 64

// settledFree returns how many messages to ask for. Workers that are about to be
// Free are let finish first: otherwise handlers that take microseconds would lead
// to fetches of one message each. It costs a slow handler nothing, since it stops
// as soon as none finishes meanwhile.
func (r *taker) settledFree() int {
	want := r.own.Prefetch // within what all workers have room for
	free := r.pool.Free()
	enough := want
	if want >= overlapFrom {
		enough = want / 2
	}
	for free < enough {
		runtime.Gosched()
		now := r.pool.Free()
		if now <= free {
			break
		}
		free = now
	}
	return min(free, want)
}
