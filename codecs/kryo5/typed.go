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
	direct  bool // variables can be used again: no node knows them but while it works
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
	p.direct = t != anyType && !tc.assigns
	return p
}

// decode reads payload into the variable that target points to. On false
// the caller must go by values; the variable is in an unspecified state then.
func (p *typedPlan) decode(payload []byte, target any) bool {
	v := reflect.ValueOf(target)
	if !p.reads || reflect.TypeOf(target) != p.pointer || v.IsNil() {
		return false
	}
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

// append encodes value and appends it to dst. On false the caller must go by
// values.
func (p *typedPlan) append(dst []byte, value any) ([]byte, bool) {
	if !p.writes || reflect.TypeOf(value) != p.typ && p.typ != anyType {
		return dst, false
	}
	w := p.writer(p.writers.Get())
	var ok bool
	if p.typ == anyType {
		ok = p.root.node.(*anyNode).writeOpen(w, value)
	} else {
		ok = p.root.write(w, memory.Boxed(p.typ, value, &w.word))
	}
	dst, ok = w.finish(dst, ok)
	p.writers.Put(w)
	return dst, ok
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

// typedState is what one goroutine at a time keeps between direct calls.
type typedState struct {
	r *typedReader
	w *typedWriter
}

// stateOf returns the state behind s, which no one else uses meanwhile.
func (p *typedPlan) stateOf(s *any) *typedState {
	state, _ := (*s).(*typedState)
	if state == nil {
		state = &typedState{r: p.reader(nil), w: p.writer(nil)}
		*s = state
	}
	return state
}

// Direct reports whether values of the type can go straight between bytes and a
// variable that is used again. Values that package java places may point into it.
func (b *binding) Direct() bool {
	p := b.typed
	return p != nil && p.direct && (p.reads || p.writes)
}

// AppendDirect appends the payload of the variable that source points to. On false
// the caller must use Append.
func (b *binding) AppendDirect(dst []byte, source any, state *any) ([]byte, bool) {
	p := b.typed
	if !p.writes || reflect.TypeOf(source) != p.pointer {
		return dst, false
	}
	s := p.stateOf(state)
	w := p.writer(s.w)
	return w.finish(dst, p.root.write(w, memory.To(reflect.ValueOf(source))))
}

// DecodeDirect reads payload into the zero variable that target points to. On false
// the caller must use Decode.
func (b *binding) DecodeDirect(payload []byte, target any, state *any) bool {
	p := b.typed
	if !p.reads || reflect.TypeOf(target) != p.pointer {
		return false
	}
	return p.read(p.stateOf(state).r, payload, memory.To(reflect.ValueOf(target)))
}
