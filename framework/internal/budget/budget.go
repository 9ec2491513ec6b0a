// Package budget bounds the share of Redis's time that commands of a client take together. A
// budget goes with a context: the hook of the client counts every command under it, and lets it
// wait while the budget is used up, so that no caller can forget to.
//
// A round trip is charged with the time that Redis may have worked for it, which is at most the
// time that it took without the time on the network. A PING, which costs Redis nothing, measures
// the network once a minute. A fast reply costs [leastOfOne] for each command, which is more than
// most commands take; a slow one costs [mostOfOne] at most: the commands that a budget covers have
// bounds of their own, so that what takes longer waits for the network, or for a Redis that works
// for others. What is spent ahead is bounded too, so that nobody waits for a budget for long.
package budget

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/retry"
)

const (
	// saved is for how long a budget that is not used is saved up.
	saved = 30 * time.Second
	// ahead is for how long commands may use up the budget ahead.
	ahead = time.Minute
	// behind is for how long a command may make others wait, whatever it took.
	behind = 2 * time.Second
	// waitMost is how long a command waits for the budget.
	waitMost = 10 * time.Second
	// leastOfOne is what each command costs, mostOfOne what a round trip costs at most.
	leastOfOne = 50 * time.Microsecond
	mostOfOne  = 50 * time.Millisecond
	// measureEvery is for how long a round trip of a PING holds.
	measureEvery = time.Minute

	waitOfOne, waitInAll = 100, 1000
)

// BusyError says that a budget is used up.
type BusyError struct {
	For time.Duration
}

// Error says for how long Redis is spared.
func (e *BusyError) Error() string {
	return fmt.Sprintf("Redis is spared for %v more", e.For.Round(time.Second))
}

// Budget is a share of the time, which is saved up for a while. Make it with [New]. It is safe for
// concurrent use.
type Budget struct {
	part  float64
	turns *Turns // of those who wait

	mu     sync.Mutex
	level  time.Duration // what may be spent; below zero what was spent too much
	filled time.Time

	trip     time.Duration // the shortest round trip of the network that is known
	measured time.Time     // when it was; zero for never
}

// New returns a budget of a share, from above 0 to 1.
func New(share float64) *Budget {
	return &Budget{
		part: share, turns: NewTurns(1, waitOfOne, waitInAll),
		level: time.Duration(share * float64(saved)),
	}
}

// key is that of the budget in a context.
type key struct{}

// spending is who spends which budget.
type spending struct {
	of     *Budget
	who    string
	behind bool         // nobody waits for it
	begun  *atomic.Bool // it waits no more
}

// Of lets who spend this budget by all commands under a context.
func (b *Budget) Of(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, key{}, spending{of: b, who: who, begun: new(atomic.Bool)})
}

// Behind is [Budget.Of] for what goes on while no person waits for it: it leaves half of what is
// saved to people.
func (b *Budget) Behind(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, spending{of: b, behind: true, begun: new(atomic.Bool)})
}

// Begun returns a context whose commands count and do not wait: what is begun is brought to its end.
func Begun(ctx context.Context) context.Context {
	s, ok := ctx.Value(key{}).(spending)
	if !ok {
		return ctx
	}
	s.begun = new(atomic.Bool)
	s.begun.Store(true)
	return context.WithValue(ctx, key{}, s)
}

// Await waits until the budget of a context allows a command, in turn with others; all that follows
// under the context does not wait again. While the budget is short it is the turn of one at a time:
// call end when what it is for is spent. The error is a [*BusyError] or the cause of the end of ctx.
func Await(ctx context.Context) (end func(), err error) {
	s, _ := ctx.Value(key{}).(spending)
	if end, err = s.await(ctx); err == nil && s.of != nil {
		s.begun.Store(true)
	}
	return end, err
}

func (s spending) await(ctx context.Context) (end func(), err error) {
	if s.of == nil || s.begun.Load() {
		return func() {}, nil
	}
	switch wait := s.of.wait(s); {
	case wait > 0 && s.behind: // it takes nobody's turn
		return nil, &BusyError{For: wait}
	case wait == 0 && !s.of.turns.Taken():
		return func() {}, nil
	}
	return s.of.await(ctx, s)
}

func (b *Budget) await(ctx context.Context, s spending) (end func(), err error) {
	within, cancel := context.WithTimeout(ctx, waitMost)
	defer cancel()
	if end, err = b.turns.Take(within, s.who); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, &BusyError{For: max(b.wait(s), time.Second)}
	}
	for waited := time.Duration(0); err == nil; {
		wait := b.wait(s)
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

// Left reports whether the budget of a context has some that was not spent ahead, and is not kept
// for others.
func Left(ctx context.Context) bool {
	s, _ := ctx.Value(key{}).(spending)
	if s.of == nil {
		return true
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.fill()
	return s.of.level > max(s.of.least(s), 0)
}

// share is what may be spent in a time.
func (b *Budget) share(d time.Duration) time.Duration { return time.Duration(b.part * float64(d)) }

// least is the level at which nothing may be spent.
func (b *Budget) least(s spending) time.Duration {
	if s.behind {
		return b.share(saved) / 2
	}
	return -b.share(ahead)
}

// wait is for how long nothing may be spent.
func (b *Budget) wait(s spending) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	least := b.least(s)
	if b.level > least {
		return 0
	}
	return time.Duration(float64(least-b.level)/b.part) + time.Millisecond
}

// fill adds what has come since the last time.
func (b *Budget) fill() {
	now := time.Now()
	if !b.filled.IsZero() {
		b.level = min(b.level+b.share(now.Sub(b.filled)), b.share(saved))
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

// charge counts a round trip of some commands.
func (b *Budget) charge(commands int, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	cost := min(max(took-b.trip, time.Duration(commands)*leastOfOne), mostOfOne)
	b.level = max(b.level-cost, min(b.level, -b.share(ahead+behind)))
}

// measures reports whether the network is to be measured now.
func (b *Budget) measures() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.measured.IsZero() && time.Since(b.measured) < measureEvery {
		return false
	}
	b.measured = time.Now()
	return true
}

func (b *Budget) measure(trip time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trip = trip
}

// Trip returns the round trip of the network that the budget of a context has measured; 0 without
// one.
func Trip(ctx context.Context) time.Duration {
	s, _ := ctx.Value(key{}).(spending)
	if s.of == nil {
		return 0
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.of.trip
}

// spend asks Redis for some commands, as the budget of their context allows. The PING goes by ping
// behind them, on a connection that is open by then.
func spend(ctx context.Context, s spending, cmds []redis.Cmder, ask func() error, ping func(ctx context.Context, cmd redis.Cmder) error) error {
	end, err := s.await(ctx)
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
	if s.of.measures() {
		began = time.Now()
		_ = ping(ctx, redis.NewStatusCmd(ctx, "ping")) // an error took a round trip, too
		s.of.measure(min(time.Since(began), took))
	}
	s.of.charge(len(cmds), took)
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
		return spend(ctx, s, []redis.Cmder{cmd}, func() error { return next(ctx, cmd) }, next)
	}
}

// ProcessPipelineHook counts a batch.
func (Hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		s, ok := ctx.Value(key{}).(spending)
		if !ok {
			return next(ctx, cmds)
		}
		return spend(ctx, s, cmds, func() error { return next(ctx, cmds) }, func(ctx context.Context, cmd redis.Cmder) error { return next(ctx, []redis.Cmder{cmd}) })
	}
}
