package framework

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Consumer says that this process handles one queue, and how. Make one with
// [Consume], [ConsumeBatch] or [TransferOnly]; the zero value is refused by [New].
type Consumer struct {
	queue    registry.Descriptor
	declared string
	err      error

	// build makes what the engine needs of a handler, once, with the options of all
	// handlers; nil if there is no handler.
	build func(forAll []ConsumeOption) (engine.Consumer, error)
}

// Consume pairs a queue with its handler. The compiler checks that the handler
// takes the queue's type. [New] reports mistakes in options, together with all others.
func Consume[T any](q *registry.Queue[T], h handlers.Handler[T], opts ...ConsumeOption) Consumer {
	return consume(q, h, callerLine(1), opts)
}

// TransferOnly makes this process move due messages of a queue to its ready list without
// handling them, like a Java service that has an RDelayedQueue but takes nothing.
func TransferOnly(q registry.Descriptor) Consumer { return transferOnly(q, callerLine(1)) }

func transferOnly(q registry.Descriptor, declared string) Consumer {
	if missing(q) {
		return Consumer{declared: declared, err: errors.New("queue is nil")}
	}
	return Consumer{queue: q, declared: declared}
}

// declare makes what consumers of single messages and of batches have in common. bind adds
// the handler.
func declare[T any](
	q *registry.Queue[T], h any, declared string, opts []ConsumeOption, batches bool, bind func(c *engine.Consumer, p consumePolicy),
) Consumer {
	c := Consumer{declared: declared}
	if q == nil {
		c.err = errors.New("queue is nil")
		return c
	}
	c.queue = q
	if v := reflect.ValueOf(h); h == nil || v.Kind() == reflect.Func && v.IsNil() {
		c.err = fmt.Errorf("queue %q: handler is nil", q.Code())
		return c
	}
	c.build = func(forAll []ConsumeOption) (engine.Consumer, error) {
		p, err := newConsumePolicy(q.Code(), forAll, opts, batches)
		typed := q.Typed() // usable once New has found no mistake; the size is checked by the take
		built := engine.Consumer{
			Queue: q, Policy: p.Policy, Declared: declared,
			Decode: func(payload []byte) (any, error) { return typed.Decode(payload) },
		}
		bind(&built, p)
		return built, err
	}
	return c
}

func consume[T any](q *registry.Queue[T], h handlers.Handler[T], declared string, opts []ConsumeOption) Consumer {
	return declare(q, h, declared, opts, false, func(c *engine.Consumer, p consumePolicy) {
		c.Next = handlers.Chain(handlers.Recover()(handlers.Bind(h)), p.middleware...)
	})
}

// Code returns the queue code, or "" for a consumer without a queue.
func (c Consumer) Code() string {
	if c.queue == nil {
		return ""
	}
	return c.queue.Code()
}

// Declared returns file:line of the registration.
func (c Consumer) Declared() string { return c.declared }

// problem returns what is wrong with the registration itself.
func (c Consumer) problem() error {
	switch {
	case c.err != nil:
		return &fault.RegistrationError{Code: c.Code(), Declared: c.declared, Err: c.err}
	case c.queue == nil:
		return &fault.RegistrationError{Declared: c.declared, Err: errors.New("empty Consumer: use framework.Consume")}
	}
	return nil
}

// callerLine gives the place of the user's call, skip frames above the caller.
func callerLine(skip int) string {
	_, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", file, line)
}
