package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// This file is the seam between typed plans and the dynamic engine: what a plan
// needs of it, in place, while both read or write one payload.

// typedTypes are the classes that the plans of one binding know: those of the
// first world of a universe, one object per class.
type typedTypes struct {
	universe *universe
	known    *catalog
	world    *world
	named    map[string]*class // filled while a plan is compiled

	hashMap, arrayList *class
	plainList          *listNode // []any without type arguments
}

func newTypedTypes(u *universe) *typedTypes {
	t := &typedTypes{universe: u, known: u.known, world: u.first, named: map[string]*class{}}
	t.hashMap, t.arrayList = t.learn(java.ClassHashMap), t.learn(java.ClassArrayList)
	t.plainList = &listNode{
		typ: reflect.TypeFor[[]any](), elem: anyType, size: anyType.Size(), as: t.arrayList,
		slot: typedSlot{node: &anyNode{}}, fixed: true, plain: true,
	}
	return t
}

// learn returns the class of that name for a plan being compiled, nil where there
// is none that can be read and written.
func (t *typedTypes) learn(name string) *class {
	c, ok := t.named[name]
	if !ok {
		if c = t.world.class(name); c != nil && (c.read == nil || c.write == nil) {
			c = nil
		}
		t.named[name] = c
	}
	return c
}

// class returns the class of that name, nil where there is none.
func (t *typedTypes) class(name string) *class {
	if c := t.named[name]; c != nil {
		return c
	}
	return t.world.class(name)
}

// enterDynamic hands the payload over to the dynamic engine.
func (r *typedReader) enterDynamic(plain bool) *decoder {
	d := r.d
	if d == nil {
		d = r.codec.decoder(r.types.universe)
		d.reset(r.in, plain, r.types.world)
		r.d = d
	}
	d.at, d.depth, d.elements, d.plain, d.scope = r.at, r.depth, r.elements, plain, r.scope
	d.classes = append(d.classes[:0], r.classes...)
	return d
}

// leaveDynamic takes it back.
func (r *typedReader) leaveDynamic(d *decoder) {
	r.at, r.depth, r.elements = d.at, d.depth, d.elements
	r.classes = append(r.classes[:0], d.classes...)
}

func (r *typedReader) dynamicClass() (*class, bool) {
	d := r.enterDynamic(false)
	c, err := d.class()
	r.leaveDynamic(d)
	return c, err == nil
}

func (r *typedReader) dynamicText() ([]byte, bool) {
	d := r.enterDynamic(false)
	b, null, err := d.stringBytes()
	r.leaveDynamic(d)
	return b, err == nil && !null
}

// dynamicBody reads a body of class c, as a plain Go value or as a Java value.
func (r *typedReader) dynamicBody(c *class, ctx *layout.Type, plain bool) (any, bool) {
	d := r.enterDynamic(plain)
	v, err := d.body(c, ctx)
	r.leaveDynamic(d)
	return v, err == nil
}

// skip reads a value that no field takes.
func (r *typedReader) skip(ctx *layout.Type) bool {
	d := r.enterDynamic(false)
	_, err := d.value(ctx)
	r.leaveDynamic(d)
	return err == nil
}

func (r *typedReader) release() {
	if r.d != nil {
		r.codec.release(r.d)
		r.d = nil
	}
	r.in, r.chunk, r.chunkEnd = nil, nil, 0
	r.boxes, r.boxed = nil, 0
	r.classes = r.classes[:0]
	r.scope.Leave(0)
}

// dynamicBody writes the body of v as class c.
func (w *typedWriter) dynamicBody(c *class, v any, ctx *layout.Type) bool {
	e := w.enterDynamic()
	actual, v, err := e.resolve(v)
	if err == nil && actual == c {
		err = e.body(c, v, ctx)
	}
	w.leaveDynamic(e)
	return err == nil && actual == c
}

// dynamicValue writes v with its class, or null.
func (w *typedWriter) dynamicValue(v any, ctx *layout.Type) bool {
	e := w.enterDynamic()
	err := e.value(v, ctx)
	w.leaveDynamic(e)
	return err == nil
}

func (w *typedWriter) enterDynamic() *encoder {
	if w.e == nil {
		w.e = w.codec.encoder(nil, w.types.universe)
	}
	w.e.out, w.e.depth, w.e.scope = w.out, w.depth, w.scope
	w.e.classes = append(w.e.classes[:0], w.classes...)
	return w.e
}

func (w *typedWriter) leaveDynamic(e *encoder) {
	w.out, w.depth = e.out, e.depth
	w.classes = append(w.classes[:0], e.classes...)
	for _, c := range w.classes {
		w.names |= nameBit(c.name)
	}
}

func (w *typedWriter) release() {
	if w.e != nil {
		w.codec.releaseEncoder(w.e)
		w.e = nil
	}
	w.out, w.classes, w.names, w.word = w.out[:0], w.classes[:0], 0, nil
	clear(w.keys)
	w.keys = w.keys[:0]
	if cap(w.out) > maxKept {
		w.out = nil
	}
	if cap(w.keys) > maxKept {
		w.keys = nil
	}
	if cap(w.entries) > maxKept {
		w.entries = nil
	}
	w.scope.Leave(0)
}
