package handlers_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/handlers"
)

// bound runs m through a handler of T and returns what the handler got.
func bound[T any](t *testing.T, m *handlers.Message) (got T, called bool, err error) {
	t.Helper()
	next := handlers.Bind(handlers.Func[T](func(_ context.Context, d *handlers.Delivery[T]) error {
		if d.Message() != m {
			t.Error("the delivery is of another message")
		}
		got, called = d.Payload, true
		return nil
	}))
	err = next(t.Context(), m)
	return got, called, err
}

func TestBindHandsOverTheValue(t *testing.T) {
	t.Parallel()
	if got, called, err := bound[int64](t, &handlers.Message{Value: int64(7)}); got != 7 || !called || err != nil {
		t.Errorf("int64: %v %v %v", got, called, err)
	}
	order := &benchOrder{ID: "100"}
	if got, called, err := bound[*benchOrder](t, &handlers.Message{Value: order}); got != order || !called || err != nil {
		t.Errorf("pointer: %v %v %v", got, called, err)
	}
	if got, called, err := bound[*benchOrder](t, &handlers.Message{Value: (*benchOrder)(nil)}); got != nil || !called || err != nil {
		t.Errorf("nil pointer: %v %v %v", got, called, err)
	}
	// Java's null in a queue of any.
	if got, called, err := bound[any](t, &handlers.Message{}); got != nil || !called || err != nil {
		t.Errorf("nil interface: %v %v %v", got, called, err)
	}
	if got, called, err := bound[error](t, &handlers.Message{Value: io.EOF}); got != io.EOF || !called || err != nil { //nolint:errorlint // the very value is meant
		t.Errorf("interface: %v %v %v", got, called, err)
	}
}

func TestBindRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	check := func(name string, called bool, err error, want, got reflect.Type) {
		t.Helper()
		var ve *handlers.ValueError
		if called || !errors.As(err, &ve) {
			t.Fatalf("%s: called %v, error %v", name, called, err)
		}
		if ve.Code != "ORDER" || ve.Want != want || ve.Got != got {
			t.Errorf("%s: %+v", name, ve)
		}
		if !strings.Contains(err.Error(), want.String()) {
			t.Errorf("%s: %q does not name the type", name, err)
		}
		if o := handlers.Classify(err); o.Kind != handlers.Retried || handlers.ErrorType(err) != "value" {
			t.Errorf("%s: classified %+v, type %s", name, o, handlers.ErrorType(err))
		}
	}
	_, called, err := bound[string](t, &handlers.Message{Code: "ORDER", Value: 7})
	check("int for string", called, err, reflect.TypeFor[string](), reflect.TypeFor[int]())
	_, called, err = bound[string](t, &handlers.Message{Code: "ORDER"})
	check("nil for string", called, err, reflect.TypeFor[string](), nil)
	_, called, err = bound[error](t, &handlers.Message{Code: "ORDER", Value: "x"})
	check("string for error", called, err, reflect.TypeFor[error](), reflect.TypeFor[string]())
}

func TestBindAllocatesOnce(t *testing.T) {
	next := handlers.Chain(
		handlers.Bind(handlers.Func[*benchOrder](func(context.Context, *handlers.Delivery[*benchOrder]) error { return nil })),
		handlers.Recover(),
	)
	m := &handlers.Message{Value: &benchOrder{}}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { _ = next(ctx, m) }); n > 1 {
		t.Errorf("%v allocations per message, want at most 1", n)
	}
}

func TestChainOrder(t *testing.T) {
	t.Parallel()
	var steps []string
	mark := func(name string) handlers.Middleware {
		return func(next handlers.Next) handlers.Next {
			return func(ctx context.Context, m *handlers.Message) error {
				steps = append(steps, name+" in")
				defer func() { steps = append(steps, name+" out") }()
				return next(ctx, m)
			}
		}
	}
	inner := func(context.Context, *handlers.Message) error {
		steps = append(steps, "handler")
		return io.EOF
	}
	err := handlers.Chain(inner, mark("first"), nil, mark("second"))(t.Context(), &handlers.Message{})
	if !errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
	if want := []string{"first in", "second in", "handler", "second out", "first out"}; !slices.Equal(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
	if err := handlers.Chain(inner)(t.Context(), &handlers.Message{}); !errors.Is(err, io.EOF) {
		t.Errorf("without middleware: %v", err)
	}
}
