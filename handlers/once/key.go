package once

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Key names what a delivery does; package once says what makes a good one. It must return
// the same for each delivery of a message, and must be safe for concurrent use.
type Key[T any] func(d *handlers.Delivery[T]) string

// keys names the messages of one queue.
type keys[T any] struct {
	code string
	key  Key[T]
}

func newKeys[T any](q *registry.Queue[T], key Key[T]) (keys[T], []error) {
	var errs []error
	if key == nil {
		errs = append(errs, errors.New("key is nil: give a function that names what is done"))
	}
	if q == nil {
		return keys[T]{}, append(errs, errors.New("queue is nil"))
	}
	if err := q.Err(); err != nil {
		errs = append(errs, err)
	}
	return keys[T]{code: q.Code(), key: key}, errs
}

// of returns the key of a message, once it has been checked.
func (k keys[T]) of(m *handlers.Message) (string, error) {
	v, ok := m.Value.(T)
	if !ok && (m.Value != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
		return "", &handlers.ValueError{Code: k.code, Want: reflect.TypeFor[T](), Got: reflect.TypeOf(m.Value)}
	}
	name := k.key(handlers.NewDelivery(v, m))
	return name, checkKey(k.code, name)
}
