package once

import (
	"context"
	"errors"

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

// prepare checks what [In] and [Lease] have in common, and returns all mistakes.
func prepare[T any](q *registry.Queue[T], key Key[T], opts []Option) (keys[T], settings, []error) {
	s, errs := apply(opts)
	if key == nil {
		errs = append(errs, errors.New("key is nil: give a function that names what is done"))
	}
	if q == nil {
		return keys[T]{}, s, append(errs, errors.New("queue is nil"))
	}
	if err := q.Err(); err != nil {
		errs = append(errs, err)
	}
	if longest := longestWait(q.Policy()); s.keep <= longest {
		errs = append(errs, &KeepError{Code: q.Code(), Keep: s.keep, Longest: longest})
	}
	return keys[T]{code: q.Code(), key: key}, s, errs
}

// of returns the key of a message, once it has been checked.
func (k keys[T]) of(ctx context.Context, m *handlers.Message) (name string, err error) {
	err = handlers.Bind(handlers.Func[T](func(_ context.Context, d *handlers.Delivery[T]) error {
		name = k.key(d)
		return checkKey(k.code, name)
	}))(ctx, m)
	return name, err
}
