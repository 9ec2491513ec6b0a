package lease

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// reapAtOnce is how many ended sessions one look returns.
const reapAtOnce = 64

// ReaperOptions of a [Reaper]. The zero value means the defaults.
type ReaperOptions struct {
	// Lease is that of the sessions. Defaults to 30 s.
	Lease time.Duration
	// Self returns the id of the own session, which is left alone while it lives. Nil
	// leaves none alone.
	Self func() string
	// Idle is how long Run sleeps where no other session is registered; one that comes and
	// dies meanwhile is found so much later. Defaults to Lease.
	Idle time.Duration
	// OnReap is told about each session that was ended. May be nil. It must not block.
	OnReap func(Handed)
	// OnError is told about errors; the reaper goes on after them. May be nil. It must
	// not block.
	OnError func(error)
	// OnLook is told about each look for ended sessions that succeeded. May be nil. It
	// must not block.
	OnLook func()
}

// Reaper returns what dead processes held at one queue to the head of the queue. Every
// process runs one; they need not know of each other. It sleeps until the earliest
// lease ends, so that messages are back within 1.2 leases after their process died,
// and asks Redis about once per lease otherwise. Where Redis's clock goes back, or the
// key of the sessions is deleted, they are back a lease after it has noticed.
type Reaper struct {
	rdb  redis.UniversalClient
	keys wire.Keys
	opts ReaperOptions
}

// NewReaper returns a reaper for the queue of keys; it asks Redis nothing yet.
func NewReaper(rdb redis.UniversalClient, keys wire.Keys, opts ReaperOptions) *Reaper {
	if opts.Lease == 0 {
		opts.Lease = DefaultLease
	}
	if opts.Idle == 0 {
		opts.Idle = opts.Lease
	}
	if opts.Self == nil {
		opts.Self = func() string { return "" }
	}
	if opts.OnReap == nil {
		opts.OnReap = func(Handed) {}
	}
	if opts.OnError == nil {
		opts.OnError = func(error) {}
	}
	if opts.OnLook == nil {
		opts.OnLook = func() {}
	}
	return &Reaper{rdb: rdb, keys: keys, opts: opts}
}

// Run reaps until ctx ends and returns its cause.
func (r *Reaper) Run(ctx context.Context) error {
	forget := nextForget()
	failed := false
	for {
		if failed {
			// After an outage that was longer than a lease every session looks dead.
			// The living ones renew at once: they are given the time for it, or each
			// of their messages would count a death.
			if err := r.rdb.Ping(ctx).Err(); err != nil {
				if ctx.Err() == nil {
					r.opts.OnError(rediserr.Classify("ping", err))
				}
				if !pause(ctx, r.opts.Lease/10) {
					return context.Cause(ctx)
				}
				continue
			}
			if failed = false; !pause(ctx, r.opts.Lease/3) {
				return context.Cause(ctx)
			}
		}
		wait, err := r.Sweep(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed = true
			r.opts.OnError(err)
		} else {
			r.opts.OnLook()
		}
		if time.Until(forget) <= 0 {
			if _, err := r.Forget(ctx); err != nil && ctx.Err() == nil {
				r.opts.OnError(err)
			}
			forget = nextForget()
		}
		// Jitter, so that one of many processes does the work.
		if !pause(ctx, wait+chance.Below(r.opts.Lease/20+1)) {
			return context.Cause(ctx)
		}
	}
}

// Sweep ends the sessions whose lease has ended, and returns how long to wait until
// the next one may: at most a lease, since a new session has a whole one ahead, and Idle
// where there is none.
func (r *Reaper) Sweep(ctx context.Context) (time.Duration, error) {
	for {
		ended, wait, err := r.look(ctx)
		if err != nil {
			return wait, err
		}
		// Each process takes another order, so that many share the work.
		chance.Shuffle(len(ended), func(i, j int) { ended[i], ended[j] = ended[j], ended[i] })
		var errs []error
		for _, session := range ended {
			if _, err := r.Reap(ctx, session); err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) > 0 {
			return r.soon(), errors.Join(errs...)
		}
		if len(ended) < reapAtOnce {
			return wait, nil
		}
	}
}

// soon is the wait after a failure.
func (r *Reaper) soon() time.Duration { return max(r.opts.Lease/10, time.Millisecond) }

// look returns sessions whose lease has ended, some where there are very many, and how
// long to wait for the next one.
func (r *Reaper) look(ctx context.Context) (ended []string, wait time.Duration, err error) {
	reply, err := lookScript.Run(ctx, r.rdb, []string{r.keys.Sessions, r.keys.Leases}, r.opts.Self(), reapAtOnce, r.opts.Lease.Milliseconds())
	if err != nil {
		return nil, r.soon(), err
	}
	words, err := texts(lookScript, reply, 0)
	if err != nil || len(words) < 2 {
		return nil, r.soon(), replyError(lookScript, "%v", reply)
	}
	now, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return nil, r.soon(), replyError(lookScript, "%q", words)
	}
	if words[1] == "" {
		return words[2:], r.opts.Idle, nil
	}
	next, err := strconv.ParseFloat(words[1], 64)
	if err != nil {
		return nil, r.soon(), replyError(lookScript, "%q", words)
	}
	// One ms more: a lease holds to the end of its last one.
	ahead := time.Duration(next-float64(now)+1) * time.Millisecond
	return words[2:], min(ahead, r.opts.Lease), nil
}

// Reap ends one session if its lease has ended, and returns what it held to the head
// of the queue. A session that lives, or that another process has ended, is left alone
// and is no error.
func (r *Reaper) Reap(ctx context.Context, session string) (Handed, error) {
	h, err := handback(ctx, r.rdb, r.keys, session, "reap", 0, "")
	if errors.Is(err, errLeft) {
		return Handed{}, nil
	}
	if err == nil {
		r.opts.OnReap(h)
	}
	return h, err
}
