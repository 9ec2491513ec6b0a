package kryo5

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// typedPlan carries values of one Go type straight between bytes and Go
// variables, for the usual case: references off, no allowedClasses, the classes
// and declared types of everyday beans. Whatever is unusual in a type, a payload or
// a value is left to the dynamic engine and package java, which say what is wrong
// and know the rest; a plan only ever answers false then.
type typedPlan struct {
	codec   *Codec
	types   *typedTypes
	typ     reflect.Type
	pointer reflect.Type // to typ
	root    typedSlot
	reads   bool
	writes  bool
	reuses  bool // variables can be used again: no node knows them but while it works
	readers sync.Pool
	writers sync.Pool
}

// compileTyped returns the plan for a described type, nil where it has none.
func (c *Codec) compileTyped(d *java.Node, opts codecs.BindOptions, types *typedTypes) *typedPlan {
	if c.references {
		return nil
	}
	tc := &typedCompiler{types: types, opts: opts, nodes: map[typedKey]typedNode{}, beans: map[reflect.Type]*typedBean{}}
	tc.scope.Reset(types.world.describe)
	t := d.Go
	p := &typedPlan{codec: c, types: types, typ: t, pointer: reflect.PointerTo(t), root: tc.slot(d, nil)}
	if _, none := p.root.node.(*assignNode); tc.stuck || none {
		return nil
	}
	p.reads, p.writes = t != anyType, !tc.reads // as the whole value, any takes Java values
	p.reuses = t != anyType && !tc.assigns
	return p
}

// decode reads payload into the variable that target points to. On false
// the caller must go by values; the variable is in an unspecified state then.
func (p *typedPlan) decode(payload []byte, target any) bool {
	if !p.reads || !isPointerTo(target, p.pointer) {
		return false
	}
	v := reflect.ValueOf(target)
	r := p.reader(p.readers.Get())
	v.Elem().SetZero()
	ok := p.read(r, payload, memory.To(v))
	p.readers.Put(r)
	return ok
}

// reader returns old, a *typedReader of this plan or nil, or a new one.
func (p *typedPlan) reader(old any) *typedReader {
	r, _ := old.(*typedReader)
	if r == nil {
		r = &typedReader{codec: p.codec, types: p.types}
		r.scope.Reset(p.types.world.describe)
	}
	return r
}

// read reads payload into the zero variable at to.
func (p *typedPlan) read(r *typedReader, payload []byte, to memory.Place) bool {
	if len(payload) > p.codec.limits.Bytes {
		return false
	}
	r.in, r.at, r.depth, r.elements = payload, 0, 0, p.codec.limits.Of(len(payload)).Elements
	ok := p.root.read(r, to) && r.at == len(payload)
	r.release()
	return ok
}

// append encodes value, or what it points to, and appends it to dst. On false the
// caller must go by values.
func (p *typedPlan) append(dst []byte, value any) ([]byte, bool) {
	pointer := isPointerTo(value, p.pointer)
	if !p.writes || reflect.TypeOf(value) != p.typ && !pointer && p.typ != anyType {
		return dst, false
	}
	w := p.writer(p.writers.Get())
	var ok bool
	switch {
	case p.typ == anyType:
		ok = p.root.node.(*anyNode).writeOpen(w, value)
	case pointer:
		ok = p.root.write(w, memory.To(reflect.ValueOf(value)))
	default:
		ok = p.root.write(w, memory.Boxed(p.typ, value, &w.word))
	}
	dst, ok = w.finish(dst, ok)
	p.writers.Put(w)
	return dst, ok
}

// isPointerTo reports whether v is a non-nil pointer of type t.
func isPointerTo(v any, t reflect.Type) bool {
	return reflect.TypeOf(v) == t && !reflect.ValueOf(v).IsNil()
}

// writer returns old, a *typedWriter of this plan or nil, or a new one, ready for a
// value.
func (p *typedPlan) writer(old any) *typedWriter {
	w, _ := old.(*typedWriter)
	if w == nil {
		w = &typedWriter{codec: p.codec, types: p.types}
		w.scope.Reset(p.types.world.describe)
	}
	w.depth, w.refused = 0, false
	return w
}

// finish appends what was written to dst, unless it is not all of the value, and
// makes the writer ready for another one.
func (w *typedWriter) finish(dst []byte, ok bool) ([]byte, bool) {
	if ok = ok && !w.refused; ok {
		dst = append(dst, w.out...)
	}
	w.release()
	return dst, ok
}

// Reuses reports whether Append takes a pointer to a variable, and variables can be
// used again: values that package java places may point into theirs. See [codecs.For].
func (b *binding) Reuses() bool { return b.typed != nil && b.typed.reuses }
