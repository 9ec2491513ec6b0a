package databind

import (
	"errors"
	"fmt"
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
	name      string
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
	c.name = f.Name
	if text := s.rules.mapper.Text(); text != "" {
		c.name += "+" + text
	}
	c.structure = token.Structure(c.limits)
	c.beans = describe(s.classes, &c.rules)
	c.writers.New = func() any {
		w := &writer{codec: c, gen: f.Generator(&c.rules)}
		w.fixed, _ = w.gen.(token.Fixed)
		return w
	}
	return c
}

// Name returns the canonical name of the codec, with the text of its mapper behind a plus
// where it has one.
func (c *Codec) Name() string { return c.name }

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
	return r.at(0, rootPlace)
}

// Encode writes a Java value, or a plain Go one as package java lowers it:
// map[string]any as java.util.HashMap, []any as java.util.ArrayList, int64 as
// java.lang.Long.
func (c *Codec) Encode(value any) ([]byte, error) {
	if c.err != nil {
		return nil, c.encodeError(value)
	}
	return c.encode(nil, nil, value, func(w *writer) error { return w.value(value, slotRoot) })
}

func (c *Codec) encodeError(value any) error {
	return &codecs.EncodeError{Codec: c.Name(), Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.err}
}

// encode appends what write writes of a value: one of a binding's type, or any where b is
// nil.
func (c *Codec) encode(dst []byte, b *binding, value any, write func(w *writer) error) ([]byte, error) {
	w := c.writers.Get().(*writer)
	w.begin(b)
	err := write(w)
	out := w.gen.End()
	if err == nil && len(out) > c.limits.Bytes {
		err = w.fail(value, "payload of %d bytes, the limit is %d (Limits.Bytes)", len(out), c.limits.Bytes)
	}
	if err == nil {
		dst = append(dst, out...)
	}
	w.release(out)
	c.writers.Put(w)
	return dst, err
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
	set, err := java.ClassesOf(t, opts)
	if err == nil && c.rules.Types {
		set, err = set.Join(c.classes)
	}
	b := &binding{codec: c, opts: opts, set: set, typ: t, pointer: reflect.PointerTo(t), at: rootPlace, declared: map[reflect.Type]bool{}, types: map[string]openType{}}
	switch {
	case err == nil:
		b.beans = describe(set, &c.rules)
	case !c.rules.Types || len(plan.Beans()) > 0:
		return nil, java.BindError(c.Name(), t, err)
	default:
		b.set, b.beans = c.classes, c.beans
	}
	for _, use := range plan.Beans() {
		b.declared[use.Type] = true
	}
	if !c.rules.Types {
		b.at = c.declareType(t, set, opts)
	}
	return b, b.compile(plan.Described())
}

// Format is one way to spell tokens as bytes.
type Format struct {
	// Name is the canonical name of the codec, "cborjackson".
	Name string
	// Tokenize adds all tokens of a payload's value to the tape, by the builder, and
	// returns where the value ends, with what Java passes over behind it, or a
	// [*codecs.DecodeError]. It never panics, whatever the payload.
	Tokenize func(b *token.Builder, payload []byte, r *Rules) (end int, err error)
	// Generator returns a new generator that follows the rules.
	Generator func(r *Rules) token.Generator
	// BinaryUUID says that Java writes a UUID to this format as its 16 bytes, most
	// significant first, in every place, and not as text: CBOR, Smile and Ion,
	// whose generators take binary as it is. The codecs of Jackson 3 always do; those
	// of Jackson 2 write text since Redisson 4.2.
	BinaryUUID bool
}

// Tape puts payload on the tape and keeps limits, which may be those that
// [token.Structure] makes.
func (c *Codec) Tape(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits) error {
	_, err := c.tokenize(b, t, payload, lim)
	return err
}

// tokenize is Tape, and reports whether bytes follow the value.
func (c *Codec) tokenize(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits) (more bool, err error) {
	if err = b.Begin(t, c.Name(), payload, lim); err != nil {
		return false, err
	}
	end, err := c.format.Tokenize(b, payload, &c.rules)
	if more = end < len(payload); err == nil && more && c.rules.Strict() {
		err = b.Fail(end, "%d bytes behind the value", len(payload)-end)
	}
	return more, err
}

// hint adds to an error what the payload as a whole tells of its cause: bytes of
// another codec are often well-formed here, and then say nothing but that a kind is
// wrong somewhere.
func (c *Codec) hint(payload []byte, err error) error {
	var e *codecs.DecodeError
	if !errors.As(err, &e) {
		return err
	}
	r, openErr := c.open(payload, false, nil)
	if openErr != nil {
		return err // it says more
	}
	defer r.close()
	if !c.rules.Types && r.namesClasses() {
		e.Reason += fmt.Sprintf("; the payload names Java classes, which %s never does: another codec may have written it", c.Name())
	}
	if r.more {
		e.Reason += "; bytes follow the value: another codec may have written them"
	}
	return err
}

// namesClasses reports whether the root names its class.
func (r *reader) namesClasses() bool {
	k := &r.tape.Tokens[0]
	switch {
	case k.Type != 0:
		return true
	case k.Kind == token.Object && k.N > 0:
		return string(r.tape.Text(&r.tape.Tokens[1])) == r.codec.rules.ClassKey()
	default:
		return k.Kind == token.Array && wrapperLike(&r.tape, 0)
	}
}
