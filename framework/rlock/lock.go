package rlock

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// holder is who holds locks: one call chain, as a thread is in Java. Calls with its context have it.
type holder struct {
	locker *Locker
	id     string // the field in the hashes of its locks

	mu    sync.Mutex
	locks map[string]*hold // by the key
}

type holderKey struct{}

// holder returns that of ctx, or a new one.
func (l *Locker) holder(ctx context.Context) *holder {
	if h, ok := ctx.Value(holderKey{}).(*holder); ok && h.locker == l {
		return h
	}
	l.mu.Lock()
	l.made++
	n := l.made
	l.mu.Unlock()
	return &holder{locker: l, id: l.id + ":" + strconv.FormatUint(n, 10), locks: map[string]*hold{}}
}

// hold is what a holder has of one lock.
type hold struct {
	users int // those that hold the lock or ask for it; guarded by the mutex of the holder

	turn  chan struct{} // of the call that changes it
	count int           // how often it is held
	term  *term         // nil where it is not
}

// term is the time from the first hold of a lock to the last release.
type term struct {
	ctx   context.Context //nolint:containedctx // it is what Lock.Context returns
	end   context.CancelCauseFunc
	stop  context.CancelFunc // of the watchdog
	token int64
	lease time.Duration
}

// join returns the hold of a lock, which the holder keeps until all that joined have left.
func (h *holder) join(key string) *hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.locks[key] == nil {
		h.locks[key] = &hold{turn: make(chan struct{}, 1)}
	}
	h.locks[key].users++
	return h.locks[key]
}

func (h *holder) leave(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.locks[key]
	if at.users--; at.users == 0 {
		delete(h.locks, key)
	}
}

// Lock is a lock that is held. Its methods are safe for concurrent use.
type Lock struct {
	holder *holder
	hold   *hold
	term   *term
	name   string
	in     names
	gone   bool // released; guarded by the turn of the hold

	ctx context.Context //nolint:containedctx // it is what Lock.Context returns
	end func()          // ends it, where the lock was held already
}

// taken notes the lock that Redis has given.
func (a *acquiring) taken(ctx context.Context, began time.Time, token int64) *Lock {
	if a.hold.count == 0 {
		keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
		t := &term{token: token, lease: a.lease, stop: stop}
		t.ctx, t.end = context.WithCancelCause(context.WithValue(ctx, holderKey{}, a.holder))
		a.hold.term = t
		k := &keeper{rdb: a.locker.redis.Redis, key: a.in.lock, id: a.holder.id, name: a.name, term: t, confirmed: began, fixed: a.fixed}
		background.Go(keeping, "keep a lock", func() { k.run(keeping) })
	}
	l := &Lock{holder: a.holder, hold: a.hold, term: a.hold.term, name: a.name, in: a.in, ctx: a.hold.term.ctx, end: func() {}}
	if a.hold.count++; a.hold.count > 1 {
		own, end := context.WithCancelCause(ctx)
		stay := context.AfterFunc(l.term.ctx, func() { end(context.Cause(l.term.ctx)) }) //nolint:contextcheck // ctx may be detached from its parents
		l.ctx, l.end = own, func() { stay(); end(ErrReleased) }
	}
	return l
}

// Name is that by which the lock was acquired.
func (l *Lock) Name() string { return l.name }

// Context is a child of the context with which the lock was acquired, and carries its holder. It ends
// with a [*LostError] as its cause ([context.Cause]) when the lock is lost, and with [ErrReleased]
// at the last release; that of a lock that its holder has taken again ends at its own. What must not run without the lock takes it. The end of the parent ends
// it too, but not the lock: that takes [Lock.Release].
func (l *Lock) Context() context.Context { return l.ctx }

// Token is the fencing token, a number that grows with each acquisition; 0 without [Fenced]. A
// database that refuses tokens lower than the last one that it saw is safe from a holder
// that does not know yet that it has lost the lock.
func (l *Lock) Token() int64 { return l.term.token }

// Release ends one hold; the last one frees the lock and wakes those that wait, Java's too. A second
// call does nothing. It works although ctx has ended, then for five seconds at most.
//
// Errors: a [*LostError] where the lock was not held any more, and a [*LockError] where Redis does
// not answer: then the lock is free when its lease ends.
func (l *Lock) Release(ctx context.Context) error {
	const atMost = 5 * time.Second
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer cancel()
	l.hold.turn <- struct{}{}
	defer func() { <-l.hold.turn }()
	if l.gone {
		return nil
	}
	l.gone = true
	defer l.holder.leave(l.in.lock)
	defer l.end()
	if l.hold.count--; l.hold.count == 0 {
		defer func() {
			l.term.stop()
			l.term.end(ErrReleased)
			l.holder.locker.notify(l.in.channel) // a waiter of this process need not wait for the channel
		}()
	}
	for try := 0; ; try++ {
		value, err := releaseScript.Run(own, l.holder.locker.redis.Redis, []string{l.in.lock, l.in.channel}, l.holder.id, l.term.lease.Milliseconds(), l.hold.count)
		if err == nil {
			return l.released(value, try > 0)
		}
		if !rediserr.MayPass(err) || retry.Pause(own, retry.Backoff(try, firstPause, longPause)) != nil {
			return &LockError{Name: l.name, Op: "release", Err: err}
		}
	}
}

// released reads the answer of the script. One that was sent again may have worked the first time.
func (l *Lock) released(value any, again bool) error {
	r := script.NewReader(releaseScript, value)
	n := r.Integer()
	switch {
	case r.Err() != nil:
		return &LockError{Name: l.name, Op: "release", Err: r.Err()}
	case n < 0 && !again:
		lost := &LostError{Name: l.name}
		l.term.end(lost)
		return lost
	}
	return nil
}

// keeper renews a lock, or ends its context with the lease.
type keeper struct {
	rdb       redisapi.Client
	key, id   string
	name      string
	term      *term
	confirmed time.Time // when the script was sent that Redis confirmed last
	fixed     bool      // no watchdog
}

func (k *keeper) run(ctx context.Context) {
	if k.fixed {
		if retry.Pause(ctx, time.Until(k.confirmed.Add(k.term.lease))) == nil {
			k.lose(nil)
		}
		return
	}
	third := k.term.lease / 3
	pause, tries := third-time.Since(k.confirmed), 0
	for retry.Pause(ctx, pause) == nil {
		own, cancel := context.WithDeadline(ctx, k.confirmed.Add(2*third))
		began := time.Now()
		held, err := k.renew(own)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = retry.Backoff(tries, firstPause, longPause)
			if tries++; time.Since(k.confirmed)+pause >= 2*third {
				k.lose(err)
				return
			}
		case !held:
			k.lose(nil)
			return
		default:
			k.confirmed, pause, tries = began, third, 0
		}
	}
}

func (k *keeper) renew(ctx context.Context) (held bool, err error) {
	value, err := renewScript.Run(ctx, k.rdb, []string{k.key}, k.id, k.term.lease.Milliseconds())
	if err != nil {
		return false, err
	}
	r := script.NewReader(renewScript, value)
	return r.Integer() == 1, r.Err()
}

func (k *keeper) lose(err error) { k.term.end(&LostError{Name: k.name, Err: err}) }
