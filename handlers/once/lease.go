package once

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// DefaultLease is how much longer than the handler's time a mark holds, when the process
// that has set it dies.
const DefaultLease = 30 * time.Second

// leasePrefix begins the keys of marks: duequeue:once:{<code>}:<key>.
const leasePrefix = "duequeue:once:"

// done is the value of a mark whose work is done; while it is not, it is a random token.
const done = "done"

// Lease returns a middleware for handlers that act outside of a database: it marks in Redis
// the key that is being worked on, and keeps the mark for the time of [Keep] when the
// handler has succeeded. A second delivery that finds it done is acknowledged without a
// call. One that finds it being worked on comes again when that must have ended: it counts
// as an attempt, but not for the breaker. An error of the handler removes the mark.
//
// What it cannot do: where the process dies, or Redis loses the mark, between the call of
// the other service and the mark that says so, the call is made again. Give that service the
// same key, and it acts once.
//
// A mark is a key of Redis, duequeue:once:{code}:key, and ends by itself. The mistakes of
// all arguments come together, as those of [In]. client stays the caller's.
func Lease[T any](client redis.Cmdable, q *registry.Queue[T], key Key[T], opts ...Option) (handlers.Middleware, error) {
	named, s, errs := prepare(q, key, opts)
	if client == nil {
		errs = append(errs, errors.New("client is nil"))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("once.Lease: %w", errors.Join(errs...))
	}
	p := q.Policy()
	l := &marks[T]{keys: named, client: client, keep: s.keep, hold: p.Timeout + p.Grace + DefaultLease}
	return l.middleware, nil
}

// marks are the keys in Redis of one queue.
type marks[T any] struct {
	keys       keys[T]
	client     redis.Cmdable
	keep, hold time.Duration
}

// finish sets or removes a mark if it is still ours.
var finish = redis.NewScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3])
return 1`)

func (l *marks[T]) middleware(next handlers.Next) handlers.Next {
	return func(ctx context.Context, m *handlers.Message) error {
		name, err := l.keys.of(ctx, m)
		if err != nil {
			return err
		}
		mark, token := leasePrefix+"{"+l.keys.code+"}:"+name, rand.Text()
		free, err := l.client.SetNX(ctx, mark, token, l.hold).Result()
		if err != nil {
			return l.failed("set", err)
		}
		if !free {
			if ours, err := l.taken(ctx, mark, token); !ours {
				return err
			}
		}
		ended := false
		defer func() {
			if !ended { // an error or a panic: another attempt may begin at once
				l.settle(ctx, mark, token, "")
			}
		}()
		if err := next(ctx, m); err != nil {
			return err
		}
		ended = true
		l.settle(ctx, mark, token, done)
		return nil
	}
}

// taken says what becomes of a delivery whose mark is set. The mark is ours where the client has
// sent the command again: Redis had set it, and the first reply was lost.
func (l *marks[T]) taken(ctx context.Context, mark, token string) (ours bool, err error) {
	value, err := l.client.Get(ctx, mark).Result()
	switch {
	case errors.Is(err, redis.Nil): // it has just ended
		return false, handlers.RetryAfter(0, nil)
	case err != nil:
		return false, l.failed("read", err)
	case value == token:
		return true, nil
	case value == done:
		return false, nil
	}
	left, err := l.client.PTTL(ctx, mark).Result()
	if err != nil {
		return false, l.failed("read", err)
	}
	return false, handlers.RetryAfter(left, nil)
}

// settle ends a mark, also where ctx has ended. An error changes nothing for the message:
// the handler has done its work, and the mark ends by itself.
func (l *marks[T]) settle(ctx context.Context, mark, token, value string) {
	const patience = 5 * time.Second
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_ = finish.Run(own, l.client, []string{mark}, token, value, l.keep.Milliseconds()).Err()
}

func (l *marks[T]) failed(step string, err error) error {
	return &MarkError{Code: l.keys.code, Step: step, Err: err}
}

// MarkError says that Redis refused to mark what [Lease] is to do. The handler was not
// called; the message is retried without a charge.
type MarkError struct {
	Code string // of the queue
	Step string // "set" or "read"
	Err  error  // what Redis answered
}

// Error says which step failed.
func (e *MarkError) Error() string {
	return fmt.Sprintf("queue %q: Redis failed to %s the mark of once.Lease, so the handler was not called: %v", e.Code, e.Step, e.Err)
}

// Unwrap returns what Redis answered.
func (e *MarkError) Unwrap() error { return e.Err }

// Transient reports true: see [handlers.Transient].
func (e *MarkError) Transient() bool { return true }

// ErrorType returns "once_mark", the low-cardinality name used in telemetry.
func (e *MarkError) ErrorType() string { return "once_mark" }
