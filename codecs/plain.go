package codecs

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/option"
)

// PlainOption sets one thing about a plain codec: [String], [Long], [Integer],
// [Double], [ByteArray]. Mistakes in options are reported by Bind, Decode and Encode.
type PlainOption interface{ option.Option[plain] }

// PlainLimits sets the limits of a plain codec. Of [Limits] only Bytes and, for
// string, StringBytes matter: a plain payload has neither elements nor depth.
// Defaults to the zero Limits, which means the defaults named there. A Depth that
// is negative or above 10,000 is a mistake.
func PlainLimits(l Limits) PlainOption {
	return option.Limits("codecs.PlainLimits", l, func(p *plain, l Limits) { p.limits = l.WithDefaults() })
}

// plain is a codec whose payload is one scalar without any framing. The codecs
// differ in their functions only.
type plain struct {
	name   string
	empty  bool // a payload of no bytes is a value
	text   bool // payloads are UTF-8
	limits Limits

	mistakes error // in the options, which every use reports

	decode func(payload []byte) (any, error)                 // the natural Go value
	encode func(dst []byte, v reflect.Value) ([]byte, error) // any value that bind accepts
	bind   func(t reflect.Type) (setter, string)             // a nil setter comes with the reason
}

// setter decodes payload into v, which is settable.
type setter func(v reflect.Value, payload []byte) error

func (p plain) with(opts []PlainOption) Codec {
	p.limits = Limits{}.WithDefaults()
	p.mistakes = option.Configure(&p, opts)
	return &p
}

func (p *plain) Name() string      { return p.name }
func (p *plain) WritesEmpty() bool { return p.empty }
func (p *plain) Limits() Limits    { return p.limits }

func (p *plain) Decode(payload []byte) (any, error) {
	if err := p.check(payload); err != nil {
		return nil, err
	}
	return p.decode(payload)
}

func (p *plain) Encode(value any) ([]byte, error) { return p.appendAny(nil, value) }

func (p *plain) appendAny(dst []byte, value any) ([]byte, error) {
	if p.mistakes != nil {
		return dst, &EncodeError{Codec: p.name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: p.mistakes}
	}
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return dst, &EncodeError{Codec: p.name, Reason: "nil: the plain codecs have no null, and Java's refuse it too"}
	}
	if set, why := p.bind(v.Type()); set == nil {
		return dst, &EncodeError{Codec: p.name, Type: v.Type(), Reason: why}
	}
	return p.encode(dst, v)
}

func (p *plain) check(payload []byte) error {
	if p.mistakes != nil {
		return &DecodeError{Codec: p.name, Offset: -1, Reason: option.Wrong, Err: p.mistakes}
	}
	if len(payload) > p.limits.Bytes {
		return &DecodeError{Codec: p.name, Offset: -1, Reason: fmt.Sprintf(
			"payload of %d bytes, the limit is %d (Limits.Bytes)", len(payload), p.limits.Bytes)}
	}
	if len(payload) == 0 && !p.empty {
		return &DecodeError{Codec: p.name, Offset: 0, Reason: "empty payload"}
	}
	return nil
}

func (p *plain) Bind(t reflect.Type, _ BindOptions) (Binding, error) {
	if p.mistakes != nil {
		return nil, &BindError{Codec: p.name, Type: t, Reason: option.Wrong, Err: p.mistakes}
	}
	if t == nil {
		return nil, &BindError{Codec: p.name, Reason: "no type given"}
	}
	if t.Kind() == reflect.Interface && t.NumMethod() == 0 {
		return &plainBinding{p: p, t: t, set: func(v reflect.Value, payload []byte) error {
			got, err := p.decode(payload)
			if err == nil {
				v.Set(reflect.ValueOf(got))
			}
			return err
		}}, nil
	}
	set, why := p.bind(t)
	if set == nil {
		return nil, &BindError{Codec: p.name, Type: t, Reason: why}
	}
	return &plainBinding{p: p, t: t, set: set}, nil
}

// plainBinding carries one Go type through a plain codec.
type plainBinding struct {
	p   *plain
	t   reflect.Type
	set setter
}

func (b *plainBinding) Append(dst []byte, value any) ([]byte, error) {
	if b.t.Kind() == reflect.Interface {
		return b.p.appendAny(dst, value)
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && v.Type().Elem() == b.t {
		v = v.Elem() // nothing of a nil pointer
	}
	if !v.IsValid() || v.Type() != b.t {
		return dst, &EncodeError{Codec: b.p.name, Type: b.t, Reason: fmt.Sprintf("got a value of type %T", value)}
	}
	return b.p.encode(dst, v)
}

func (b *plainBinding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.t {
		return &DecodeError{Codec: b.p.name, Offset: -1, Reason: fmt.Sprintf("the target is %T, not *%s", target, b.t)}
	}
	if err := b.p.check(payload); err != nil {
		return err
	}
	return b.set(v.Elem(), payload)
}

// Reuses reports whether Append takes a pointer to a variable: see [For].
func (b *plainBinding) Reuses() bool { return reusable(b.t) }

// instead says which codec carries t, for the reason of a refusal.
func instead(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "use the string codec for it"
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16:
		return "use the integer codec (or long) for it"
	case reflect.Int, reflect.Int64, reflect.Uint32:
		return "use the long codec for it"
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return "Java has no unsigned long: use int64 with the long codec"
	case reflect.Float64:
		return "use the double codec for it"
	case reflect.Float32:
		return "use float64 with the double codec: Java would widen a float"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "use the bytearray codec for it"
		}
	case reflect.Pointer:
		return "a plain payload is never null: use " + t.Elem().String() + " itself"
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return "no codec carries such a type"
	}
	return "use kryo5 or jsonjackson for it"
}
