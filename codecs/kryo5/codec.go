package kryo5

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

const name = "kryo5"

// Codec is Redisson's Kryo5Codec. Make one with [New]; it is immutable and safe
// for concurrent use.
type Codec struct {
	opts       []Option
	limits     codecs.Limits
	references bool
	mistakes   error
	known      *catalog
	universe   *universe
	plan       *plan // of values without a bound type
	decoders   sync.Pool
	encoders   sync.Pool
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported by Bind, Decode and
// Encode, all together, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	c := &Codec{opts: opts}
	c.mistakes = c.configure(opts)
	return c
}

// Name returns "kryo5".
func (c *Codec) Name() string { return name }

// WritesEmpty returns false: the shortest payload, null, has one byte.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// Decode reads one whole payload into the values of package codecs/java.
// The error is a [*codecs.DecodeError]; the part of the value before it comes
// back beside it.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	var v any
	err := c.decode(payload, c.plan, memory.Of(&v))
	return v, err
}

func (c *Codec) decode(payload []byte, plan *plan, p memory.Place) error {
	d, _ := c.decoders.Get().(*decoder)
	if d == nil {
		d = &decoder{limits: c.limits, references: c.references}
	}
	d.universe, d.known = plan.universe, plan.universe.known
	err := d.payload(payload, plan, p)
	d.clean()
	if cap(d.pairs) <= maxKept && cap(d.scratch) <= maxKept && cap(d.objects.values) <= maxKept {
		c.decoders.Put(d)
	}
	return err
}

// Encode writes a value that Decode returned, byte for byte as it was, or any Go
// value that package java knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) {
	if c.mistakes != nil {
		return nil, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	return c.append(nil, c.plan, value, false)
}

// append writes a value of the type of a plan, or what a pointer to one points to.
func (c *Codec) append(dst []byte, plan *plan, value any, pointer bool) ([]byte, error) {
	e, _ := c.encoders.Get().(*encoder)
	if e == nil {
		e = &encoder{maxDepth: c.limits.Depth, maxBytes: c.limits.Bytes, references: c.references, objects: map[memory.Box]uint32{}}
	}
	var p memory.Place
	switch {
	case plan.typ == anyType:
		e.whole = value
		p = memory.Of(&e.whole)
	case pointer:
		p = memory.To(reflect.ValueOf(value))
	default:
		p = memory.Boxed(plan.typ, value, &e.word)
	}
	err := e.payload(plan, p)
	if err == nil {
		dst = append(dst, e.out...)
	}
	e.whole, e.word = nil, nil
	if cap(e.out) > maxKeptBytes {
		e.out = nil
	}
	if cap(e.keys) <= maxKept && cap(e.parts) <= maxKept && len(e.objects) <= maxKept {
		e.clean()
		c.encoders.Put(e)
	}
	return dst, err
}

// Bind compiles the plan for type t. Structs with a Java class are beans, records
// or enums: their descriptions come from the Go type (see [gotypes.ClassesOf]), and
// those of [Classes] are tried where a payload does not fit them. Structs without
// one travel as java.util.HashMap.
// All mistakes are reported together as joined [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	plan, own, err := bridge.Bind(name, c.mistakes, t, opts)
	if err != nil {
		return nil, err
	}
	u := c.universe
	if own.Len() > 0 {
		classes, err := own.Join(c.universe.classes)
		if err != nil {
			return nil, bridge.BindError(name, t, err)
		}
		u = newUniverse(c.known, classes)
	}
	if errs := u.check(t, own, plan, opts); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &binding{codec: c, plan: newPlan(u, plan, t, opts, c.references), pointer: reflect.PointerTo(t)}, nil
}

type binding struct {
	codec   *Codec
	plan    *plan
	pointer reflect.Type // to the bound type
}

// Append implements [codecs.Binding]. Where [binding.Reuses] is true, value may be a pointer to a
// variable of the bound type as well.
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	t := reflect.TypeOf(value)
	pointer := t == b.pointer && b.Reuses() && !reflect.ValueOf(value).IsNil()
	if t != b.plan.typ && b.plan.typ != anyType && !pointer {
		return dst, &codecs.EncodeError{Codec: name, Type: t, Reason: "the bound type is " + b.plan.typ.String()}
	}
	return b.codec.append(dst, b.plan, value, pointer)
}

// Reuses reports whether one variable of the bound type can hold one value after another, see
// [codecs.For]. With references a pointer inside a value may be one to the value itself.
func (b *binding) Reuses() bool { return !b.codec.references && b.plan.typ.Kind() != reflect.Interface }

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.plan.typ {
		return &codecs.DecodeError{Codec: name, Offset: -1, Reason: fmt.Sprintf("the target is %T, not a pointer to the bound type %s", target, b.plan.typ)}
	}
	v.Elem().SetZero()
	return b.codec.decode(payload, b.plan, memory.To(v))
}

// maxKept bounds the values of the scratch space that a pooled decoder or encoder keeps,
// maxKeptBytes the bytes.
const (
	maxKept      = 4096
	maxKeptBytes = 1 << 16
)
