package avro

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// The canonical names of the codecs.
const (
	Name  = "avrojackson"
	Name3 = "avrojackson3"
)

// codec carries values of one schema.
type codec struct {
	settings
	name  string
	root  *node
	empty bool  // the schema has a value without bytes
	err   error // of the schema and the options, which every use reports
}

var _ codecs.Codec = (*codec)(nil)

// Jackson returns the codec of Redisson's AvroJacksonCodec, canonical name
// "avrojackson". Schema is the JSON of the Java side's schema, see the package
// comment. A mistake in it is reported by Bind, Decode and Encode.
func Jackson(schema string, opts ...Option) codecs.Codec {
	return newCodec(Name, schema, opts)
}

// Jackson3 returns the codec of Redisson's AvroJackson3Codec (4.2.0 and later),
// canonical name "avrojackson3". The bytes of one schema are those of [Jackson]; the
// schemas that Jackson 3 makes of a class differ.
func Jackson3(schema string, opts ...Option) codecs.Codec {
	return newCodec(Name3, schema, opts)
}

func newCodec(name, schema string, opts []Option) *codec {
	c := &codec{name: name, settings: settings{limits: codecs.Limits{}.WithDefaults()}}
	var errs []error
	root, err := compile(schema)
	if err != nil {
		errs = append(errs, fmt.Errorf("the schema: %w", err))
	}
	if c.root = root; root != nil {
		c.empty = emptiness{}.of(root)
	}
	errs = append(errs, option.Configure(&c.settings, opts))
	c.err = errors.Join(errs...)
	return c
}

// Option changes how a codec works. Options are checked when a codec is made; Bind,
// Decode and Encode report their mistakes.
type Option interface{ option.Option[settings] }

// settings are what options set.
type settings struct{ limits codecs.Limits }

// Limits sets the limits of decoding; zero fields keep their defaults. Elements
// counts fields, elements of arrays and entries of maps; Depth records, arrays,
// maps and unions within each other. StringBytes holds for strings and bytes.
// Encoding keeps Bytes and Depth. A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("avro.Limits", l, func(s *settings, l codecs.Limits) { s.limits = l.WithDefaults() })
}

// Name returns the canonical name.
func (c *codec) Name() string { return c.name }

// WritesEmpty reports whether the schema has a value without bytes: null, or a
// record of nothing else.
func (c *codec) WritesEmpty() bool { return c.empty }

// emptiness finds the types that have a value without bytes. Records are looked at
// once each, since a schema may name one in many places; one within itself is not empty.
type emptiness map[*node]bool

func (e emptiness) of(n *node) bool {
	switch {
	case n.kind == null, n.kind == fixed && n.size == 0:
		return true
	case n.kind != record:
		return false
	}
	if known, seen := e[n]; seen {
		return known
	}
	e[n] = false
	for _, f := range n.fields {
		if !e.of(f.node) {
			return false
		}
	}
	e[n] = true
	return true
}

// Limits returns the limits in force.
func (c *codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *codec) WithLimits(l codecs.Limits) codecs.Codec {
	out := *c
	out.limits = l.WithDefaults()
	return &out
}

// Decode reads one payload: records as *java.Object of the schema's full name, with
// their fields in its order, maps as *java.Map, arrays as *java.List.
func (c *codec) Decode(payload []byte) (any, error) { return c.decode(c.root, payload, false) }

func (c *codec) decode(n *node, payload []byte, bare bool) (any, error) {
	if c.err != nil {
		return nil, &codecs.DecodeError{Codec: c.name, Offset: -1, Reason: option.Wrong, Err: c.err}
	}
	r := reader{Reader: serial.NewReader(c.name, serial.JavaIO, payload, c.limits, nil, nil), bare: bare}
	return r.Whole(func() (any, error) { return r.value(n) })
}

// Encode writes a value that Decode returned, or a plain Go value as package java
// lowers it.
func (c *codec) Encode(value any) ([]byte, error) {
	low, err := bridge.Lower(value)
	if err != nil {
		return nil, bridge.Named(c.name, err)
	}
	return c.append(nil, c.root, low)
}

func (c *codec) append(dst []byte, n *node, v any) ([]byte, error) {
	if c.err != nil {
		return dst, &codecs.EncodeError{Codec: c.name, Type: reflect.TypeOf(v), Reason: option.Wrong, Err: c.err}
	}
	w := writer{codec: c.name, out: dst, depth: c.limits.Depth}
	if err := w.value(n, v); err != nil {
		return dst, err
	}
	if n := len(w.out) - len(dst); n > c.limits.Bytes {
		return dst, w.fail(v, "payload of %d bytes, the limit is %d (Limits.Bytes)", n, c.limits.Bytes)
	}
	return w.out, nil
}

// Bind checks Go type t against the schema and compiles its plan. All mistakes are
// reported together as joined [*codecs.BindError] values.
func (c *codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.err != nil {
		return nil, &codecs.BindError{Codec: c.name, Type: t, Reason: option.Wrong, Err: c.err}
	}
	plan, err := bridge.Compile(t, opts)
	if err != nil {
		return nil, bridge.BindError(c.name, t, err)
	}
	m := matcher{codec: c.name, opts: opts, done: map[matchKey]*node{}}
	root := m.match(c.root, t, "")
	if err := errors.Join(m.errs...); err != nil {
		return nil, err
	}
	return &binding{codec: c, plan: plan, root: root, bare: t != reflect.TypeFor[any]()}, nil
}

// binding carries one Go type.
type binding struct {
	codec *codec
	plan  *bridge.Plan
	root  *node // the schema with the forms that the Go type asks for
	bare  bool
}

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	low, err := b.plan.Lower(value)
	if err != nil {
		return dst, bridge.Named(b.codec.name, err)
	}
	return b.codec.append(dst, b.root, low)
}

func (b *binding) Decode(payload []byte, target any) error {
	v, err := b.codec.decode(b.root, payload, b.bare)
	if err != nil {
		return err
	}
	return bridge.Named(b.codec.name, b.plan.AssignUnnamed(v, target))
}
