package jackson

import (
	"errors"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Codec carries values as Redisson's JsonJacksonCodec does. Get one from
// [JsonJackson]; it is immutable and safe for concurrent use.
type Codec struct {
	limits  codecs.Limits
	dialect Dialect
}

var _ codecs.Codec = (*Codec)(nil)

// JsonJackson returns the codec of Redisson's JsonJacksonCodec, canonical name
// "jsonjackson".
func JsonJackson(opts ...Option) *Codec {
	c := &Codec{}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	c.limits = c.limits.WithDefaults()
	return c
}

// Name returns "jsonjackson".
func (c *Codec) Name() string { return Name }

// WritesEmpty returns false: no JSON value is empty.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force. Bytes, Elements, Depth (maps, lists and
// beans within each other) and StringBytes all count.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// Decode reads one payload into Java values. Arrays and objects without a class
// come back as *java.List of class [ClassNone] and *java.Object without a class.
func (c *Codec) Decode(payload []byte) (any, error) { return decode(payload, c.limits, false) }

// Encode writes a Java value, or a plain Go one as package java lowers it:
// map[string]any as java.util.HashMap, []any as java.util.ArrayList, int64 as
// java.lang.Long.
func (c *Codec) Encode(value any) ([]byte, error) { return c.append(nil, value, nil) }

// usualBytes is the room a payload begins with, so that most need no more.
const usualBytes = 192

func (c *Codec) append(dst []byte, value any, beans map[string]*bean) ([]byte, error) {
	w := writer{
		out: slices.Grow(dst, usualBytes), dialect: c.dialect, depth: c.limits.Depth, max: c.limits.Depth, beans: beans,
	}
	if err := w.value(value, slotRoot); err != nil {
		return dst, err
	}
	if n := len(w.out) - len(dst); n > c.limits.Bytes {
		return dst, w.fail(value, "payload of %d bytes, the limit is %d (Limits.Bytes)", n, c.limits.Bytes)
	}
	return w.out, nil
}

// encodeError turns the errors of package java into codec errors.
func encodeError(err error) error {
	e := &codecs.EncodeError{Codec: Name, Err: err}
	var low *java.LowerError
	if errors.As(err, &low) {
		e.Type, e.Path, e.Reason, e.Err = low.Type, low.Path, low.Reason, low.Err
	}
	return e
}

// Bind compiles the plan for Go type t: see java.Plan for what Go types take
// and become. A struct that names a Java class is a bean of that class: fields
// are written as their declared types ask, which is what Java's reader insists
// on (a long is 5, a java.lang.Long is ["java.lang.Long",5]).
//
// All mistakes are reported together as joined [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	plan, err := java.Compile(t, opts)
	if err != nil {
		return nil, java.BindError(Name, t, err)
	}
	b := &binding{codec: c, plan: plan, bare: !javaType(t), root: rootClass(t)}
	if len(plan.Beans()) == 0 {
		return b, nil
	}
	set, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(Name, t, err)
	}
	b.beans = describe(set, c.dialect)
	return b, nil
}
