package codecs

import (
	"reflect"
	"sync"
)

// Codec turns payload bytes into Go values and back, exactly as one Redisson
// codec does. A Codec is built once from options, is immutable afterwards and
// safe for concurrent use.
//
// It offers two ways. [Codec.Bind] compiles a plan for one Go type: the fast
// way, and the one queues use. [Codec.Decode] and [Codec.Encode] work without a
// Go type: what Java wrote comes back as Go scalars and the values of package
// codecs/java, which keep class names and order, so that encoding them again
// gives the same bytes.
type Codec interface {
	// Name returns the canonical name: the Redisson class name without
	// "Codec", in lower case, for example "kryo5" or "lz4(kryo5)".
	Name() string

	// Bind compiles the plan that carries values of type t. Every mistake in
	// the type is reported at once: the error is a [*BindError] or several
	// joined ones.
	Bind(t reflect.Type, opts BindOptions) (Binding, error)

	// Decode reads one whole payload. Errors are [*DecodeError]; what could be
	// decoded before the error may come back beside it.
	Decode(payload []byte) (any, error)

	// Encode writes a value that Decode returned, byte for byte as it was, or
	// a plain Go value (string, bool, sized ints, floats, maps, slices).
	// Errors are [*EncodeError].
	Encode(value any) ([]byte, error)

	// WritesEmpty reports whether a payload of no bytes is a value of this
	// codec (string, bytearray). It decides the one ambiguous element layout.
	WritesEmpty() bool

	// Limits returns the limits in force, with defaults filled in.
	Limits() Limits
}

// Binding is the compiled plan for one Go type. It is immutable and safe for
// concurrent use.
type Binding interface {
	// Append encodes value, which must have the bound type, and appends the
	// payload to dst. On error dst is returned unchanged.
	Append(dst []byte, value any) ([]byte, error)

	// Decode reads one whole payload into the value that target, a non-nil
	// pointer to the bound type, points to. The target is left in an
	// unspecified state on error. No part of payload is retained.
	Decode(payload []byte, target any) error
}

// BindOptions are what a declaration adds to the Go type.
// The zero value adds nothing.
type BindOptions struct {
	// Classes names the Java class of Go types, such as types of another module
	// that cannot have a JavaClass method. It wins over such a method. In Jackson's
	// codecs, what a payload holds of such a class becomes that Go type wherever an
	// interface takes it.
	Classes map[reflect.Type]string
}

// Typed carries values of type T through a codec. It is what queues hold.
// Get one from [For]; the zero value refuses every value. Safe for concurrent use.
type Typed[T any] struct {
	codec     Codec
	binding   Binding
	variables *sync.Pool // of *T, zero between calls; nil where something may keep a pointer into one
	pointers  bool       // Append takes a pointer to a variable
}

// reuser is an optional part of a [Binding].
type reuser interface {
	// Reuses reports whether one variable of the bound type can hold one value after
	// another, since nothing keeps a pointer into it when a call has returned. Append
	// then also takes a pointer to a variable in place of a value: the value needs no
	// copy of its own.
	Reuses() bool
}

// For binds codec c to type T. It returns a [*BindError] when the codec cannot
// carry T, or when c is nil.
func For[T any](c Codec, opts BindOptions) (Typed[T], error) {
	t := reflect.TypeFor[T]()
	if c == nil {
		return Typed[T]{}, &BindError{Codec: "none", Type: t, Reason: "no codec given"}
	}
	b, err := c.Bind(t, opts)
	if err != nil {
		return Typed[T]{}, err
	}
	typed := Typed[T]{codec: c, binding: b}
	r, ok := b.(reuser)
	typed.pointers = ok && r.Reuses() && t.Kind() != reflect.Interface
	if typed.pointers || reusable(t) {
		typed.variables = &sync.Pool{New: func() any { return new(T) }}
	}
	return typed, nil
}

// reusable reports whether a variable of t may be used again. One of a string, bool, number or
// []byte may: no code of such a type runs, and nothing points into its variables.
func reusable(t reflect.Type) bool {
	k := t.Kind()
	return t == reflect.TypeFor[[]byte]() || t.PkgPath() == "" && (k == reflect.String || reflect.Bool <= k && k <= reflect.Complex128)
}

// Codec returns the codec behind t, nil for the zero value.
func (t Typed[T]) Codec() Codec { return t.codec }

// Encode returns the payload of value. Errors are [*EncodeError].
func (t Typed[T]) Encode(value T) ([]byte, error) {
	if t.binding == nil {
		return nil, &EncodeError{Codec: "none", Type: reflect.TypeFor[T](), Reason: errUnbound}
	}
	if !t.pointers {
		return t.binding.Append(nil, value)
	}
	v := t.variables.Get().(*T)
	*v = value
	payload, err := t.binding.Append(nil, v)
	t.putBack(v)
	return payload, err
}

// Decode reads one whole payload. Errors are [*DecodeError].
func (t Typed[T]) Decode(payload []byte) (T, error) {
	if t.binding == nil {
		var zero T
		return zero, &DecodeError{Codec: "none", Offset: -1, Reason: errUnbound}
	}
	if t.variables == nil {
		var v T
		err := t.binding.Decode(payload, &v)
		return v, err
	}
	v := t.variables.Get().(*T)
	err := t.binding.Decode(payload, v)
	value := *v
	t.putBack(v)
	return value, err
}

// putBack keeps the variable for another payload, and nothing of this one.
func (t Typed[T]) putBack(v *T) {
	var zero T
	*v = zero
	t.variables.Put(v)
}

const errUnbound = "the codec is not bound to a type: use codecs.For"
