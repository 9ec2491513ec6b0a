package jackson

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// fieldReader returns what reads the fields of an object of a class: where the
// class is described, as what each field is declared to be.
func (r *reader) fieldReader(class string, s slot) func(key string) (any, error) {
	b := r.beans[class]
	if b == nil {
		return func(string) (any, error) { return r.value(s) }
	}
	return func(key string) (any, error) {
		i, ok := b.byName[key]
		if !ok {
			return r.value(s)
		}
		return r.declaredField(b.fields[i].declared)
	}
}

// declaredField reads a value in a slot of a declared type.
func (r *reader) declaredField(d *declared) (any, error) {
	switch c := r.space(); {
	case d.object && c != '[' && c != '{':
		return r.value(slotObject) // a whole number beyond an int is a Long here
	case d.object:
		return r.classed(slotOpen)
	case d.bean != nil && c == '{':
		return r.declaredBean(d.bean)
	case d.element != nil && c == '[':
		return r.declaredList(d)
	case d.element != nil && c == '{':
		return r.declaredMap(d.element)
	case d.class == "" || c == '[' || c == '{' || c == 'n':
		return r.value(slotOpen)
	}
	at := r.pos
	v, err := r.value(slotTree)
	if err != nil {
		return nil, err
	}
	if o, ok := v.(*java.Object); ok {
		v, _ = ScalarValue(o)
	}
	if d.class == "java.util.UUID" {
		return r.uuid(v, at)
	}
	return r.convert(d.class, v, at)
}

// classed reads a value whose class the Go side keeps.
func (r *reader) classed(s slot) (any, error) {
	bare := r.bare
	r.bare = false
	v, err := r.value(s)
	r.bare = bare
	return v, err
}

// declaredBean reads an object of a final class, which mostly has no class name.
func (r *reader) declaredBean(b *bean) (any, error) {
	class, named, err := r.classOf(r.pos)
	if err != nil {
		return nil, err
	}
	if !named {
		class = b.class
	}
	return r.objectOf(class, named)
}

// declaredList reads a list or array whose elements are declared.
func (r *reader) declaredList(d *declared) (any, error) {
	if d.slot == slotTree {
		return r.listOf(ClassNone, d.element)
	}
	start := r.pos
	class, after, err := r.peekType()
	if err != nil || after < 0 || !typeID(class) || !r.pair(start) {
		return r.value(slotOpen)
	}
	r.pos = after
	if r.space() != '[' {
		r.pos = start
		return r.value(slotOpen)
	}
	l, err := r.listOf(class, d.element)
	if err != nil {
		return nil, err
	}
	return l, r.expect(']', "after the value of a wrapper array")
}

func (r *reader) listOf(class string, d *declared) (any, error) {
	l := &java.List{Class: class, Elements: []any{}}
	err := r.elements(func() error {
		v, err := r.declaredField(d)
		l.Elements = append(l.Elements, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// declaredMap reads a map whose values are declared.
func (r *reader) declaredMap(d *declared) (any, error) {
	class, named, err := r.classOf(r.pos)
	if err != nil {
		return nil, err
	}
	return r.entries(class, func(string) (any, error) { return r.declaredField(d) }, named)
}

func (r *reader) uuid(v any, at int) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, r.failClass(at, "java.util.UUID", "%v is no UUID", reflect.TypeOf(v))
	}
	id, err := java.ParseUUID(s)
	if err != nil {
		return nil, r.failClass(at, "java.util.UUID", "%v", err)
	}
	return id, nil
}
