package jackson

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

const classKey = "@class"

// object reads the JSON object at r.pos.
func (r *reader) object(s slot) (any, error) {
	start := r.pos
	if s == slotTree {
		return r.members("", slotTree)
	}
	class, named, err := r.classOf(start)
	switch {
	case err != nil:
		return nil, err
	case !named && s == slotObject:
		return nil, r.fail(start, `an object without the name of its class: Java writes {"@class":"java.util.HashMap",…} here`)
	}
	return r.objectOf(class, named)
}

// objectOf reads the members of an object of a known class; strip says that
// the class stands among them.
func (r *reader) objectOf(class string, strip bool) (any, error) {
	inner := slotOpen
	switch {
	case strings.HasPrefix(class, nodePackage):
		inner = slotTree
	case mapClass(class):
		if objectSlots(class) {
			inner = slotObject
		}
		return r.entries(class, func(string) (any, error) { return r.value(inner) }, strip)
	}
	return r.fields(class, inner, strip)
}

// classOf returns the value of the first member "@class" of the object at start.
func (r *reader) classOf(start int) (class string, named bool, err error) {
	defer func() { r.pos = start }()
	at, err := r.classKeyAt(start)
	if err != nil || at < 0 {
		return "", false, err
	}
	r.pos = at
	if _, err = r.text(); err == nil {
		err = r.expect(':', "after a key")
	}
	if err != nil {
		return "", false, err
	}
	if r.space() != '"' {
		return "", false, r.fail(r.pos, `"@class" is not a string`)
	}
	at = r.pos
	if class, err = r.text(); err == nil && class == "" {
		err = r.fail(at, `"@class" is empty`)
	}
	return class, true, err
}

// classKeyAt returns where the first key "@class" of the object at start is,
// -1 where it has none.
func (r *reader) classKeyAt(start int) (int, error) {
	r.pos = start + 1
	switch r.space() {
	case '}':
		return -1, nil
	case '"':
		at := r.pos
		key, err := r.text()
		if err != nil || key == classKey {
			return at, err
		}
	default:
		return -1, r.unexpected("a key in quotes")
	}
	if err := r.survey(); err != nil {
		return -1, err
	}
	if at, ok := r.classAt[start]; ok {
		return at, nil
	}
	return -1, nil
}

// member reads the key of the next member and the colon. skip is true for the
// first "@class" of an object whose class was taken from there.
func (r *reader) member(strip *bool) (key string, skip bool, err error) {
	if r.space() != '"' {
		return "", false, r.unexpected("a key in quotes")
	}
	if key, err = r.text(); err == nil {
		err = r.expect(':', "after a key")
	}
	if err != nil {
		return "", false, err
	}
	if *strip && key == classKey {
		*strip = false
		r.space()
		_, err = r.text()
		return "", true, err
	}
	return key, false, r.element()
}

// each reads the members of the object at r.pos and calls put with each.
func (r *reader) each(read func(key string) (any, error), strip bool, put func(key string, v any)) error {
	if err := r.enter(); err != nil {
		return err
	}
	depth := len(r.path)
	for first := true; ; first = false {
		more, err := r.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, skip, err := r.member(&strip)
		if err != nil {
			return err
		}
		if skip {
			continue
		}
		r.path = append(r.path, step{key: key, index: -1})
		v, err := read(key)
		if err != nil {
			return err
		}
		r.path = r.path[:depth]
		put(key, v)
	}
	r.leave()
	return nil
}

// entries reads a map. A key that comes again replaces the value in its place,
// as put does in Java.
func (r *reader) entries(class string, read func(key string) (any, error), strip bool) (any, error) {
	m := &java.Map{Class: class, Entries: make([]java.Entry, 0, fewKeys/2)}
	seen := keySet{}
	err := r.each(read, strip, func(key string, v any) {
		if at, again := seen.add(key, len(m.Entries)); again {
			m.Entries[at].Value = v
			return
		}
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: v})
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// fields reads a bean or an object without a class.
func (r *reader) fields(class string, s slot, strip bool) (any, error) {
	o := &java.Object{Class: class, Fields: make([]java.Field, 0, fewKeys/2)}
	seen := keySet{}
	err := r.each(r.fieldReader(class, s), strip, func(key string, v any) {
		if at, again := seen.add(key, len(o.Fields)); again {
			o.Fields[at].Value = v
			return
		}
		o.Fields = append(o.Fields, java.Field{Name: key, Value: v})
	})
	if err != nil {
		return nil, err
	}
	if _, looks := ScalarValue(o); looks {
		// No bean has such a field; as a map it is not taken for a scalar.
		return &java.Map{Class: class, Entries: []java.Entry{{Key: "", Value: o.Fields[0].Value}}}, nil
	}
	return o, nil
}

func (r *reader) members(class string, s slot) (any, error) { return r.fields(class, s, false) }

// keySet finds repeated keys: by looking through few, by a map through many.
type keySet struct {
	few  []string
	many map[string]int
}

const fewKeys = 16

// add returns the index under which key was added before; else it adds it.
func (k *keySet) add(key string, index int) (int, bool) {
	if k.many != nil {
		at, ok := k.many[key]
		if !ok {
			k.many[key] = index
		}
		return at, ok
	}
	for i, other := range k.few {
		if other == key {
			return i, true
		}
	}
	if k.few == nil {
		k.few = make([]string, 0, fewKeys/2)
	}
	k.few = append(k.few, key)
	if len(k.few) > fewKeys {
		k.many = make(map[string]int, 2*len(k.few))
		for i, other := range k.few {
			k.many[other] = i
		}
	}
	return 0, false
}
