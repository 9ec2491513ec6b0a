package fst

import (
	"errors"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// name is the canonical codec name.
const name = "fst"

// ErrNoDescriptor is within the error of a payload that fits FST up to an object
// whose class is not described, or writes itself; the [codecs.DecodeError] names it.
var ErrNoDescriptor = errors.New("no descriptor")

// Codec is Redisson's FstCodec, for reading. Make one with [New]; it is
// immutable and safe for concurrent use.
type Codec struct {
	settings
	opts     []Option
	mistakes error
	known    []*catalog // one per combination of variants
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported together by Bind and
// Decode, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	c := &Codec{opts: opts, settings: settings{
		limits: codecs.Limits{}.WithDefaults(), gen: standard, hooks: map[string]bool{},
		external: map[string]func(in *Input) any{}, object: map[string]func(in *Input) []any{},
	}}
	c.mistakes = option.Configure(&c.settings, opts)
	if c.mistakes == nil {
		c.known, c.mistakes = c.catalogs(c.described)
	}
	return c
}

// Name returns "fst".
func (c *Codec) Name() string { return name }

// WritesEmpty returns false: the shortest payload, null, has one byte.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// Decode reads one whole payload into the values of package codecs/java. The
// error is a [*codecs.DecodeError]; the part of the value before it comes back
// beside it.
//
// Where classes have several variants, all combinations are tried, at most 16,
// with the first variants first; what the first fitting one reads is the value.
// When none fits, the error is that of the combination that came furthest.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	return decode(payload, c.known, c.limits)
}

func decode(payload []byte, known []*catalog, limits codecs.Limits) (any, error) {
	var best any
	var first error
	furthest := -1
	for _, k := range known {
		d := newDecoder(payload, k, limits)
		v, err := d.payload()
		if err == nil {
			return v, nil
		}
		if d.At > furthest {
			best, first, furthest = v, err, d.At
		}
	}
	return best, first
}

// reason says why nothing is written.
const reason = "FST is read only: its bytes depend on private fields of the JDK and of FST's own release, and a wrong guess corrupts a Java consumer; " +
	"let Java take another codec (kryo5, marshalling, jsonjackson) and read the old payloads with AnyOf"

// Encode refuses every value with an [*codecs.EncodeError] that says why.
func (c *Codec) Encode(value any) ([]byte, error) {
	return nil, refuse(reflect.TypeOf(value))
}

func refuse(t reflect.Type) error {
	return &codecs.EncodeError{Codec: name, Type: t, Reason: reason}
}

// Bind compiles the plan that reads payloads into type t. Structs with a Java
// class give the descriptors of their beans: all fields, with their declared
// types, superclasses as embedded structs. Those of [Classes] are tried first.
// Nothing can be written through the binding.
// All mistakes are reported together as joined [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	plan, set, err := bridge.Bind(name, c.mistakes, t, opts)
	if err != nil {
		return nil, err
	}
	known := c.known
	if set.Len() > 0 {
		joined, err := c.described.Join(set)
		if err != nil {
			return nil, bridge.BindError(name, t, err)
		}
		if known, err = c.catalogs(joined); err != nil {
			return nil, bridge.BindError(name, t, err)
		}
	}
	return &binding{known: known, limits: c.limits, plan: plan, typ: t}, nil
}

type binding struct {
	known  []*catalog
	limits codecs.Limits
	plan   *bridge.Plan
	typ    reflect.Type
}

// Append implements [codecs.Binding]: it refuses.
func (b *binding) Append(dst []byte, _ any) ([]byte, error) { return dst, refuse(b.typ) }

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	v, err := decode(payload, b.known, b.limits)
	if err != nil {
		return err
	}
	return bridge.Named(name, b.plan.Assign(v, target))
}
