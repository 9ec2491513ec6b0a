package databind

import (
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// at reads the value at token i as a Java value.
func (r *reader) at(i int, as place) (any, error) {
	k := &r.toks[i]
	around := k.Kind == token.Array || k.Kind == token.Object || k.Type != 0
	switch {
	case as.declared != nil:
		return r.declaredAt(i, as, around)
	case around:
		return r.around(i, as)
	}
	return r.single(i, as.slot), nil
}

// declaredAt reads a value where a type is declared. Around says that it is a container, or
// names its class.
func (r *reader) declaredAt(i int, as place, around bool) (any, error) {
	d, k, types := as.declared, &r.toks[i], r.codec.rules.Types
	if o, ok := r.again(i, as); ok {
		return o, nil
	}
	switch {
	case timeClass(d.class) && !d.component && (!types || k.Type == 0 && !r.wrapped(i)):
		return r.time(d.class, i)
	case !types && d.class == classUUID && k.Kind == token.Array && k.N == 2 && r.toks[i+1].Kind == token.String:
		return r.uuid(i + 2) // Redisson 4.2.0 to 4.4.x named it
	case !types && d.class == classUUID && k.Kind != token.Array:
		return r.uuid(i)
	case !types && d.class == "[B" && k.Kind == token.Array:
		return r.byteArray(i)
	case around && d.component && descriptor(d.class):
		return r.valueOf(&frame{at: i, class: d.class, key: -1, as: objectPlace, is: factsOf(d.class)})
	case around && d.object && types && r.bare:
		defer r.plain(false)() // the class is kept
		return r.around(i, as)
	case around:
		return r.around(i, as)
	case d.enum != nil:
		return r.constant(d.enum.class, i)
	case d.object:
		return r.single(i, slotObject), nil // a whole number beyond an int is a Long here
	case d.class == "":
		return r.single(i, slotOpen), nil
	case d.component:
		return r.convert(d.class, i)
	}
	return r.declaredScalar(i, d.class)
}

// around reads a container, or a value that names its class.
func (r *reader) around(i int, as place) (any, error) {
	f, err := r.frame(i, as)
	if err != nil {
		return nil, err
	}
	return r.valueOf(&f)
}

// valueOf reads the value that f is around.
func (r *reader) valueOf(f *frame) (any, error) {
	switch r.toks[f.at].Kind {
	case token.Array:
		return r.arrayOf(f)
	case token.Object:
		return r.objectOf(f)
	default:
		return r.convert(f.class, f.at)
	}
}

// arrayOf reads a list, set or array.
func (r *reader) arrayOf(f *frame) (any, error) {
	class, as := f.class, r.elementsOf(f)
	read := func(e int) (any, error) { return r.at(e, as) }
	switch {
	case r.elementDeclared(f) != nil:
	case f.is.time:
		return r.time(class, f.at)
	case f.is.array && len(class) == 2:
		return r.primitiveArray(class, f.at)
	case f.is.array && !r.bare && component(class) == classUUID:
		read = r.uuidElement
	case class == "" && !r.codec.rules.Types:
		class = java.ClassArrayList
	}
	if class == "" {
		class = ClassNone
	}
	if f.is.set != "" {
		class = classEnumSet
	}
	v, err := r.listBy(f.at, class, read)
	if l, ok := v.(*java.List); ok {
		l.Of = f.is.set
	}
	return v, err
}

// isMap reports whether the object that f is around is a map.
func (r *reader) isMap(f *frame) bool {
	d := f.as.declared
	return f.is.mapped || r.elementDeclared(f) != nil || f.class == "" && !r.codec.rules.Types && (d == nil || d.bean == nil)
}

// objectOf reads a map or an object.
func (r *reader) objectOf(f *frame) (any, error) {
	m := r.membersOf(f)
	switch {
	case r.isMap(f):
		return r.mapOf(f, m.rest)
	case m.bean == nil:
		m.bean = &bean{class: f.class}
	}
	return r.fieldsOf(f.at, m.bean, m.rest, f.key)
}

// mapOf reads a map, whose values are in that place.
func (r *reader) mapOf(f *frame, as place) (any, error) {
	class, element := f.class, r.elementDeclared(f)
	switch {
	case class != "" || r.codec.rules.Types:
	case element != nil:
		class = java.ClassHashMap
	default:
		class = "java.util.LinkedHashMap"
	}
	v, err := r.entries(f.at, class, f.key, func(v int) (any, error) { return r.at(v, as) })
	m, ok := v.(*java.Map)
	if !ok {
		return nil, err
	}
	if element != nil && f.as.declared.key != "" {
		for e := range m.Entries {
			if text, isText := m.Entries[e].Key.(string); isText {
				m.Entries[e].Key = r.codec.rules.enumName(f.as.declared.key, text)
			}
		}
	}
	if f.is.keys != "" && !r.bare {
		constantKeys(m, f.is.keys)
	}
	return m, err
}

// single reads a scalar of which nothing is known but its slot.
func (r *reader) single(i int, s slot) any {
	k, rules := &r.toks[i], &r.codec.rules
	switch {
	case !rules.Types && k.Kind == token.Float:
		return r.exactFloat(k)
	case !rules.Types:
		return r.natural(i, slotObject)
	case k.Kind == token.Float && s != slotObject && rules.times != timesNone:
		if d, ok := r.exactFloat(k).(java.BigDecimal); ok && d.Scale == 9 {
			return Scalar(classDecimal, d)
		}
	}
	return r.natural(i, s)
}
