package errtext

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs"
)

// Bounds of what is logged, in bytes.
const (
	MaxLogText  = 2 << 10  // of one value
	maxLogStack = 16 << 10 // of a stack, which has lines
)

// stackKey is the one attribute whose value has several lines: it comes from the Go
// runtime, and holds no word of a message.
const stackKey = "stack"

// logGuard makes every value that this module logs printable and bounded before the
// user's handler sees it: errors and names come from payloads, from handlers and from
// Redis, and not every handler quotes what it writes. It wraps the logger once, so that
// no call can forget it. A handler that panics loses its lines and costs nobody anything
// else: stderr is told once.
type logGuard struct {
	next slog.Handler
	told *atomic.Bool // that the handler panics
}

// survive is deferred around each call of the handler.
func (g logGuard) survive() {
	if p := recover(); p != nil && !g.told.Swap(true) {
		fmt.Fprintf(os.Stderr, "duequeue: the slog.Handler panics: %s\nIts lines are lost, now and at each later panic; messages are not affected.\n%s",
			codecs.Printable(fmt.Sprint(p), MaxLogText), debug.Stack())
	}
}

// Guard returns a logger whose values are printable and bounded, and that survives a handler
// which panics. Nil is [slog.Default].
func Guard(log *slog.Logger) *slog.Logger {
	if log == nil {
		log = slog.Default()
	}
	if _, ok := log.Handler().(logGuard); ok {
		return log
	}
	return slog.New(logGuard{log.Handler(), new(atomic.Bool)})
}

// Enabled asks the handler.
func (g logGuard) Enabled(ctx context.Context, l slog.Level) bool {
	defer g.survive()
	return g.next.Enabled(ctx, l)
}

// Handle hands on a record of printable values.
func (g logGuard) Handle(ctx context.Context, r slog.Record) error {
	defer g.survive()
	out := slog.NewRecord(r.Time, r.Level, codecs.Printable(r.Message, MaxLogText), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a = printableAttr(a); a.Key != "" {
			out.AddAttrs(a)
		}
		return true
	})
	return g.next.Handle(ctx, out)
}

// WithAttrs hands on printable values.
func (g logGuard) WithAttrs(attrs []slog.Attr) slog.Handler {
	return g.with(func() slog.Handler { return g.next.WithAttrs(printableAttrs(attrs)) })
}

// WithGroup hands the group on.
func (g logGuard) WithGroup(name string) slog.Handler {
	return g.with(func() slog.Handler { return g.next.WithGroup(name) })
}

// with guards the handler that f returns, and stays as it is where f panics.
func (g logGuard) with(f func() slog.Handler) slog.Handler {
	func() {
		defer g.survive()
		g.next = f()
	}()
	return g
}

func printableAttrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = printableAttr(a)
	}
	return out
}

func printableAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		if v.String() == "" {
			return slog.Attr{} // what is not known is left out, such as the id of some messages
		}
		if a.Key == stackKey {
			v = slog.StringValue(codecs.PrintableLines(v.String(), maxLogStack))
			break
		}
		v = slog.StringValue(codecs.Printable(v.String(), MaxLogText))
	case slog.KindGroup:
		v = slog.GroupValue(printableAttrs(v.Group())...)
	case slog.KindAny:
		if v.Any() == nil {
			return slog.Attr{}
		}
		v = printableAny(v.Any())
	case slog.KindDuration: // slog's JSON would have ns
		v = slog.StringValue(v.Duration().String())
	default: // numbers, times
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// printableAny keeps an error whose text may be printed as it is, since handlers look
// into errors; all else becomes its text, which one whose Error method panics has not.
func printableAny(v any) slog.Value {
	err, ok := v.(error)
	if !ok {
		return slog.StringValue(codecs.Printable(fmt.Sprint(v), MaxLogText))
	}
	text, asItIs := Try(err, MaxLogText)
	if !asItIs {
		return slog.AnyValue(&loggedError{err, text})
	}
	return slog.AnyValue(err)
}

// loggedError is an error with a text that may be printed.
type loggedError struct {
	err  error
	text string
}

// Error returns the printable text.
func (e *loggedError) Error() string { return e.text }

// Unwrap returns the error as it was.
func (e *loggedError) Unwrap() error { return e.err }
