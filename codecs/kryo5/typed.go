package kryo5

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
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
	root    typedSlot
	reads   bool
	writes  bool
	readers sync.Pool
	writers sync.Pool
}

// compileTyped returns the plan for t, nil where it has none.
func (c *Codec) compileTyped(t reflect.Type, opts codecs.BindOptions, types *typedTypes) *typedPlan {
	if c.references {
		return nil
	}
	tc := &typedCompiler{types: types, opts: opts, nodes: map[typedKey]typedNode{}, beans: map[reflect.Type]*typedBean{}}
	tc.scope.Reset(types.world.describe)
	p := &typedPlan{codec: c, types: types, typ: t, root: tc.slot(t, java.TypeExpr{}, nil)}
	if _, none := p.root.node.(*assignNode); tc.stuck || none {
		return nil
	}
	p.reads, p.writes = t != anyType, !tc.reads // as the whole value, any takes Java values
	return p
}

// decode reads payload into the variable that target points to; false where the
// other way must be gone. The variable is in an unspecified state then.
func (p *typedPlan) decode(payload []byte, target any) bool {
	v := reflect.ValueOf(target)
	if !p.reads || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != p.typ || len(payload) > p.codec.limits.Bytes {
		return false
	}
	r, _ := p.readers.Get().(*typedReader)
	if r == nil {
		r = &typedReader{codec: p.codec, types: p.types}
		r.scope.Reset(p.types.world.describe)
	}
	r.in, r.at, r.depth, r.elements = payload, 0, 0, p.codec.limits.Elements
	v.Elem().SetZero()
	ok := p.root.read(r, placeOf(v)) && r.at == len(payload)
	r.release()
	p.readers.Put(r)
	return ok
}

// append encodes value and appends it to dst; false where the other way must be
// gone.
func (p *typedPlan) append(dst []byte, value any) ([]byte, bool) {
	if !p.writes || reflect.TypeOf(value) != p.typ && p.typ != anyType {
		return dst, false
	}
	w, _ := p.writers.Get().(*typedWriter)
	if w == nil {
		w = &typedWriter{codec: p.codec, types: p.types}
		w.scope.Reset(p.types.world.describe)
	}
	w.depth, w.refused = 0, false
	var ok bool
	if p.typ == anyType {
		ok = p.root.node.(*anyNode).writeOpen(w, value)
	} else {
		ok = p.root.write(w, boxed(p.typ, value, &w.word))
	}
	if ok = ok && !w.refused; ok {
		dst = append(dst, w.out...)
	}
	w.release()
	p.writers.Put(w)
	return dst, ok
}
