package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
)

func TestOutcomesSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"retry":                             handlers.Retry(nil),
		"retry: EOF":                        handlers.Retry(io.EOF),
		"retry after 1m0s":                  handlers.RetryAfter(time.Minute, nil),
		"retry after 1m0s: EOF":             handlers.RetryAfter(time.Minute, io.EOF),
		"rejected: no such order":           handlers.Reject("no such order"),
		"rejected: no such order: EOF":      handlers.Reject("no such order", io.EOF),
		"rejected":                          handlers.Reject(""),
		"EOF":                               handlers.Transient(io.EOF),
		"unexpected EOF":                    handlers.Permanent(io.ErrUnexpectedEOF),
		"panic: EOF":                        &handlers.PanicError{Value: io.EOF},
		"timeout after 1m0s: EOF":           &handlers.TimeoutError{After: time.Minute, Err: io.EOF},
		"timeout: EOF":                      &handlers.TimeoutError{Err: io.EOF},
		"the process is stopping":           handlers.ErrDraining,
		"the lease of the message was lost": handlers.ErrLeaseLost,
		"the handler's time is used up":     handlers.ErrTimeout,
	} {
		t.Run(want, func(t *testing.T) {
			if err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}

func TestOutcomesKeepTheirErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"retry":       handlers.Retry(wrap(io.EOF)),
		"retry after": handlers.RetryAfter(time.Minute, io.EOF),
		"reject":      handlers.Reject("why", io.ErrClosedPipe, io.EOF),
		"transient":   handlers.Transient(io.EOF),
		"permanent":   handlers.Permanent(io.EOF),
		"panic":       &handlers.PanicError{Value: io.EOF},
		"timeout":     &handlers.TimeoutError{Err: io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			if !errors.Is(err, io.EOF) {
				t.Errorf("errors.Is does not find EOF in %v", err)
			}
		})
	}
}

// coded is a third party's error that names its type.
type coded struct{}

func (coded) Error() string     { return "coded" }
func (coded) ErrorType() string { return "stock_gone" }

func TestErrorType(t *testing.T) {
	t.Parallel()
	opError := &net.OpError{Op: "dial", Err: io.EOF}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nil":                {nil, ""},
		"plain":              {io.EOF, handlers.OtherError},
		"wrapped":            {wrap(io.EOF), handlers.OtherError},
		"typed":              {wrap(opError), "*net.OpError"},
		"joined":             {errors.Join(io.EOF, opError), "*net.OpError"},
		"transient":          {handlers.Transient(opError), "*net.OpError"},
		"permanent":          {handlers.Permanent(io.EOF), handlers.OtherError},
		"named":              {wrap(coded{}), "stock_gone"},
		"canceled":           {wrap(context.Canceled), "canceled"},
		"deadline":           {wrap(context.DeadlineExceeded), "timeout"},
		"timeout":            {&handlers.TimeoutError{Err: coded{}}, "timeout"},
		"timeout cause":      {wrap(handlers.ErrTimeout), "timeout"},
		"draining":           {fmt.Errorf("%w: %w", context.Canceled, handlers.ErrDraining), "draining"},
		"lease lost":         {handlers.ErrLeaseLost, "lease_lost"},
		"panic":              {&handlers.PanicError{Value: coded{}}, "panic"},
		"rejected":           {handlers.Reject("x", coded{}), "rejected"},
		"retry":              {handlers.Retry(nil), "retry"},
		"retry of a typed":   {handlers.RetryAfter(time.Minute, opError), "*net.OpError"},
		"retry of a named":   {handlers.Retry(coded{}), "stock_gone"},
		"decode":             {&codecs.DecodeError{Codec: "kryo5"}, "decode"},
		"a mark that panics": {&shy{}, "panic"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := handlers.ErrorType(c.err); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// shy panics when asked for its type.
type shy struct{}

func (*shy) Error() string     { return "shy" }
func (*shy) ErrorType() string { panic("no") }
