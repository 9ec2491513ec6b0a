package databind

import (
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// declaredValue reads the value at i in a slot of a declared type.
func (r *reader) declaredValue(i int, d *declared) (any, error) {
	if !r.codec.rules.Types {
		return r.typelessValue(i, d)
	}
	if d.exact && r.bare {
		r.bare = false
		v, err := r.declaredValue(i, d)
		r.bare = true
		return v, err
	}
	if d.throwable {
		if o, ok := r.again(i); ok {
			return o, nil
		}
	}
	kind := r.tape.Tokens[i].Kind
	container := kind == token.Array || kind == token.Object
	switch {
	case d.object && !container && r.tape.Tokens[i].Type == 0:
		return r.value(i, slotObject) // a whole number beyond an int is a Long here
	case d.object:
		return r.classed(i)
	case d.of != nil && kind == token.Object:
		return r.genericBean(i, d.of)
	case d.bean != nil && kind == token.Object:
		return r.declaredBean(i, d.bean)
	case d.element != nil && container:
		return r.declaredContainer(i, d)
	case timeClass(d.class) && r.tape.Tokens[i].Type == 0 && !r.wrapped(i):
		return r.time(d.class, i)
	case container && d.slot == slotObject:
		return r.nonFinal(i)
	case container || r.tape.Tokens[i].Type != 0:
		return r.value(i, slotOpen)
	case d.enum != nil:
		return r.constant(d.enum.class, i)
	case d.class == "":
		return r.value(i, slotOpen)
	}
	return r.declaredScalar(i, d.class)
}

// declaredScalar reads a scalar whose class is declared, so that it is known what to
// make of a text.
func (r *reader) declaredScalar(i int, class string) (any, error) {
	k := &r.tape.Tokens[i]
	if class == classUUID {
		return r.uuid(i)
	}
	if k.Kind == token.String && finalText(class) {
		if v, ok := r.exactText(class, r.text(k)); ok {
			return v, nil
		}
	}
	return r.convert(class, i)
}

// classed reads a value whose class the Go side keeps.
func (r *reader) classed(i int) (any, error) {
	bare := r.bare
	r.bare = false
	v, err := r.nonFinal(i)
	r.bare = bare
	return v, err
}

// declaredBean reads an object of a final class, which mostly has no class name.
func (r *reader) declaredBean(i int, b *bean) (any, error) {
	class, key, err := r.className(i)
	if err != nil {
		return nil, err
	}
	if class == "" || class == b.class {
		return r.fieldsOf(i, b, slotField, key)
	}
	return r.objectOf(i, class, key)
}

// className returns the class that the object at i names, empty where it names
// none, and the key that does, -1 where none does.
func (r *reader) className(i int) (class string, key int, err error) {
	if k := &r.tape.Tokens[i]; k.Type != 0 {
		return r.tape.Class(k), -1, nil
	}
	return r.classOf(i)
}

// declaredContainer reads a list, array or map whose elements are declared.
func (r *reader) declaredContainer(i int, d *declared) (any, error) {
	read := func(e int) (any, error) { return r.declaredValue(e, d.element) }
	if r.tape.Tokens[i].Kind == token.Object {
		class, key, err := r.className(i)
		if err != nil {
			return nil, err
		}
		return r.declaredMap(i, class, key, d)
	}
	if d.slot == slotTree {
		return r.listBy(i, ClassNone, read)
	}
	class, at, ok := r.named(i, d.slot == slotObject)
	if !ok || r.tape.Tokens[at].Kind != token.Array {
		return r.value(i, slotOpen)
	}
	return r.listBy(at, class, read)
}

const classUUID = "java.util.UUID"

// uuid reads a UUID that is declared as one: text, or the sixteen bytes.
func (r *reader) uuid(i int) (any, error) {
	k := &r.tape.Tokens[i]
	switch b := r.tape.Text(k); k.Kind {
	case token.Null:
		return nil, nil
	case token.Bytes:
		if len(b) == len(java.UUID{}) {
			return java.UUID(b), nil
		}
		return nil, r.failClass(i, classUUID, "%d bytes are no UUID", len(b))
	case token.String:
		id, err := java.ParseUUID(string(b))
		if err != nil {
			return nil, r.failClass(i, classUUID, "%v", err)
		}
		return id, nil
	default:
		return nil, r.failClass(i, classUUID, "%s is no UUID", kindName(k.Kind))
	}
}
