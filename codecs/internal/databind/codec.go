package databind

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
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
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
	bare      func() *Codec    // the one without classes
	writers   sync.Pool        // of *writer
	bound     sync.Map         // reflect.Type of what Encode was given to *binding or error
}

var _ codecs.Codec = (*Codec)(nil)

// New returns the codec of a format. The rules say which of Java's codecs it is;
// options may change their Release. Mistakes in options are reported by Bind, Decode
// and Encode.
func New(f Format, rules Rules, opts ...Option) *Codec {
	if rules.Release == (option.Release{}) {
		rules.Release = option.Release{4, 1, 0}
		if rules.Jackson == 3 {
			rules.Release = option.Newest
		}
	}
	s := settings{codec: f.Name, limits: rules.limits(codecs.Limits{}), rules: rules}
	err := option.Configure(&s, opts)
	s.rules.setDates()
	name := f.Name
	if text := s.rules.mapper.Text(); text != "" {
		name += "+" + text
	}
	s.rules, _ = s.rules.withEnums(s.classes)
	return (&Codec{opts: opts, name: name, given: rules, format: f, rules: s.rules, limits: s.limits, classes: s.classes, err: err}).ready()
}

// ready sets what follows from the settings of a codec.
func (c *Codec) ready() *Codec {
	c.structure = token.Structure(c.limits)
	c.beans, _ = describe(c.classes, &c.rules) // a field whose pattern is not carried is read as it is
	c.bare = sync.OnceValue(func() *Codec { return New(c.format, Rules{Jackson: 3}) })
	c.writers.New = func() any {
		w := &writer{codec: c, gen: c.format.Generator(&c.rules)}
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

// WithoutClasses returns the codec of the same format that looks for no classes in payloads.
func (c *Codec) WithoutClasses() codecs.Codec { return c.bare() }

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
	return r.at(0, c.rules.root())
}

// Encode writes a Java value, or a plain Go one as package java lowers it:
// map[string]any as java.util.HashMap, []any as java.util.ArrayList, int64 as
// java.lang.Long.
func (c *Codec) Encode(value any) ([]byte, error) {
	if c.err != nil {
		return nil, c.encodeError(value)
	}
	return c.encode(nil, nil, value, func(w *writer) error { return w.at(value, c.rules.root()) })
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

// Bind compiles the plan for Go type t: see package java for what Go types take
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
	plan, err := bridge.CompileOpen(t, opts)
	if err != nil {
		return nil, bridge.BindError(c.Name(), t, err)
	}
	set, err := gotypes.ClassesOf(t, opts)
	if err == nil && c.rules.Types {
		set, err = set.Join(c.classes)
	}
	if rules, more := c.rules.withEnums(set); more {
		c = (&Codec{opts: c.opts, name: c.name, given: c.given, format: c.format, rules: rules, limits: c.limits, classes: c.classes}).ready()
	}
	b := &binding{codec: c, opts: opts, set: set, typ: t, pointer: reflect.PointerTo(t), at: c.rules.root(), declared: map[reflect.Type]bool{}, types: map[string]openType{}}
	switch {
	case err == nil:
		b.beans, err = describe(set, &c.rules)
	case !c.rules.Types || len(plan.Beans()) > 0:
		return nil, bridge.BindError(c.Name(), t, err)
	default:
		b.set, b.beans = c.classes, c.beans
	}
	for _, use := range plan.Beans() {
		b.declared[use.Type] = true
	}
	if !c.rules.Types && err == nil {
		b.at, err = c.declareType(t, set, opts)
	}
	if c.rules.concrete() {
		b.at = b.bareAt(plan.Described())
	}
	if err != nil && b.set == set {
		return nil, &codecs.BindError{Codec: c.Name(), Type: t, Reason: "a field has a format that is not carried", Err: err}
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

// binding carries one Go type: the nodes that were compiled for it, and those of the types
// that its interfaces turn out to hold.
type binding struct {
	codec    *Codec
	opts     codecs.BindOptions
	set      *java.Classes
	beans    map[string]*bean
	typ      reflect.Type
	pointer  reflect.Type // to typ
	root     *framedNode
	at       *place                // of the root
	declared map[reflect.Type]bool // structs that may be written under interfaces
	types    map[string]openType   // the registered types by class
	slots    sync.Map              // of slotKey to *framedNode or error
}

var _ codecs.Binding = (*binding)(nil)

// slotKey is a type in a place.
type slotKey struct {
	typ reflect.Type
	as  *place
}

const classBigDecimal = "java.math.BigDecimal"

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	if b.codec.err != nil {
		return dst, b.codec.encodeError(value)
	}
	return b.codec.encode(dst, b, value, func(w *writer) error { return b.write(w, value) })
}

// Reuses reports whether Append takes a pointer to a variable too: it keeps none.
func (b *binding) Reuses() bool { return b.typ.Kind() != reflect.Interface }

func (b *binding) write(w *writer, value any) error {
	t := reflect.TypeOf(value)
	switch {
	case t == b.typ:
		return b.root.writeOrNull(w, memory.Boxed(t, value, &w.word))
	case t == b.pointer && b.Reuses() && !reflect.ValueOf(value).IsNil():
		return b.root.writeOrNull(w, memory.To(reflect.ValueOf(value)))
	case b.typ.Kind() != reflect.Interface || t != nil && !t.Implements(b.typ):
		return &codecs.EncodeError{Codec: b.codec.Name(), Type: t, Reason: fmt.Sprintf("the bound type is %s", b.typ)}
	}
	return w.at(value, b.at)
}

func (b *binding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type() != b.pointer {
		return &codecs.DecodeError{
			Codec: b.codec.Name(), Offset: -1,
			Reason: fmt.Sprintf("does not go into Go type %s: the target is %T, not a pointer to the bound type", b.typ, target),
		}
	}
	r, err := b.codec.open(payload, true, b.beans)
	if err == nil {
		v.Elem().SetZero()
		err = b.root.read(r, 0, memory.To(v))
		r.close()
	}
	if err != nil {
		return b.codec.hint(payload, err)
	}
	return nil
}

// slotOf returns the slot of a type in a place that does not name it: under an interface.
func (b *binding) slotOf(t reflect.Type, as *place) (*framedNode, error) {
	key := slotKey{t, as}
	found, ok := b.slots.Load(key)
	if !ok {
		s, err := b.compileOpen(t, as)
		if found = s; err != nil {
			found = err
		}
		b.slots.Store(key, found)
	}
	if err, bad := found.(error); bad {
		return nil, &codecs.EncodeError{Codec: b.codec.Name(), Type: t, Reason: "no Java value corresponds to it", Err: err}
	}
	return found.(*framedNode), nil
}

func (b *binding) compileOpen(t reflect.Type, as *place) (*framedNode, error) {
	plan, err := bridge.CompileAs(&bridge.Node{Go: t}, b.opts)
	if err != nil {
		return nil, errors.Join(err)
	}
	for _, use := range plan.Beans() {
		if !b.declared[use.Type] {
			return nil, fmt.Errorf("the fields of %s are not described here: name the type in BindOptions.Classes, in a declaration by registry.JavaClass", use.Class)
		}
	}
	tc := newCompiler(b)
	s := tc.slot(form{Node: plan.Described(), at: as})
	return &s, tc.err
}

// goValue writes a value of Go that package java has no value of its own for.
func (w *writer) goValue(v any, as *place) error {
	t := reflect.TypeOf(v)
	if b, beans := w.bound, w.beans; w.free {
		own, err := w.codec.bindingFor(t)
		if err != nil {
			return err
		}
		w.bound, w.beans = own, own.beans
		defer func() { w.bound, w.beans = b, beans }()
	}
	s, err := w.bound.slotOf(t, as)
	if err != nil {
		return err
	}
	var word memory.Place
	p := memory.Boxed(t, v, &word)
	if n, ok := s.node.(*leafNode); ok {
		low, err := n.lower(w, p)
		if err != nil {
			return err
		}
		if low != nil && reflect.TypeOf(low) == t {
			return w.fail(v, "no Java value corresponds to it")
		}
		return w.at(low, as)
	}
	return s.writeOrNull(w, p)
}

func (c *Codec) bindingFor(t reflect.Type) (*binding, error) {
	cached, ok := c.bound.Load(t)
	if !ok {
		b, err := c.Bind(t, codecs.BindOptions{})
		if cached = b; err != nil {
			cached = &codecs.EncodeError{Codec: c.Name(), Type: t, Reason: "no Java value corresponds to it", Err: err}
		}
		c.bound.Store(t, cached)
	}
	if err, bad := cached.(*codecs.EncodeError); bad {
		copied := *err // the caller puts a path before it
		return nil, &copied
	}
	return cached.(*binding), nil
}
