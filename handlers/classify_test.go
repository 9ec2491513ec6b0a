package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
)

// marked is a third party's error with marks of its own.
type marked struct{ transient, permanent bool }

func (m *marked) Error() string   { return "marked" }
func (m *marked) Transient() bool { return m.transient }
func (m *marked) Permanent() bool { return m.permanent }

func wrap(err error) error { return fmt.Errorf("load order: %w", fmt.Errorf("query: %w", err)) }

func TestClassify(t *testing.T) {
	t.Parallel()
	retried := handlers.Outcome{Kind: handlers.Retried, Delay: handlers.ByPolicy, CountsForBreaker: true}
	quiet := handlers.Outcome{Kind: handlers.Retried, Delay: handlers.ByPolicy}
	transient := retried
	transient.Transient = true
	rejected := func(reason string) handlers.Outcome {
		return handlers.Outcome{Kind: handlers.Rejected, Reason: reason}
	}
	after := func(d time.Duration, counts, transient bool) handlers.Outcome {
		return handlers.Outcome{Kind: handlers.Retried, Delay: d, CountsForBreaker: counts, Transient: transient}
	}
	released := handlers.Outcome{Kind: handlers.Released}
	decode := &codecs.DecodeError{Codec: "kryo5", Offset: 3, Reason: "no such class"}

	for name, c := range map[string]struct {
		err  error
		want handlers.Outcome
	}{
		"nil":                       {nil, handlers.Outcome{}},
		"plain":                     {io.EOF, retried},
		"plain, wrapped":            {wrap(io.EOF), retried},
		"canceled, nobody says why": {context.Canceled, retried},
		"deadline":                  {context.DeadlineExceeded, retried},

		"retry":                      {handlers.Retry(io.EOF), retried},
		"retry without error":        {handlers.Retry(nil), quiet},
		"retry, wrapped":             {wrap(handlers.Retry(nil)), quiet},
		"retry of transient":         {handlers.Retry(handlers.Transient(io.EOF)), transient},
		"retry of permanent":         {handlers.Retry(handlers.Permanent(io.EOF)), quiet},
		"retry after":                {handlers.RetryAfter(time.Minute, io.EOF), after(time.Minute, true, false)},
		"retry after, no error":      {handlers.RetryAfter(time.Minute, nil), after(time.Minute, false, false)},
		"retry after, transient":     {handlers.RetryAfter(time.Minute, handlers.Transient(io.EOF)), after(time.Minute, true, true)},
		"retry after, now":           {handlers.RetryAfter(0, io.EOF), after(0, true, false)},
		"retry after, in the past":   {handlers.RetryAfter(-time.Minute, io.EOF), after(0, true, false)},
		"retry inside retry":         {handlers.RetryAfter(time.Minute, handlers.Retry(nil)), after(time.Minute, false, false)},
		"snooze":                     {handlers.Snooze(time.Minute, io.EOF), after(time.Minute, false, true)},
		"snooze, in the past":        {handlers.Snooze(-time.Minute, nil), after(0, false, true)},
		"retry of a decode error":    {handlers.Retry(decode), quiet},
		"reject":                     {handlers.Reject("no such order"), rejected("no such order")},
		"reject with errors":         {handlers.Reject("no such order", nil, io.EOF), rejected("no such order")},
		"reject, wrapped":            {wrap(handlers.Reject("no such order")), rejected("no such order")},
		"reject without reason":      {handlers.Reject("", io.EOF), rejected("rejected: EOF")},
		"reject of transient":        {handlers.Reject("why", handlers.Transient(io.EOF)), rejected("why")},
		"permanent":                  {handlers.Permanent(io.EOF), rejected("EOF")},
		"permanent, wrapped":         {wrap(handlers.Permanent(io.EOF)), rejected("load order: query: EOF")},
		"permanent of nil":           {handlers.Permanent(nil), handlers.Outcome{}},
		"transient":                  {handlers.Transient(io.EOF), transient},
		"transient, wrapped":         {wrap(handlers.Transient(io.EOF)), transient},
		"transient of nil":           {handlers.Transient(nil), handlers.Outcome{}},
		"transient of permanent":     {handlers.Transient(handlers.Permanent(io.EOF)), transient},
		"permanent of transient":     {handlers.Permanent(handlers.Transient(io.EOF)), rejected("EOF")},
		"marked transient":           {wrap(&marked{transient: true}), transient},
		"marked permanent":           {wrap(&marked{permanent: true}), rejected("load order: query: marked")},
		"marked both":                {&marked{transient: true, permanent: true}, transient},
		"marked neither":             {wrap(&marked{}), retried},
		"marked neither, then below": {errors.Join(&marked{}, handlers.Permanent(io.EOF)), rejected("marked\nEOF")},

		"joined, first wins":       {errors.Join(handlers.Transient(io.EOF), handlers.Reject("x")), transient},
		"joined, unmarked first":   {errors.Join(io.EOF, handlers.RetryAfter(time.Minute, nil)), after(time.Minute, false, false)},
		"joined, wrapped":          {wrap(errors.Join(io.EOF, wrap(&marked{transient: true}))), transient},
		"two in one Errorf":        {fmt.Errorf("%w and %w", io.EOF, handlers.Reject("x")), rejected("x")},
		"decode":                   {wrap(decode), rejected("load order: query: decode kryo5 at byte 3: no such class")},
		"panic":                    {&handlers.PanicError{Value: "x"}, retried},
		"panic with a mark":        {&handlers.PanicError{Value: handlers.Reject("x")}, retried},
		"panic beside a mark":      {handlers.Permanent(&handlers.PanicError{Value: "x"}), rejected("panic: x")},
		"timeout":                  {&handlers.TimeoutError{Err: io.EOF}, retried},
		"timeout without error":    {&handlers.TimeoutError{}, retried},
		"timeout of a transient":   {&handlers.TimeoutError{Err: handlers.Transient(io.EOF)}, transient},
		"timeout of a retry":       {&handlers.TimeoutError{Err: handlers.RetryAfter(time.Hour, io.EOF)}, after(time.Hour, true, false)},
		"the timeout cause":        {handlers.ErrTimeout, retried},
		"draining":                 {wrap(handlers.ErrDraining), released},
		"lease lost":               {handlers.ErrLeaseLost, released},
		"transient, by draining":   {handlers.Transient(handlers.ErrDraining), transient},
		"canceled and draining":    {fmt.Errorf("%w: %w", context.Canceled, handlers.ErrDraining), released},
		"nil among joined":         {odd{nil, io.EOF}, retried},
		"an error that wraps none": {odd{}, retried},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := handlers.Classify(c.err)
			if !sameError(got.Err, c.err) {
				t.Errorf("error %v, want %v", got.Err, c.err)
			}
			got.Err = nil
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// odd wraps whatever it is told to; it is not comparable.
type odd []error

func (o odd) Error() string   { return "odd" }
func (o odd) Unwrap() []error { return o }

func sameError(a, b error) bool {
	if _, ok := a.(odd); ok { //nolint:errorlint // the very value is meant
		_, ok = b.(odd) //nolint:errorlint // the very value is meant
		return ok
	}
	return a == b //nolint:errorlint // the very value is meant
}

// circle wraps itself.
type circle struct{}

func (c *circle) Error() string { return "circle" }
func (c *circle) Unwrap() error { return c }

// bomb panics when it is looked at.
type bomb struct{}

func (*bomb) Error() string   { return "bomb" }
func (*bomb) Transient() bool { panic("boom") }

// fuse panics when its text is asked for.
type fuse struct{ text *string }

func (f *fuse) Error() string { return *f.text }

func TestClassifySurvivesBrokenErrors(t *testing.T) {
	t.Parallel()
	var none *fuse
	for name, err := range map[string]error{
		"wraps itself":                  &circle{},
		"wraps itself many times":       odd{&circle{}, &circle{}, &circle{}},
		"a mark that panics":            wrap(&bomb{}),
		"a text that panics":            handlers.Permanent(none),
		"a typed nil":                   none,
		"a typed nil of our own (rare)": (*handlers.TimeoutError)(nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, o := range []handlers.Outcome{handlers.Classify(err), handlers.Settle(t.Context(), err)} {
				if o.Kind != handlers.Retried || !o.CountsForBreaker || o.Err == nil {
					t.Errorf("got %+v, want a retry that counts for the breaker", o)
				}
			}
			if handlers.ErrorType(err) == "" {
				t.Error("no error type")
			}
			if p := handlers.PanicOf(err); p != nil {
				t.Errorf("a panic was found: %v", p)
			}
		})
	}
	var p *handlers.PanicError
	if o := handlers.Classify(wrap(&bomb{})); !errors.As(o.Err, &p) || p.Value != "boom" {
		t.Errorf("the panic is not told: %v", o.Err)
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	running, drained, lost := t.Context(), ended(handlers.ErrDraining), ended(handlers.ErrLeaseLost)
	wrappedCause, other := ended(wrap(handlers.ErrLeaseLost)), ended(io.ErrClosedPipe)
	timedOut := timeoutContext{ended(handlers.ErrTimeout)}
	canceled := wrap(context.Canceled)

	for name, c := range map[string]struct {
		ctx     context.Context
		err     error
		kind    handlers.Kind
		counts  bool
		matches error // what Outcome.Err must match, besides err
	}{
		"running, success":         {running, nil, handlers.Done, false, nil},
		"running, canceled":        {running, canceled, handlers.Retried, true, nil},
		"drained, success":         {drained, nil, handlers.Done, false, nil},
		"drained, canceled":        {drained, canceled, handlers.Released, false, handlers.ErrDraining},
		"lost, canceled":           {lost, canceled, handlers.Released, false, handlers.ErrLeaseLost},
		"lost, wrapped cause":      {wrappedCause, canceled, handlers.Released, false, handlers.ErrLeaseLost},
		"drained, the cause":       {drained, handlers.ErrDraining, handlers.Released, false, nil},
		"drained, a driver's word": {drained, io.ErrClosedPipe, handlers.Released, false, handlers.ErrDraining},
		"drained, transient":       {drained, handlers.Transient(canceled), handlers.Released, false, handlers.ErrDraining},
		"drained, permanent":       {drained, handlers.Permanent(io.EOF), handlers.Rejected, false, nil},
		"drained, reject":          {drained, handlers.Reject("no such order"), handlers.Rejected, false, nil},
		"drained, retry":           {drained, handlers.RetryAfter(time.Hour, nil), handlers.Retried, false, nil},
		"drained, careless mark":   {drained, handlers.Permanent(canceled), handlers.Released, false, handlers.ErrDraining},
		"drained, careless retry":  {drained, handlers.Retry(canceled), handlers.Released, false, handlers.ErrDraining},
		"drained, panic":           {drained, &handlers.PanicError{Value: canceled}, handlers.Retried, true, nil},
		"drained after a timeout":  {drained, &handlers.TimeoutError{Err: canceled}, handlers.Retried, true, nil},
		"ended by others":          {other, canceled, handlers.Retried, true, nil},
		"timed out":                {timedOut, wrap(context.DeadlineExceeded), handlers.Retried, true, handlers.ErrTimeout},
		"timed out, driver's word": {timedOut, io.ErrClosedPipe, handlers.Retried, true, handlers.ErrTimeout},
		"timed out, reject":        {timedOut, handlers.Reject("no such order"), handlers.Rejected, false, nil},
		"timed out, success":       {timedOut, nil, handlers.Done, false, nil},
		"timed out, panic":         {timedOut, &handlers.PanicError{Value: io.EOF}, handlers.Retried, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := handlers.Settle(c.ctx, c.err)
			if o.Kind != c.kind || o.CountsForBreaker != c.counts {
				t.Errorf("got %+v, want %v, counted: %v", o, c.kind, c.counts)
			}
			for _, want := range []error{c.err, c.matches} {
				if want != nil && !errors.Is(o.Err, want) {
					t.Errorf("%v does not match %v", o.Err, want)
				}
			}
		})
	}
}

// timeoutContext reports a deadline as an engine's own context does.
type timeoutContext struct{ context.Context }

func (c timeoutContext) Err() error { return context.DeadlineExceeded }

func TestKindNames(t *testing.T) {
	t.Parallel()
	for kind, want := range map[handlers.Kind]string{
		handlers.Done: "done", handlers.Retried: "retried", handlers.Rejected: "rejected",
		handlers.Released: "released", 9: "kind(9)",
	} {
		t.Run(want, func(t *testing.T) {
			if kind.String() != want {
				t.Errorf("got %q, want %q", kind, want)
			}
		})
	}
}
