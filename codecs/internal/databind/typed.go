package databind

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
)

// typedPlan carries values of one Go type straight between tokens and Go variables,
// for the usual case: the classes and declared types of everyday beans, as Java
// writes them. Whatever is unusual in a type, a payload or a value is left to the
// way by values, which says what is wrong and knows the rest; a plan only ever
// answers false then.
type typedPlan struct {
	codec   *Codec
	beans   map[string]*bean // those of the binding
	typ     reflect.Type
	pointer reflect.Type // to typ
	root    typedSlot
	readers sync.Pool
	writers sync.Pool
}

// decode reads payload into the variable that target points to. On false
// the caller must go by values; the variable is in an unspecified state then.
func (p *typedPlan) decode(payload []byte, target any) bool {
	if p == nil || !isPointerTo(target, p.pointer) {
		return false
	}
	r := p.reader(p.readers.Get())
	v := reflect.ValueOf(target)
	v.Elem().SetZero()
	ok := p.read(r, payload, memory.To(v))
	p.readers.Put(r)
	return ok
}

// reader returns old, a *typedReader of this plan or nil, or a new one.
func (p *typedPlan) reader(old any) *typedReader {
	r, _ := old.(*typedReader)
	if r == nil {
		r = &typedReader{plan: p, values: reader{codec: p.codec, bare: true, beans: p.beans}}
		r.tape = &r.values.tape
		r.tape.Wrapper, r.tape.Asked = wrapperLike, p.codec.limits
	}
	return r
}

// read reads payload into the zero variable at to.
func (p *typedPlan) read(r *typedReader, payload []byte, to memory.Place) bool {
	ok := r.start(payload) && p.root.read(r, 0, to)
	r.release()
	return ok
}

// append encodes value, or what it points to, and appends it to dst. On false the
// caller must go by values.
func (p *typedPlan) append(dst []byte, value any) ([]byte, bool) {
	if p == nil || reflect.TypeOf(value) != p.typ && !isPointerTo(value, p.pointer) {
		return dst, false
	}
	w := p.writer(p.writers.Get())
	var at memory.Place
	if reflect.TypeOf(value) == p.typ {
		at = memory.Boxed(p.typ, value, &w.word)
	} else {
		at = memory.To(reflect.ValueOf(value))
	}
	w.begin()
	dst, ok := w.finish(dst, p.root.writeOrNull(w, at))
	p.writers.Put(w)
	return dst, ok
}

// writer returns old, a *typedWriter of this plan or nil, or a new one.
func (p *typedPlan) writer(old any) *typedWriter {
	w, _ := old.(*typedWriter)
	if w == nil {
		w = newTypedWriter(p)
	}
	return w
}

// Reuses reports whether Append takes a pointer to a variable: see [codecs.For].
func (b *binding) Reuses() bool { return b.typed != nil }

var _ codecs.Binding = (*binding)(nil)

// ByValues returns a codec that goes the way by values alone; c itself where it is
// none of this package. Tests compare the two.
func ByValues(c codecs.Codec) codecs.Codec {
	own, ok := c.(*Codec)
	if !ok {
		return c
	}
	return byValues{own}
}

// byValues is a codec without typed plans.
type byValues struct{ *Codec }

func (c byValues) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	bound, err := c.Codec.Bind(t, opts)
	if b, ok := bound.(*binding); ok {
		b.typed = nil
	}
	return bound, err
}
