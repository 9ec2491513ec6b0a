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

	// policy gathers the options of all handlers and its own; nil if there is no handler.
	policy func(forAll []ConsumeOption) (consumePolicy, error)
	// bind gives the engine the handler; nil in a consumer that is only checked.
	bind func(c *engine.Consumer, p consumePolicy)
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

// declare makes what consumers of single messages and of batches have in common, without the
// handler.
func declare[T any](q *registry.Queue[T], declared string, opts []ConsumeOption, batches bool) Consumer {
	if q == nil {
		return Consumer{declared: declared, err: errors.New("queue is nil")}
	}
	return Consumer{queue: q, declared: declared, policy: func(forAll []ConsumeOption) (consumePolicy, error) {
		return newConsumePolicy(q.Code(), forAll, opts, batches)
	}}
}

// handle adds the handler to a consumer of q.
func handle[T any](c Consumer, q *registry.Queue[T], h any, bind func(c *engine.Consumer, p consumePolicy)) Consumer {
	if v := reflect.ValueOf(h); c.err == nil && (h == nil || v.Kind() == reflect.Func && v.IsNil()) {
		c.err = errors.New("handler is nil")
	}
	c.bind = func(built *engine.Consumer, p consumePolicy) {
		typed := q.Typed() // usable once New has found no mistake; the size is checked by the take
		built.Policy, built.Decode = p.Policy, func(payload []byte) (any, error) { return typed.Decode(payload) }
		bind(built, p)
	}
	return c
}

func consume[T any](q *registry.Queue[T], h handlers.Handler[T], declared string, opts []ConsumeOption) Consumer {
	return handle(declare(q, declared, opts, false), q, h, func(c *engine.Consumer, p consumePolicy) {
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

// problem returns what is wrong with the registration itself, or with its options.
func (c Consumer) problem(forAll []ConsumeOption) error {
	err := c.err
	if err == nil && c.queue == nil {
		err = errors.New("empty Consumer: use framework.Consume")
	}
	var policyErr error
	if c.policy != nil {
		_, policyErr = c.policy(forAll)
	}
	return errors.Join(c.wrong(err), c.wrong(policyErr))
}

// wrong makes a [*fault.RegistrationError] of each of the errors that err joins.
func (c Consumer) wrong(err error) error {
	var all []error
	for _, one := range separate(err) {
		all = append(all, &fault.RegistrationError{Code: c.Code(), Declared: c.declared, Err: one})
	}
	return errors.Join(all...)
}

// separate returns the errors that err joins, at any depth, without nil ones; err itself if it
// joins none.
func separate(err error) (all []error) {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, one := range joined.Unwrap() {
		all = append(all, separate(one)...)
	}
	return all
}

// callerLine gives the place of the user's call, skip frames above the caller.
func callerLine(skip int) string {
	_, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", file, line)
}
