package databind

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// Codec carries values as one of Redisson's Jackson codecs does. Get one from
// [New]; it is immutable and safe for concurrent use.
type Codec struct {
	opts      []Option
	format    Format
	given     Rules // before the options
	rules     Rules
	limits    codecs.Limits
	structure codecs.Limits // those of the tape, see token.Structure
	classes   *java.Classes
	beans     map[string]*bean // those of classes
	err       error            // mistakes in the options, which every use reports
	writers   sync.Pool        // of *writer
	bound     sync.Map         // reflect.Type of what Encode was given to *binding or error
}

var _ codecs.Codec = (*Codec)(nil)

// New returns the codec of a format. The rules say which of Java's codecs it is;
// options may change their Release. Mistakes in options are reported by Bind, Decode
// and Encode.
func New(f Format, rules Rules, opts ...Option) *Codec {
	if rules.Release == (option.Release{}) {
		rules.Release = dialects[Redisson3_12].release
		if rules.Jackson == 3 {
			rules.Release = option.Newest
		}
	}
	s := settings{codec: f.Name, limits: rules.limits(codecs.Limits{}), rules: rules}
	err := option.Configure(&s, opts)
	c := &Codec{opts: opts, given: rules, format: f, rules: s.rules, limits: s.limits, classes: s.classes, err: err}
	c.structure = token.Structure(c.limits)
	c.beans = describe(s.classes, &c.rules)
	c.writers.New = func() any { return &writer{codec: c, gen: f.Generator(&c.rules)} }
	return c
}

// Name returns the canonical name of the codec.
func (c *Codec) Name() string { return c.format.Name }

// WritesEmpty returns false: no value of these formats is empty.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force. Bytes, Elements, Depth (maps, lists and
// beans within each other) and StringBytes all count.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// Whole returns the same codec, which refuses bytes behind the value also where Java
// does not look at them; see [codecs.Whole].
func (c *Codec) Whole() codecs.Codec {
	whole := c.given
	whole.Whole = true
	return New(c.format, whole, c.opts...)
}

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(c.format, c.given, append(slices.Clone(c.opts), Limits(l))...)
}

// Rules returns the rules in force.
func (c *Codec) Rules() Rules { return c.rules }

// Decode reads one payload into Java values. Arrays and objects without a class
// come back as *java.List of class [ClassNone] and *java.Object without a class.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.err != nil {
		return nil, &codecs.DecodeError{Codec: c.Name(), Offset: -1, Reason: option.Wrong, Err: c.err}
	}
	r, err := c.open(payload, false, c.beans)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.value(0, slotRoot)
}

// Encode writes a Java value, or a plain Go one as package java lowers it:
// map[string]any as java.util.HashMap, []any as java.util.ArrayList, int64 as
// java.lang.Long.
func (c *Codec) Encode(value any) ([]byte, error) {
	if c.err != nil {
		return nil, c.encodeError(value)
	}
	return c.append(nil, value, c.beans)
}

func (c *Codec) encodeError(value any) error {
	return &codecs.EncodeError{Codec: c.Name(), Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.err}
}

// usualBytes is the room a payload begins with, so that most need no more.
const usualBytes = 192

func (c *Codec) append(dst []byte, value any, beans map[string]*bean) ([]byte, error) {
	return c.appendAs(dst, value, beans, nil)
}

// appendAs appends a root that is declared, or of the class it has where top is nil.
func (c *Codec) appendAs(dst []byte, value any, beans map[string]*bean, top *declared) ([]byte, error) {
	w := c.writers.Get().(*writer)
	w.beans, w.depth, w.most = beans, c.limits.Depth, c.limits.Bytes
	if w.most <= math.MaxInt-len(dst) {
		w.most += len(dst)
	}
	w.gen.Begin(slices.Grow(dst, usualBytes))
	var err error
	if top == nil {
		err = w.value(value, slotRoot)
	} else {
		err = w.declared(value, top)
	}
	out := w.gen.End()
	w.beans, w.numbered = nil, nil
	c.writers.Put(w)
	if err != nil {
		return dst, err
	}
	if n := len(out) - len(dst); n > c.limits.Bytes {
		return dst, w.fail(value, "payload of %d bytes, the limit is %d (Limits.Bytes)", n, c.limits.Bytes)
	}
	return out, nil
}

// Bind compiles the plan for Go type t: see java.Plan for what Go types take
// and become. A struct that names a Java class is a bean of that class: fields
// are written as their declared types ask, which is what Java's reader insists
// on (a long is 5, a java.lang.Long is ["java.lang.Long",5]).
//
// All mistakes, also those in the options, are reported together as joined
// [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.err != nil {
		return nil, &codecs.BindError{Codec: c.Name(), Type: t, Reason: option.Wrong, Err: c.err}
	}
	opts = pointedClasses(opts)
	plan, err := java.CompileOpen(t, opts)
	if err != nil {
		return nil, java.BindError(c.Name(), t, err)
	}
	b := &binding{codec: c, plan: plan, bare: !javaType(t), root: rootClass(t), beans: c.beans}
	if !c.rules.Types {
		return c.bindTypeless(b, t, opts)
	}
	if len(plan.Beans()) == 0 {
		b.typed = b.compile(t, opts)
		return b, nil
	}
	set, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(c.Name(), t, err)
	}
	if set, err = set.Join(c.classes); err != nil {
		return nil, java.BindError(c.Name(), t, err)
	}
	b.beans = describe(set, &c.rules)
	markExact(b.beans, plan.Beans(), opts)
	b.typed = b.compile(t, opts)
	return b, nil
}
