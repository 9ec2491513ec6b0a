package handlers

import (
	"context"
	"fmt"
	"reflect"
)

// Bind erases the type of a handler: the innermost step of a chain. It hands
// Message.Value to h as a [Delivery]; the value must be of type T, or nil where
// T is an interface type, otherwise the error is a [*ValueError].
// It costs one allocation per message, the Delivery.
func Bind[T any](h Handler[T]) Next {
	return func(ctx context.Context, m *Message) error {
		v, ok := m.Value.(T)
		if !ok && (m.Value != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
			return &ValueError{Code: m.Code, Want: reflect.TypeFor[T](), Got: reflect.TypeOf(m.Value)}
		}
		return h.Handle(ctx, &Delivery[T]{Payload: v, message: m})
	}
}

// ValueError says that a value of the wrong type arrived at a handler: a
// middleware replaced Message.Value by something else. It is a mistake of the
// program, so the message is retried like after any failure.
type ValueError struct {
	Code string       // queue code
	Want reflect.Type // type of the handler's payload
	Got  reflect.Type // type of the value, nil for a nil value
}

// Error tells both types.
func (e *ValueError) Error() string {
	got := "nil"
	if e.Got != nil {
		got = e.Got.String()
	}
	return fmt.Sprintf("queue %q: the handler takes %s but the value is %s: does a middleware replace it?", e.Code, e.Want, got)
}

// ErrorType returns "value", the low-cardinality name used in telemetry.
func (e *ValueError) ErrorType() string { return "value" }
