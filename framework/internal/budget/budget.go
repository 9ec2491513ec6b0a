// Package budget bounds the share of Redis's time that commands of a client take together. A
// budget goes with a context: the hook of the client counts every command under it, and lets it
// wait while the budget is used up, so that no caller can forget to.
package budget

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/turns"
)

const (
	// saved is for how long a budget that is not used is saved up.
	saved = 30 * time.Second
	// ahead is for how long commands may use up the budget ahead.
	ahead = time.Minute
	// waitMost is how long a command waits for the budget.
	waitMost = 10 * time.Second
	// unanswered is what a command costs at most that Redis did not answer.
	unanswered = 100 * time.Millisecond

	waitOfOne, waitInAll = 100, 1000
)

// BusyError says that a budget is used up.
type BusyError struct {
	For time.Duration
}

// Error says for how long.
func (e *BusyError) Error() string {
	return fmt.Sprintf("the share of Redis's time is used up for %v", e.For.Round(time.Second))
}

// Budget is a share of the time, which is saved up for a while. Make it with [New]. It is safe for
// concurrent use.
type Budget struct {
	share float64
	turns *turns.Turns // of those who wait

	mu     sync.Mutex
	level  time.Duration // what may be spent; below zero what was spent too much
	filled time.Time
}

// New returns a budget of a share, from above 0 to 1.
func New(share float64) *Budget {
	return &Budget{
		share: share, turns: turns.New(1, waitOfOne, waitInAll),
		level: time.Duration(share * float64(saved)),
	}
}

// key is that of the budget in a context.
type key struct{}

// spending is who spends which budget.
type spending struct {
	of    *Budget
	who   string
	begun bool // it waits no more
}

// Of lets who spend this budget by all commands under a context.
func (b *Budget) Of(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, key{}, spending{of: b, who: who})
}

// Begun returns a context whose commands count and do not wait: what is begun is brought to its end.
func Begun(ctx context.Context) context.Context {
	s, ok := ctx.Value(key{}).(spending)
	if !ok {
		return ctx
	}
	s.begun = true
	return context.WithValue(ctx, key{}, s)
}

// Await waits until the budget of a context allows a command, in turn with others. While the budget
// is short it is the turn of one at a time: call end when what it is for is spent. The error is a
// [*BusyError] or the cause of the end of ctx.
func Await(ctx context.Context) (end func(), err error) {
	s, _ := ctx.Value(key{}).(spending)
	if s.of == nil || s.begun || s.of.wait() == 0 && !s.of.turns.Taken() {
		return func() {}, nil
	}
	return s.of.await(ctx, s.who)
}

func (b *Budget) await(ctx context.Context, who string) (end func(), err error) {
	within, cancel := context.WithTimeout(ctx, waitMost)
	defer cancel()
	if end, err = b.turns.Take(within, who); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, &BusyError{For: max(b.wait(), time.Second)}
	}
	for waited := time.Duration(0); err == nil; {
		wait := b.wait()
		switch {
		case wait == 0:
			return end, nil
		case waited+wait > waitMost:
			err = &BusyError{For: wait}
		default:
			waited += wait
			err = retry.Pause(ctx, wait)
		}
	}
	end()
	return nil, err
}

// Left reports whether there is some that was not spent ahead.
func (b *Budget) Left() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	return b.level > 0
}

// wait is for how long the budget is used up.
func (b *Budget) wait() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	least := -time.Duration(b.share * float64(ahead))
	if b.level > least {
		return 0
	}
	return time.Duration(float64(least-b.level)/b.share) + time.Millisecond
}

// fill adds what has come since the last time.
func (b *Budget) fill() {
	now := time.Now()
	if !b.filled.IsZero() {
		most := time.Duration(b.share * float64(saved))
		b.level = min(b.level+time.Duration(b.share*float64(now.Sub(b.filled))), most)
	}
	b.filled = now
}

// Spend counts time that Redis has worked.
func (b *Budget) Spend(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	b.level -= d
}

// spend asks Redis for some commands, as the budget of their context allows.
func spend(ctx context.Context, s spending, cmds []redis.Cmder, ask func() error) error {
	end, err := Await(ctx)
	if err != nil {
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
	defer end()
	began := time.Now()
	err = ask()
	took := time.Since(began)
	var answered redis.Error
	if err != nil && !errors.As(err, &answered) {
		took = min(took, unanswered)
	}
	s.of.Spend(took)
	return err
}

// Hook is the door: each client of Redis has it, of a cluster each node.
type Hook struct{}

var _ redis.Hook = Hook{}

// DialHook changes nothing.
func (Hook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

// ProcessHook counts a command.
func (Hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		s, ok := ctx.Value(key{}).(spending)
		if !ok {
			return next(ctx, cmd)
		}
		return spend(ctx, s, []redis.Cmder{cmd}, func() error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook counts a batch.
func (Hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		s, ok := ctx.Value(key{}).(spending)
		if !ok {
			return next(ctx, cmds)
		}
		return spend(ctx, s, cmds, func() error { return next(ctx, cmds) })
	}
}
