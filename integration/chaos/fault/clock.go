package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"
)

// Clock is a wrong clock for Java and other programs that ask the C library for the time,
// by libfaketime. (Go programs do not, see [BuildSkewed]; a redis-server hangs with it,
// see [RedisClock].) It can be set while they run; they notice within about a second.
// Their monotonic time stays true.
type Clock struct {
	dir  string
	file string
}

// NewClock makes a clock that is wrong by skew, ahead when that is positive. It needs
// libfaketime ([ErrNoFaketime]). Close removes its file; programs that use it go on
// as they are.
func NewClock(skew time.Duration) (*Clock, error) {
	if _, err := FaketimeLibrary(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "duequeue-clock-")
	if err != nil {
		return nil, err
	}
	c := &Clock{dir: dir, file: filepath.Join(dir, "clock")}
	if err := c.Set(skew); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Env is what programs that live by the clock need in their environment.
func (c *Clock) Env() ([]string, error) { return faketimeEnv(c.file) }

// Set changes how wrong the clock is.
func (c *Clock) Set(skew time.Duration) error { return writeSkew(c.file, skew) }

// Close removes the clock's file.
func (c *Clock) Close() error { return os.RemoveAll(c.dir) }

// Skewed is a clock that can be made wrong: [*Clock].
type Skewed interface {
	Set(skew time.Duration) error
}

// ClockJump sets a clock by skew; Heal sets it right. Both return when read, which asks
// a program that lives by it for the time, sees that.
func ClockJump(name string, c Skewed, skew time.Duration, read func(context.Context) (time.Time, error)) Fault {
	f := &simple{state: state{name: name, unit: "clock jumps seen"}}
	to := func(ctx context.Context, skew time.Duration) error {
		if err := c.Set(skew); err != nil {
			return err
		}
		if err := awaitSkew(ctx, skew, read); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	f.begin = func(ctx context.Context) error {
		if err := to(ctx, skew); err != nil {
			return errors.Join(err, c.Set(0))
		}
		return nil
	}
	f.end = func(ctx context.Context) error { return to(ctx, 0) }
	return f
}

// RedisClock is [ClockJump] for a server that was started with [ServerOptions].Clock:
// forward, Redis's scripts find leases at an end and messages due too early; backward
// at Heal, both wait.
func RedisClock(s *Server, skew time.Duration) Fault {
	f := ClockJump(fmt.Sprintf("Redis's clock jumps by %v and back", skew), s.clock(), skew, func(ctx context.Context) (time.Time, error) {
		return s.client.Time(ctx).Result()
	})
	if !s.options.Clock {
		f.(*simple).begin = func(context.Context) error {
			return fmt.Errorf("%w: the server was started without ServerOptions.Clock", ErrNoTarget)
		}
	}
	return f
}

const skewSlack = 500 * time.Millisecond

// awaitSkew waits until a clock is wrong by skew, half a second more or less.
func awaitSkew(ctx context.Context, skew time.Duration, read func(context.Context) (time.Time, error)) error {
	return await(ctx, func() error {
		before := time.Now()
		got, err := read(ctx)
		if errors.Is(err, redis.ErrClosed) {
			return err
		}
		if err != nil {
			return errors.Join(errNotYet, err)
		}
		if off := got.Sub(before) - skew; off < -skewSlack || off > skewSlack+time.Since(before) {
			return fmt.Errorf("%w: the clock is wrong by %v, not by %v: %w", errNotYet, got.Sub(before), skew, ErrNoEffect)
		}
		return nil
	})
}
