package lease

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// DefaultAudit is how often a [Reaper] searches for what no session names.
const DefaultAudit = time.Hour

// reapAtOnce is how many ended sessions one look returns.
const reapAtOnce = 64

// ReaperOptions of a [Reaper]. The zero value means the defaults.
type ReaperOptions struct {
	// Lease is that of the sessions. Defaults to 30 s.
	Lease time.Duration
	// Self returns the id of the own session, which is left alone while it lives. Nil
	// leaves none alone.
	Self func() string
	// Audit is how often the reaper searches the keyspace for lists that belong to no
	// session. Defaults to an hour; negative never.
	Audit time.Duration
	// OnReap is told about each session that was ended. May be nil. It must not block.
	OnReap func(Handed)
	// OnError is told about errors; the reaper goes on after them. May be nil. It must
	// not block.
	OnError func(error)
}

// Reaper returns what dead processes held at one queue to the head of the queue. Every
// process runs one; they need not know of each other. It sleeps until the earliest
// lease ends, so that messages are back within 1.2 leases after their process died,
// and asks Redis about once per lease otherwise.
type Reaper struct {
	rdb  redis.UniversalClient
	keys redisson.Keys
	opts ReaperOptions
}

// NewReaper returns a reaper for the queue of keys; it asks Redis nothing yet.
func NewReaper(rdb redis.UniversalClient, keys redisson.Keys, opts ReaperOptions) *Reaper {
	if opts.Lease == 0 {
		opts.Lease = DefaultLease
	}
	if opts.Audit == 0 {
		opts.Audit = DefaultAudit
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
	return &Reaper{rdb: rdb, keys: keys, opts: opts}
}

// Run reaps until ctx ends and returns its cause.
func (r *Reaper) Run(ctx context.Context) error {
	audit, forget := time.Now().Add(r.firstAudit()), nextForget()
	failed := false
	for {
		if failed {
			// After an outage that was longer than a lease every session looks dead.
			// The living ones renew at once: they are given the time for it, or each
			// of their messages would count a death.
			if err := r.rdb.Ping(ctx).Err(); err != nil {
				if ctx.Err() == nil {
					r.opts.OnError(redisson.Classify("ping", err))
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
		}
		if r.opts.Audit > 0 && time.Until(audit) <= 0 {
			if _, err := r.Audit(ctx); err != nil && ctx.Err() == nil {
				r.opts.OnError(err)
			}
			audit = time.Now().Add(r.opts.Audit)
		}
		if time.Until(forget) <= 0 {
			if _, err := r.Forget(ctx); err != nil && ctx.Err() == nil {
				r.opts.OnError(err)
			}
			forget = nextForget()
		}
		// Jitter, so that one of many processes does the work.
		if !pause(ctx, wait+rand.N(r.opts.Lease/20+1)) {
			return context.Cause(ctx)
		}
	}
}

// firstAudit is some time within the first period: processes start together.
func (r *Reaper) firstAudit() time.Duration {
	if r.opts.Audit <= 0 {
		return 0
	}
	return r.opts.Lease + rand.N(r.opts.Audit)
}

// Sweep ends the sessions whose lease has ended, and returns how long to wait until
// the next one may: at most a lease, since a new session has a whole one ahead.
func (r *Reaper) Sweep(ctx context.Context) (time.Duration, error) {
	soon := max(r.opts.Lease/10, time.Millisecond)
	reply, err := lookScript.Run(ctx, r.rdb, []string{r.keys.Sessions}, r.opts.Self(), reapAtOnce)
	if err != nil {
		return soon, err
	}
	words, err := texts(lookScript.Name(), reply)
	if err != nil || len(words) < 2 {
		return soon, replyError(lookScript.Name(), "%v", reply)
	}
	var errs []error
	for _, session := range words[2:] {
		if _, err := r.Reap(ctx, session); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return soon, errors.Join(errs...)
	}
	if words[1] == "" {
		return r.opts.Lease, nil
	}
	now, err1 := strconv.ParseFloat(words[0], 64)
	next, err2 := strconv.ParseFloat(words[1], 64)
	if err1 != nil || err2 != nil {
		return soon, replyError(lookScript.Name(), "%q", words)
	}
	// One ms more: a lease holds to the end of its last one.
	ahead := time.Duration(next-now+1) * time.Millisecond
	return min(ahead, r.opts.Lease), nil
}

// Reap ends one session if its lease has ended, and returns what it held to the head
// of the queue. A session that lives, or that somebody else has ended, is left alone
// and is no error.
func (r *Reaper) Reap(ctx context.Context, session string) (Handed, error) {
	return r.end(ctx, session, "reap", nil)
}

func (r *Reaper) end(ctx context.Context, session, why string, extra []string) (Handed, error) {
	h, err := handback(ctx, r.rdb, r.keys, session, why, extra, 0)
	if errors.Is(err, errLeft) {
		return Handed{}, nil
	}
	if err == nil {
		r.opts.OnReap(h)
	}
	return h, err
}
