package handlers_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/handlers"
)

// panicky panics with v behind Recover.
func panicky(t *testing.T, v any) error {
	t.Helper()
	next := handlers.Chain(func(context.Context, *handlers.Message) error { panic(v) }, handlers.Recover())
	return next(t.Context(), &handlers.Message{})
}

func TestRecover(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value any
		text  string
		is    error
	}{
		"text":     {"no such order", "panic: no such order", nil},
		"number":   {7, "panic: 7", nil},
		"error":    {io.ErrUnexpectedEOF, "panic: unexpected EOF", io.ErrUnexpectedEOF},
		"nil":      {nil, "panic: panic called with nil argument", nil},
		"rejected": {handlers.Reject("x"), "panic: rejected: x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := panicky(t, c.value)
			var p *handlers.PanicError
			if !errors.As(err, &p) {
				t.Fatalf("got %v, want a PanicError", err)
			}
			if p.Error() != c.text {
				t.Errorf("text %q, want %q", p.Error(), c.text)
			}
			if !strings.Contains(string(p.Stack), "panicky") {
				t.Errorf("the stack does not show where:\n%s", p.Stack)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("errors.Is does not find %v", c.is)
			}
			o := handlers.Classify(err)
			if o.Kind != handlers.Retried || o.Delay != handlers.ByPolicy || !o.CountsForBreaker || o.Transient {
				t.Errorf("classified %+v", o)
			}
			if got := handlers.ErrorType(err); got != "panic" {
				t.Errorf("error type %q", got)
			}
		})
	}
}

func TestRecoverPanicNilWhateverGODEBUGSays(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	err := panicky(t, nil)
	var p *handlers.PanicError
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a PanicError", err)
	}
	if _, ok := p.Value.(*runtime.PanicNilError); !ok {
		t.Errorf("value %T", p.Value)
	}
}

func TestRecoverLeavesResultsAlone(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, io.EOF} {
		next := handlers.Chain(func(context.Context, *handlers.Message) error { return want }, handlers.Recover())
		if got := next(t.Context(), &handlers.Message{}); !errors.Is(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestRecoverDoesNotStopGoexit(t *testing.T) {
	t.Parallel()
	next := handlers.Chain(func(context.Context, *handlers.Message) error { runtime.Goexit(); return nil }, handlers.Recover())
	ended, returned := make(chan struct{}), false
	go func() {
		defer close(ended)
		_ = next(t.Context(), &handlers.Message{})
		returned = true
	}()
	<-ended
	if returned {
		t.Error("the goroutine went on after Goexit")
	}
}
