package framework

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// Bounds of what is logged.
const (
	maxLogText  = 2 << 10  // of one value
	maxLogStack = 16 << 10 // of a stack, which has lines
)

// stackKey is the one attribute whose value has several lines: it comes from the Go
// runtime, and holds no word of a message.
const stackKey = "stack"

// logGuard makes every value that this module logs printable and bounded before the
// user's handler sees it: errors and names come from payloads, from handlers and from
// Redis, and not every handler quotes what it writes. It wraps the logger once, so that
// no call can forget it.
type logGuard struct{ next slog.Handler }

// guarded returns the logger behind a guard.
func guarded(log *slog.Logger) *slog.Logger {
	if _, ok := log.Handler().(logGuard); ok {
		return log
	}
	return slog.New(logGuard{log.Handler()})
}

// Enabled asks the handler.
func (g logGuard) Enabled(ctx context.Context, l slog.Level) bool { return g.next.Enabled(ctx, l) }

// Handle hands on a record of printable values.
func (g logGuard) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, codecs.Printable(r.Message, maxLogText), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(printableAttr(a))
		return true
	})
	return g.next.Handle(ctx, out)
}

// WithAttrs hands on printable values.
func (g logGuard) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logGuard{g.next.WithAttrs(printableAttrs(attrs))}
}

// WithGroup hands the group on.
func (g logGuard) WithGroup(name string) slog.Handler { return logGuard{g.next.WithGroup(name)} }

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
		if a.Key == stackKey {
			v = slog.StringValue(codecs.PrintableLines(v.String(), maxLogStack))
			break
		}
		v = slog.StringValue(codecs.Printable(v.String(), maxLogText))
	case slog.KindGroup:
		v = slog.GroupValue(printableAttrs(v.Group())...)
	case slog.KindAny:
		v = printableAny(v.Any())
	default: // numbers, times
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// printableAny keeps an error whose text may be printed as it is, since handlers look
// into errors; all else becomes its text, which one whose Error method panics has not.
func printableAny(v any) slog.Value {
	err, ok := v.(error)
	if !ok {
		return slog.StringValue(codecs.Printable(fmt.Sprint(v), maxLogText))
	}
	text, asItIs := errtext.Try(err, maxLogText)
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
