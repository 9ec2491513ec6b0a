package lease

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Session is one process at one queue. Take and Wait are for one goroutine, calls
// of several wait for each other; all other methods may be called at any time.
type Session struct {
	keys    wire.Keys
	opts    Options
	shared  redisapi.Client
	lanes   lanes
	stage   string
	fetches string
	ledger  ledger
	notes   journal.Pages // that the next take or ack brings to the journal

	turn turn   // of Take, Wait and the end of Close
	args []any  // of the take script, reused
	last uint64 // number of the last fetch
	// replySize is how large the next reply of the take script may be, roughly.
	replySize int
	// pending is the fetch of a take whose reply was lost: it is asked again before
	// anything else.
	pending *fetch

	expiry    expiry
	processes atomic.Int64 // sessions at the queue when this one was renewed last

	mu         sync.Mutex // guards what follows
	touched    bool       // something was sent that registers the session
	registered bool       // Redis knew the session when it was asked last
	epoch      uint64     // grows when Take or Wait registered the session
	inRedis    int        // fetches of this one that Redis had then; -1 for unknown
	strays     bool       // they were more than this process knew of
	validUntil time.Time
	clock      serverClock
	emptied    serverClock // when a take found nothing last
	closed     bool
	abandoned  error
	waiter     *waiter
	// severedUntil is until when a blocking move may go on in Redis whose connection
	// was closed here; zero for none.
	severedUntil time.Time
}

// New returns a session at the queue of keys. It asks Redis nothing: the first Take
// or Wait registers it. take is the client of the takes, whose options the session's own
// connection uses (address, user, timeouts); shared carries everything else. Both are
// *redis.Client (also of Sentinel) or *redis.ClusterClient. Mistakes in opts come
// back all together.
func New(take, shared redisapi.Client, keys wire.Keys, opts Options) (*Session, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	for _, c := range []redisapi.Client{take, shared} {
		if !redisapi.Supported(c) {
			return nil, &OptionError{"client", "must be a *redis.Client or a *redis.ClusterClient"}
		}
	}
	s := &Session{
		keys: keys, opts: opts, shared: shared, turn: make(turn, 1),
		lanes:   lanes{template: take, key: keys.Queue, block: opts.Block},
		stage:   keys.Stage(opts.SessionID),
		fetches: keys.Fetches(opts.SessionID),
		expiry:  expiry{epoch: time.Now()},
	}
	return s, nil
}

// ID returns the session's id.
func (s *Session) ID() string { return s.opts.SessionID }

// Keys returns the keys of its queue.
func (s *Session) Keys() wire.Keys { return s.keys }

// Lease returns the length of its lease.
func (s *Session) Lease() time.Duration { return s.opts.Lease }

// LeaseValidUntil returns until when this process may act on what it holds: two
// thirds of the lease after it last asked for a renewal that was confirmed, by its
// own monotonic clock. Later, others may have the messages. The zero time before the
// first Take.
func (s *Session) LeaseValidUntil() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.validUntil
}

// Expired reports whether now, a reading of time.Now, is later than LeaseValidUntil. It
// takes no lock: it is asked before each message. It looks at the wall clock too:
// the monotonic one stands still on many systems while the machine is suspended. A wall
// clock that is set forward makes it true until the next renewal.
func (s *Session) Expired(now time.Time) bool { return s.expiry.over(now) }

// ServerTime estimates Redis's clock from the last answer that carried it. ok is
// false before the first one.
func (s *Session) ServerTime() (t time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock.at.IsZero() {
		return time.Time{}, false
	}
	return time.UnixMilli(s.clock.now()), true
}

// serverClock is Redis's clock as seen at one moment.
type serverClock struct {
	ms int64
	at time.Time
}

func (c serverClock) now() int64 { return c.ms + time.Since(c.at).Milliseconds() }

// usable refuses calls that take from the queue after the session has ended.
func (s *Session) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.abandoned
}

// confirmed notes a renewal that was asked for at start and answered with the
// server's time.
func (s *Session) confirmed(start time.Time, nowMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewedLocked(start)
	s.clock = serverClock{ms: nowMs, at: time.Now()}
}

func (s *Session) renewedLocked(start time.Time) {
	if until := start.Add(s.opts.Lease * 2 / 3); until.After(s.validUntil) {
		s.validUntil = until
		s.expiry.set(until)
	}
}

// run executes a script over the shared client and explains wrong types.
func (s *Session) run(ctx context.Context, sc *script.Script, keys []string, args ...any) (any, error) {
	value, err := sc.Run(ctx, s.shared, keys, args...)
	return value, s.explain(ctx, err)
}

// explain finds the key behind a WRONGTYPE answer that names none.
func (s *Session) explain(ctx context.Context, err error) error {
	var wrong *fault.WrongTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Key == "":
	case wrong == nil && err != nil && strings.Contains(err.Error(), "WRONGTYPE Operation"):
		wrong = &fault.WrongTypeError{Err: err} // miniredis wraps what scripts run into
	default:
		return err
	}
	want := append(s.keys.Typed(), wire.TypedKey{Key: s.stage, Type: "list"}, wire.TypedKey{Key: s.fetches, Type: "set"})
	for _, w := range want {
		got, typeErr := s.shared.Type(ctx, w.Key).Result()
		if typeErr != nil {
			return err
		}
		if got != "none" && got != w.Type {
			return &fault.WrongTypeError{Key: w.Key, Want: w.Type, Got: got, Script: wrong.Script, Err: wrong.Err}
		}
	}
	return err
}
