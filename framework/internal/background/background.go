// Package background starts the goroutines of this module; nothing else does. A panic in one of
// them does not end the user's process. What happens instead depends on who needs the goroutine:
//
//   - [Go] and [Group.Go] start work whose state is lost with a panic, such as what takes
//     messages. It stays ended: /livez fails, so that the process is restarted.
//   - [Group.Task] starts work that nothing needs, such as a look that warns.
//   - [Group.Loop] starts a loop that may begin anew, such as a connection that tells of changes.
//     It is started again after a pause.
//   - [Call] runs work of one call, and [Parts] parts of it side by side. The call gets the panic:
//     as an error, or as a panic of its own.
//
// Each panic is one record in the log, with its stack.
package background

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/handlers"
)

// Pauses before a loop is started again.
const (
	restartFirst = 100 * time.Millisecond
	restartMost  = time.Minute
	// steady is after how long a loop that panics counts as one that works.
	steady = 5 * time.Minute
)

// Go runs f on a goroutine that nobody waits for. Of what ctx carries, the panics and their log
// are used; its end changes nothing. The name says in log and health what the goroutine does.
func Go(ctx context.Context, name string, f func()) { go run(ctx, name, f) }

func run(ctx context.Context, name string, f func()) {
	defer end(ctx, name)
	f()
}

// end is deferred: it notes that a goroutine has ended by a panic.
func end(ctx context.Context, name string) {
	if p := recover(); p != nil {
		panics(ctx).add(ctx, name, asError(p), ended)
	}
}

// Group are goroutines that their owner waits for. The zero value is ready. Like a
// [sync.WaitGroup] it may be used again.
type Group struct{ running sync.WaitGroup }

// Go is [Go] in the group.
func (g *Group) Go(ctx context.Context, name string, f func()) {
	g.running.Add(1)
	go func() {
		defer g.running.Done()
		run(ctx, name, f)
	}()
}

// Loop runs f in the group until it returns. Where it panics it is called again after a pause,
// until ctx ends. So f must be able to begin anew, and what it has started must end with it.
func (g *Group) Loop(ctx context.Context, name string, f func()) {
	g.running.Add(1)
	go func() {
		defer g.running.Done()
		for failed := 0; ; failed++ {
			began := time.Now()
			err := asPanic(Try(func() error { f(); return nil }))
			if err == nil {
				return
			}
			panics(ctx).add(ctx, name, err, restarts)
			if time.Since(began) > steady {
				failed = 0
			}
			if retry.Pause(ctx, retry.Backoff(failed, restartFirst, restartMost)) != nil {
				return
			}
		}
	}()
}

// Task runs f in the group once. Nothing needs what it does: a panic is logged, and that is all.
func (g *Group) Task(ctx context.Context, name string, f func()) {
	g.Go(ctx, name, func() {
		_ = Call(ctx, name, func() error { f(); return nil }) // the log has it
	})
}

// Wait waits until all have ended.
func (g *Group) Wait() { g.running.Wait() }

// Call runs f on the caller's goroutine and returns its error. A panic is logged, and is the
// error: a [*handlers.PanicError].
func Call(ctx context.Context, name string, f func() error) error {
	err := Try(f)
	if p := asPanic(err); p != nil {
		panics(ctx).add(ctx, name, p, failedCall)
	}
	return err
}

// asPanic returns the error that [Try] has made of a panic, else nil.
func asPanic(err error) *handlers.PanicError {
	p, _ := err.(*handlers.PanicError) //nolint:errorlint // of the function itself: what it wraps is not its panic
	return p
}

// Later runs f on a goroutine of its own. The channel gets its error, as [Call] returns it.
func Later(ctx context.Context, name string, f func() error) <-chan error {
	done := make(chan error, 1)
	Go(ctx, name, func() { done <- Call(ctx, name, f) })
	return done
}

// Try is [Call] without a log, for code of users' that says what it did by its error alone.
func Try(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
	}()
	return f()
}

// asError makes an error of what was given to panic. It is called by who recovers.
func asError(p any) *handlers.PanicError {
	if err, ok := p.(*handlers.PanicError); ok { // of Parts
		return err
	}
	return &handlers.PanicError{Value: p, Stack: debug.Stack()}
}

// Parts are parts of the work of one call, side by side. The zero value is ready.
type Parts struct {
	running sync.WaitGroup
	first   atomic.Pointer[handlers.PanicError]
}

// Go runs one part.
func (ps *Parts) Go(f func()) {
	ps.running.Add(1)
	go func() {
		defer ps.running.Done()
		defer func() {
			if p := recover(); p != nil {
				ps.first.CompareAndSwap(nil, asError(p))
			}
		}()
		f()
	}()
}

// Wait waits for all parts. Where one has panicked it panics, as if the caller had done the work
// of that part itself: a caller must not take what is missing for a result.
func (ps *Parts) Wait() {
	ps.running.Wait()
	if p := ps.first.Swap(nil); p != nil {
		panic(p)
	}
}

// Panics are those of the goroutines of one client or of another owner of goroutines. A context
// carries them to where goroutines are started. Safe for concurrent use; nil notes nothing.
type Panics struct {
	log *slog.Logger

	mu  sync.Mutex
	all map[string]Panic // by name
}

// Panic says what is known of the panics of goroutines of one name.
type Panic struct {
	Name        string
	Times       int
	First, Last time.Time
	Ended       bool // a goroutine that is needed has ended; else it was started again, or a call has failed
}

// NewPanics returns those of an owner. A nil log is the one of the process.
func NewPanics(log *slog.Logger) *Panics {
	return &Panics{log: errtext.Guard(log), all: map[string]Panic{}}
}

type key struct{}

// In returns a context whose goroutines tell these.
func (p *Panics) In(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, p)
}

// All returns what is known, by name.
func (p *Panics) All() []Panic {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.all), func(a, b Panic) int { return a.First.Compare(b.First) })
}

// String says it in a line for health, without what was given to panic.
func (p Panic) String() string {
	at := p.First.UTC().Format(time.RFC3339)
	if p.Ended {
		return fmt.Sprintf("a goroutine of duequeue panicked: %s, since %s; restart the process; its log has the stack", p.Name, at)
	}
	return fmt.Sprintf("a goroutine of duequeue panicked %d times, and goes on: %s, first at %s, last at %s; the log has the stack",
		p.Times, p.Name, at, p.Last.UTC().Format(time.RFC3339))
}

// panics are those that a context carries, or such that only log.
func panics(ctx context.Context) *Panics {
	if p, ok := ctx.Value(key{}).(*Panics); ok {
		return p
	}
	return NewPanics(nil)
}

// what becomes of a goroutine that has panicked.
type fate uint8

const (
	ended fate = iota
	restarts
	failedCall
)

// add notes a panic and logs it.
func (p *Panics) add(ctx context.Context, name string, err *handlers.PanicError, of fate) {
	now := time.Now()
	p.mu.Lock()
	one, known := p.all[name]
	if !known {
		one = Panic{Name: name, First: now}
	}
	one.Times++
	one.Last = now
	one.Ended = one.Ended || of == ended
	p.all[name] = one
	times := one.Times
	p.mu.Unlock()
	switch of {
	case ended:
		p.log.ErrorContext(ctx, "a goroutine of duequeue panicked and has ended: restart the process", "goroutine", name, "err", err, "times", times, "stack", string(err.Stack))
	case restarts:
		p.log.ErrorContext(ctx, "a goroutine of duequeue panicked, and is started again", "goroutine", name, "err", err, "times", times, "stack", string(err.Stack))
	case failedCall:
		p.log.ErrorContext(ctx, "duequeue panicked in a call, which has failed", "goroutine", name, "err", err, "times", times, "stack", string(err.Stack))
	}
}
