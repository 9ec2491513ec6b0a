package registry

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

// Queue describes one delayed queue with payloads of type T, like one constant of the Java enum of
// queue codes. Make it with [Define]; it is immutable and safe for concurrent use. The zero value
// reports an error.
type Queue[T any] struct {
	code, title string
	policy      Policy
	typed       codecs.Typed[T]
	declared    string
	mistakes    []error
}

// Descriptor is a [Queue] without its type. Only queues implement it.
type Descriptor interface {
	// Code returns the code that names the queue in the program.
	Code() string
	// Title returns what people call the queue; the code where none is given.
	Title() string
	// Key returns the name of the Redisson queue, before any name mapping.
	Key() string
	// Policy returns a copy of the policy, with defaults filled in.
	Policy() Policy
	// Type returns the Go type of the payloads.
	Type() reflect.Type
	// Value is [Queue.Decode] without the type: it returns a value of type T.
	Value(payload []byte) (any, error)
	// Payload is [Queue.Encode] without the type: the value must be one of type T.
	Payload(value any) ([]byte, error)
	// Declared returns file:line of the declaration.
	Declared() string
	// Err returns the mistakes of this declaration alone, joined, or nil.
	Err() error

	errs() []error
}

// Code returns the code that names the queue in the program, its logs and its
// metrics, and in Redis too unless [Key] says otherwise.
func (q *Queue[T]) Code() string { return q.code }

// Title returns what people call the queue; the code where none is given.
func (q *Queue[T]) Title() string {
	if q.title == "" {
		return q.code
	}
	return q.title
}

// Key returns the name of the Redisson queue: what Java gives to
// getBlockingQueue. It is the code unless option [Key] says otherwise. A name
// mapper of the client is applied later.
func (q *Queue[T]) Key() string { return q.policy.Key }

// Policy returns a copy of the policy, with defaults filled in.
func (q *Queue[T]) Policy() Policy { return q.policy }

// Type returns the Go type of the payloads.
func (q *Queue[T]) Type() reflect.Type { return reflect.TypeFor[T]() }

// Typed returns the codec bound to T. It is usable only when Err returns nil.
func (q *Queue[T]) Typed() codecs.Typed[T] { return q.typed }

// Declared returns file:line of the call of Define; see [CallerSkip].
func (q *Queue[T]) Declared() string { return q.declared }

// Encode returns the payload of value, as it will be in Redis. The error is a
// [*codecs.EncodeError], a [*SizeError], or that of Err.
func (q *Queue[T]) Encode(value T) ([]byte, error) {
	if err := q.Err(); err != nil {
		return nil, err
	}
	payload, err := q.typed.Encode(value)
	if err != nil {
		return nil, err
	}
	if len(payload) > q.policy.MaxPayload {
		return nil, &SizeError{Code: q.code, Size: len(payload), Limit: q.policy.MaxPayload}
	}
	return payload, nil
}

// Decode reads one whole payload. The error is a [*codecs.DecodeError], a
// [*SizeError], or that of Err. No part of payload is retained.
func (q *Queue[T]) Decode(payload []byte) (T, error) {
	if err := q.Err(); err != nil {
		var zero T
		return zero, err
	}
	if len(payload) > q.policy.MaxPayload {
		var zero T
		return zero, &SizeError{Code: q.code, Size: len(payload), Limit: q.policy.MaxPayload}
	}
	return q.typed.Decode(payload)
}

// Value decodes like [Queue.Decode], for tools that do not know T. The value has type T.
func (q *Queue[T]) Value(payload []byte) (any, error) { return q.Decode(payload) }

// Payload encodes like [Queue.Encode], for tools that do not know T. For a value of another
// type the error is a [*codecs.EncodeError].
func (q *Queue[T]) Payload(value any) ([]byte, error) {
	v, ok := value.(T)
	if !ok && (value != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
		return nil, &codecs.EncodeError{Type: reflect.TypeOf(value), Reason: fmt.Sprintf("the queue's type is %s", reflect.TypeFor[T]())}
	}
	return q.Encode(v)
}

// Err returns the mistakes of this declaration, joined, or nil. [Validate] and
// [New] find those among several queues too.
func (q *Queue[T]) Err() error { return join(q.errs()) }

func (q *Queue[T]) errs() []error {
	if q.declared == "" {
		return []error{errNotDefined}
	}
	return q.mistakes
}
