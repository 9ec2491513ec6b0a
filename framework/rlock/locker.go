package rlock

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
)

//go:embed lua
var luaFiles embed.FS

var (
	library       = script.NewLibrary(luaFiles)
	acquireScript = library.Script("acquire")
	renewScript   = library.Script("renew")
	releaseScript = library.Script("release")
)

// DefaultWatchdog is Redisson's lockWatchdogTimeout.
const DefaultWatchdog = 30 * time.Second

// shortest is the shortest lease: a shorter one ends before a slow reply has come.
const shortest = 100 * time.Millisecond

// Option is an option of [New].
type Option func(*Locker) error

// Watchdog is the lease of locks without [Lease]: they are renewed after each third of it, and
// after the death of a holder they are free when it ends. [DefaultWatchdog] by default, 100 ms
// at least. It need not be that of Java's services.
func Watchdog(d time.Duration) Option {
	return func(l *Locker) error {
		if d < shortest {
			return fmt.Errorf("Watchdog(%v): at least %v", d, shortest)
		}
		l.watchdog = d
		return nil
	}
}

// Locker takes locks. Make one with [New] for a process. It is safe for concurrent use.
type Locker struct {
	redis    access.Client
	watchdog time.Duration
	id       string // of this locker, as Redisson has one for each instance

	mu      sync.Mutex
	made    uint64 // holders
	lines   map[string]*line
	notices *notices // nil until somebody waits
	closed  bool
}

// New returns a locker over the Redis of client, which stays the caller's. The client's name
// mapping applies to the names of locks, as Redisson's NameMapper does. All mistakes in opts come
// together.
func New(client *framework.Client, opts ...Option) (*Locker, error) {
	if client == nil {
		return nil, errors.New("rlock.New: client is nil")
	}
	l := &Locker{redis: access.Of(client), watchdog: DefaultWatchdog, id: uuid.NewString(), lines: map[string]*line{}}
	var errs []error
	for _, opt := range opts {
		if opt != nil {
			errs = append(errs, opt(l))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("rlock.New: %w", err)
	}
	return l, nil
}

// Close ends the subscription of those that wait. They look at Redis from time to time from then on;
// locks that are held stay held.
func (l *Locker) Close() {
	l.mu.Lock()
	n := l.notices
	l.closed, l.notices = true, nil
	l.mu.Unlock()
	n.close()
}

// AcquireOption is an option of [Locker.Acquire], [Locker.TryAcquire] and [Around].
type AcquireOption func(*settings) error

type settings struct {
	lease  time.Duration // 0: the watchdog's
	fenced bool
	wait   time.Duration // of Around
	again  time.Duration // of Around
}

// apply returns all mistakes together.
func (s *settings) apply(opts []AcquireOption) error {
	var errs []error
	for _, opt := range opts {
		errs = append(errs, opt(s))
	}
	return errors.Join(errs...)
}

// Lease ends the lock after d, as Java's lock(d, unit) does: no watchdog renews it, and the
// context of the lock ends with it. At least 100 ms. A holder that takes a lock again keeps the lease
// with which it took the lock first.
func Lease(d time.Duration) AcquireOption {
	return func(s *settings) error {
		if d < shortest {
			return fmt.Errorf("Lease(%v): at least %v", d, shortest)
		}
		s.lease = d
		return nil
	}
}

// Fenced counts a fencing token at each acquisition, as Java's getFencedLock does; see
// [Lock.Token]. All holders of the lock must use it.
func Fenced() AcquireOption {
	return func(s *settings) error {
		s.fenced = true
		return nil
	}
}

// Acquire takes the lock, and waits for it until ctx ends.
//
// Errors: ctx's when it ends first, [ErrReadWrite] and what Redis answered as a [*LockError].
// An answer of Redis that passes by itself, and a broken connection, are tried again until ctx
// ends.
func (l *Locker) Acquire(ctx context.Context, name string, opts ...AcquireOption) (*Lock, error) {
	return l.TryAcquire(ctx, name, math.MaxInt64, opts...)
}

// TryAcquire is [Locker.Acquire] that waits no longer than wait; with 0 it asks once. Where another
// holder has the lock for all that time, the error is a [*HeldError].
func (l *Locker) TryAcquire(ctx context.Context, name string, wait time.Duration, opts ...AcquireOption) (*Lock, error) {
	s := settings{}
	if err := s.apply(opts); err != nil {
		return nil, &LockError{Name: name, Op: "acquire", Err: err}
	}
	return l.acquire(ctx, name, wait, s)
}

// names are those of a lock in Redis. Redisson puts a name without a brace in braces, so that all
// fall into one slot of a Cluster.
type names struct{ lock, channel, token string }

func (l *Locker) namesOf(name string) (names, error) {
	k, err := l.redis.Keys(name)
	if err != nil {
		return names{}, err
	}
	return names{lock: k.Queue, channel: "redisson_lock__channel:" + k.Tag(), token: "redisson_lock_token:" + k.Tag()}, nil
}

func (l *Locker) acquire(ctx context.Context, name string, wait time.Duration, s settings) (*Lock, error) {
	in, err := l.namesOf(name)
	if err != nil {
		return nil, &LockError{Name: name, Op: "acquire", Err: err}
	}
	a := &acquiring{settings: s, locker: l, holder: l.holder(ctx), name: name, in: in, fixed: s.lease > 0}
	a.hold = a.holder.join(in.lock)
	if !a.fixed {
		a.lease = l.watchdog
	}
	if wait < math.MaxInt64 {
		a.until = time.Now().Add(wait)
	}
	lock, err := a.run(ctx, wait)
	if lock == nil {
		a.holder.leave(in.lock)
	}
	var held *HeldError
	if err == nil || errors.As(err, &held) || errors.Is(err, ctx.Err()) {
		return lock, err
	}
	return nil, &LockError{Name: name, Op: "acquire", Err: err}
}

// acquiring is one call of acquire.
type acquiring struct {
	settings

	locker *Locker
	holder *holder
	hold   *hold
	name   string
	in     names
	fixed  bool      // no watchdog
	until  time.Time // the zero time: as long as the context lasts

	unclear bool // a reply is lost: Redis may have given the lock
}

// tries space those that a failing connection needs.
const (
	firstPause = 20 * time.Millisecond
	longPause  = time.Second
)

// run asks at once, and then in line with the others of this process.
func (a *acquiring) run(ctx context.Context, wait time.Duration) (*Lock, error) {
	left, lock, err := a.ask(ctx)
	if err != nil || lock != nil {
		return lock, err
	}
	held := &HeldError{Name: a.name, Left: left}
	if wait <= 0 {
		return nil, held
	}
	over := make(<-chan time.Time)
	if wait < math.MaxInt64 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	line := a.locker.join(ctx, a.in)
	defer a.locker.leave(a.in, line)
	select {
	case line.turn <- struct{}{}:
		defer func() { <-line.turn }()
	case <-over:
		return nil, held
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		if held.Left, lock, err = a.ask(ctx); err != nil || lock != nil {
			return lock, err
		}
		look := time.NewTimer(untilLook(held.Left))
		select {
		case <-line.notice:
		case <-look.C:
		case <-over:
			look.Stop()
			return nil, held
		case <-ctx.Done():
			look.Stop()
			return nil, ctx.Err()
		}
		look.Stop()
	}
}

// lookEvery bounds how long a waiter trusts the channel: a notice may be lost with its connection,
// and those of a sharded channel are not heard.
const lookEvery = 250 * time.Millisecond

// untilLook is how long a waiter sleeps without a notice.
func untilLook(left time.Duration) time.Duration {
	if left < 0 || left > lookEvery {
		return lookEvery
	}
	return max(left, time.Millisecond)
}

// ask asks Redis for the lock until it answers. left is that of the other's lease.
func (a *acquiring) ask(ctx context.Context) (left time.Duration, lock *Lock, err error) {
	for try := 0; ; try++ {
		if left, lock, err = a.once(ctx); err == nil {
			return left, lock, nil
		}
		late := !a.until.IsZero() && !time.Now().Before(a.until)
		if late || !rediserr.MayPass(err) || retry.Pause(ctx, retry.Backoff(try, firstPause, longPause)) != nil {
			if a.unclear {
				a.giveBack(ctx)
			}
			return 0, nil, errors.Join(ctx.Err(), err)
		}
	}
}

// once asks once. It has the turn of the hold for no longer than that, so that other calls of the
// holder do not wait for as long as this one does.
func (a *acquiring) once(ctx context.Context) (left time.Duration, lock *Lock, err error) {
	select {
	case a.hold.turn <- struct{}{}:
		defer func() { <-a.hold.turn }()
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
	lease := a.lease
	if a.hold.count > 0 { // another lease would end that of the first hold, which its watchdog does not know
		lease = a.hold.term.lease
	}
	began := time.Now()
	value, err := acquireScript.Run(ctx, a.locker.redis.Redis, []string{a.in.lock, a.in.token},
		a.holder.id, lease.Milliseconds(), a.hold.count+1, script.Flag(a.fenced))
	if err != nil {
		a.unclear = a.unclear || rediserr.IsAmbiguous(err)
		return 0, nil, err
	}
	a.unclear = false
	return a.answer(ctx, began, value)
}

// giveBack releases what may have been taken although the answer did not come.
func (a *acquiring) giveBack(ctx context.Context) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), longPause)
	defer cancel()
	a.hold.turn <- struct{}{}
	defer func() { <-a.hold.turn }()
	if a.hold.count == 0 {
		_, _ = releaseScript.Run(own, a.locker.redis.Redis, []string{a.in.lock, a.in.channel}, a.holder.id, a.lease.Milliseconds(), 0) // else its lease ends
	}
}

// answer reads that of the script.
func (a *acquiring) answer(ctx context.Context, began time.Time, value any) (left time.Duration, lock *Lock, err error) {
	r := script.NewReader(acquireScript, value)
	switch n := r.Integer(); {
	case r.Err() != nil:
		return 0, nil, r.Err()
	case n < 0:
		return 0, nil, ErrReadWrite
	case n == 0:
		ms := r.Integer()
		return time.Duration(ms) * time.Millisecond, nil, r.Err()
	}
	token := r.Integer()
	if r.Err() != nil {
		return 0, nil, r.Err()
	}
	return 0, a.taken(ctx, began, token), nil
}
