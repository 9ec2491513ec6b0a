package databind

import (
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

func (r *reader) at(i int, as *place) (any, error) {
	if as.rules != nil {
		was := r.rules
		r.rules = as.rules
		defer func() { r.rules = was }()
	}
	k := &r.toks[i]
	around := k.Kind == token.Array || k.Kind == token.Object || k.Type != 0
	switch {
	case !as.implied:
		return r.declaredAt(i, as, around)
	case around:
		return r.around(i, as)
	}
	return r.single(i, as.slot), nil
}

// declaredAt reads a value where a type is declared. Around says that it is a container, or
// names its class.
func (r *reader) declaredAt(i int, as *place, around bool) (any, error) {
	d, k, types := as, &r.toks[i], r.codec.rules.Types
	if o, ok := r.again(i, as); ok {
		return o, nil
	}
	switch {
	case timeClass(d.class) && !d.component && (!types || k.Type == 0 && !r.wrapped(i)):
		return r.convert(d.class, i)
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

func (r *reader) around(i int, as *place) (any, error) {
	f, err := r.frame(i, as)
	if err != nil {
		return nil, err
	}
	return r.valueOf(&f)
}

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

func (r *reader) isMap(f *frame) bool {
	d := f.as
	return f.is.mapped || r.elementDeclared(f) != nil || f.class == "" && !r.codec.rules.Types && d.bean == nil
}

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
func (r *reader) mapOf(f *frame, as *place) (any, error) {
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
	if element != nil && f.as.key != "" {
		for e := range m.Entries {
			if text, isText := m.Entries[e].Key.(string); isText {
				name := r.codec.rules.enumName(f.as.key, text)
				if m.Entries[e].Key = name; !r.bare {
					m.Entries[e].Key = java.Enum{Class: f.as.key, Name: name, Ordinal: -1}
				}
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
	case k.Kind == token.Float && s != slotObject && (rules.timesForm() != timesNone || rules.concrete()):
		if d, ok := r.exactFloat(k).(java.BigDecimal); ok && (d.Scale == 9 || rules.concrete()) {
			return Scalar(classDecimal, d)
		}
	}
	return r.natural(i, s)
}

const classKey = "@class"

// classMember returns the first member of the object at i that names its class: the index of
// the key, -1 where there is none.
func (r *reader) classMember(i int) int {
	if named := r.codec.rules.ClassKey(); named != "" {
		return r.member(i, named)
	}
	return -1
}

// member returns the first member of that name of the object at i: the index of the key, -1
// where there is none.
func (r *reader) member(i int, named string) int {
	end := int(r.toks[i].Next)
	for m := i + 1; m < end; m = int(r.toks[m+1].Next) {
		if k := &r.toks[m]; k.Flags&token.FlagInt == 0 && r.is(k, named) {
			return m
		}
	}
	return -1
}

// classOf returns the value of the member that names the class of the object at i, and the
// index of its key.
func (r *reader) classOf(i int) (class string, key int, err error) {
	m := r.classMember(i)
	if m < 0 {
		return "", -1, nil
	}
	v := &r.toks[m+1]
	reason := "empty"
	if v.Kind != token.String {
		reason = "not a string"
	} else if class = string(r.tape.Text(v)); class != "" {
		return class, m, nil
	}
	e := r.fail(m+1, "%q is %s", r.codec.rules.ClassKey(), reason)
	e.Path = r.tape.Path(i)
	return "", -1, e
}

// members calls read for each member of the object at i but that at skip: with the
// indices of key and value.
func (r *reader) members(i, skip int, read func(key, value int) error) error {
	if err := r.enter(i); err != nil {
		return err
	}
	end := int(r.toks[i].Next)
	for m := i + 1; m < end; m = int(r.toks[m+1].Next) {
		if m == skip {
			continue
		}
		if err := r.element(m + 1); err != nil {
			return err
		}
		if err := read(m, m+1); err != nil {
			return err
		}
	}
	r.leave()
	return nil
}

func (r *reader) keyText(m int) string {
	k := &r.toks[m]
	if k.Flags&token.FlagInt != 0 {
		return strconv.FormatInt(k.Int(), 10)
	}
	return r.text(k)
}

// mapKey returns a key as that of a map: an integer where the format has such keys.
func (r *reader) mapKey(m int) any {
	k := &r.toks[m]
	switch {
	case k.Flags&token.FlagInt == 0 || r.bare:
		return r.keyText(m)
	case k.Int() == int64(int32(k.Int())):
		return int32(k.Int())
	}
	return k.Int()
}

// entries reads a map. A key that comes again replaces the value in its place,
// as put does in Java.
func (r *reader) entries(i int, class string, skip int, read func(v int) (any, error)) (any, error) {
	n := int(r.toks[i].N)
	m := &java.Map{Class: class, Entries: make([]java.Entry, 0, n)}
	var seen keySet[any]
	err := r.members(i, skip, func(k, v int) error {
		value, err := read(v)
		if err != nil {
			return err
		}
		key := r.mapKey(k)
		if at, again := seen.add(key, len(m.Entries), func(i int) any { return m.Entries[i].Key }); again {
			m.Entries[at].Value = value
			return nil
		}
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keySet finds repeated keys: by looking through few, by a map through many.
type keySet[K comparable] map[K]int

const fewKeys = 16

// add returns the index of the key, if it is one of the n that at returns.
func (s *keySet[K]) add(key K, n int, at func(i int) K) (int, bool) {
	if n < fewKeys {
		for i := range n {
			if at(i) == key {
				return i, true
			}
		}
		return 0, false
	}
	if *s == nil {
		*s = make(keySet[K], 2*n)
		for i := range n {
			(*s)[at(i)] = i
		}
	}
	found, again := (*s)[key]
	if !again {
		(*s)[key] = n
	}
	return found, again
}

func (r *reader) fieldsOf(i int, b *bean, rest *place, skip int) (any, error) {
	class := b.class
	o := &java.Object{Class: class, Fields: make([]java.Field, 0, r.toks[i].N)}
	var seen keySet[string]
	err := r.members(i, skip, func(k, v int) error {
		name, value, err := r.field(b, k, v, rest)
		if err != nil {
			return err
		}
		if at, again := seen.add(name, len(o.Fields), func(i int) string { return o.Fields[i].Name }); again {
			o.Fields[at].Value = value
			return nil
		}
		o.Fields = append(o.Fields, java.Field{Name: name, Value: value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n := r.remember(i, skip); n != nil {
		n.object = o
	}
	if _, looks := ScalarValue(o); looks {
		// No bean has such a field; as a map it is not taken for a scalar.
		return &java.Map{Class: class, Entries: []java.Entry{{Key: "", Value: o.Fields[0].Value}}}, nil
	}
	return o, nil
}

// field reads one member of an object of a class: where the class is described, as
// what the field is declared to be.
func (r *reader) field(b *bean, key, value int, rest *place) (name string, v any, err error) {
	if f := b.find(r.tape.Text(&r.toks[key])); f != nil {
		if v, err = r.at(value, f.declared); v == nil && err == nil && f.format.Include != java.IncludeAlways {
			v = r.emptyHolder(f.declared)
		}
		return f.name, v, err
	}
	if v, err = r.at(value, rest); v == nil && err == nil && b.described() {
		v = r.emptyHolder(undescribed)
	}
	return r.keyText(key), v, err
}
