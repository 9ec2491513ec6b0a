package lease

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
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
	// Idle is after how long [Reapers] look again where no other session is registered; one
	// that comes and dies meanwhile is found so much later. Defaults to Lease.
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
// process runs one, see [Reapers]; they need not know of each other.
type Reaper struct {
	rdb  redisapi.Client
	keys wire.Keys
	opts ReaperOptions
}

// NewReaper returns a reaper for the queue of keys; it asks Redis nothing yet.
func NewReaper(rdb redisapi.Client, keys wire.Keys, opts ReaperOptions) *Reaper {
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

// Sweep ends the sessions whose lease has ended, and returns how long to wait until
// the next one may: at most a lease, since a new session has a whole one ahead, and Idle
// where there is none.
func (r *Reaper) Sweep(ctx context.Context) (time.Duration, error) {
	return r.sweep(ctx, script.RunAll(ctx, r.rdb, []script.Call{r.look()})[0])
}

// sweep is Sweep from the answer to the first look on.
func (r *Reaper) sweep(ctx context.Context, answer script.Reply) (time.Duration, error) {
	for {
		ended, wait, err := r.looked(answer)
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
		answer = script.RunAll(ctx, r.rdb, []script.Call{r.look()})[0]
	}
}

// soon is the wait after a failure.
func (r *Reaper) soon() time.Duration { return max(r.opts.Lease/10, time.Millisecond) }

// look asks which leases have ended.
func (r *Reaper) look() script.Call {
	return script.Call{
		Script: lookScript, Keys: []string{r.keys.Sessions, r.keys.Leases},
		Args: []any{r.opts.Self(), reapAtOnce, r.opts.Lease.Milliseconds()},
	}
}

// looked returns sessions whose lease has ended, some where there are very many, and how
// long to wait for the next one.
func (r *Reaper) looked(answer script.Reply) (ended []string, wait time.Duration, err error) {
	if answer.Err != nil {
		return nil, r.soon(), answer.Err
	}
	words, err := texts(lookScript, answer.Value, 0)
	if err != nil || len(words) < 2 {
		return nil, r.soon(), replyError(lookScript, "%v", answer.Value)
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
