package rlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
)

// What [Around] waits by default.
const (
	DefaultWait  = 50 * time.Millisecond
	DefaultAgain = time.Second
)

// Wait is how long a worker waits for a lock before it gives the message back, [DefaultWait] by
// default; 0 asks once. Of [Around] alone.
func Wait(d time.Duration) AcquireOption {
	return func(s *settings) error {
		if d < 0 {
			return fmt.Errorf("Wait(%v): negative", d)
		}
		s.wait = d
		return nil
	}
}

// Again is after how long a message comes again whose lock another had, earlier where the other's
// lease ends earlier; [DefaultAgain] by default. Of [Around] alone.
func Again(d time.Duration) AcquireOption {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("Again(%v): must be positive", d)
		}
		s.again = d
		return nil
	}
}

// Around returns a middleware that holds a lock while the handler runs. name names the lock of a
// message, "" for none; it must be safe for concurrent use. The handler's context is
// [Lock.Context], and [Held] returns the lock.
//
// A message whose lock another holds waits for a short time ([Wait]), then goes back without an
// attempt and without a mark of the breaker, and comes again soon ([Again]). A message whose handler
// is interrupted by the loss of the lock is not charged either. A message whose lock has a name that is
// not allowed goes to the dead store.
func Around[T any](l *Locker, name func(d *handlers.Delivery[T]) string, opts ...AcquireOption) (handlers.Middleware, error) {
	s := settings{wait: DefaultWait, again: DefaultAgain}
	var errs []error
	if l == nil {
		errs = append(errs, errors.New("locker is nil"))
	}
	if name == nil {
		errs = append(errs, errors.New("name is nil: give a function that names the lock"))
	}
	if err := errors.Join(append(errs, s.apply(opts))...); err != nil {
		return nil, fmt.Errorf("rlock.Around: %w", err)
	}
	return func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			var of string
			err := handlers.Bind(handlers.Func[T](func(_ context.Context, d *handlers.Delivery[T]) error {
				of = name(d)
				return nil
			}))(ctx, m)
			if err != nil {
				return err
			}
			if of == "" {
				return next(ctx, m)
			}
			return l.around(ctx, of, s, func(ctx context.Context) error { return next(ctx, m) })
		}
	}, nil
}

type lockKey struct{}

// Held returns the lock that [Around] holds for the handler of ctx, nil without one.
func Held(ctx context.Context) *Lock {
	lock, _ := ctx.Value(lockKey{}).(*Lock)
	return lock
}

// around calls f with the lock.
func (l *Locker) around(ctx context.Context, name string, s settings, f func(ctx context.Context) error) error {
	lock, err := l.acquire(ctx, name, s.wait, s)
	if held := (*HeldError)(nil); errors.As(err, &held) {
		again := s.again
		if held.Left >= 0 {
			again = min(again, held.Left)
		}
		return handlers.Snooze(again, err)
	}
	if errors.As(err, new(*fault.NameError)) { // of this message: it must not open the breaker for the others
		return handlers.Permanent(err)
	}
	if err != nil {
		return handlers.Transient(err)
	}
	defer func() { _ = lock.Release(ctx) }() // the work is done; else the lock ends with its lease
	ctx = lock.Context()                     //nolint:contextcheck // it is a child of ctx
	err = f(context.WithValue(ctx, lockKey{}, lock))
	if lost := (*LostError)(nil); err != nil && errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &lost) {
		return handlers.Transient(fmt.Errorf("%w: %w", lost, err))
	}
	return err
}
