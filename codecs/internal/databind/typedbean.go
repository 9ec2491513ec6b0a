package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// typedField is one property of a bean, or one entry of a struct carried as a map.
type typedField struct {
	key    typedName
	offset uintptr
	slot   typedSlot
	nulls  bool // its value can be null in Java
	drops  bool // it is left out then, whatever the codec does otherwise
	// empty reports whether the variable is what the flag omitempty leaves out; nil
	// without it.
	empty func(p memory.Place) bool
}

// emptiness returns what omitempty means for a type.
func emptiness(t reflect.Type) func(p memory.Place) bool {
	switch t.Kind() {
	case reflect.String:
		return func(p memory.Place) bool { return *memory.At[string](p) == "" }
	case reflect.Slice:
		return func(p memory.Place) bool { return memory.Len(p) == 0 }
	case reflect.Map:
		return func(p memory.Place) bool { return memory.Value(t, p).Len() == 0 }
	default:
		return func(p memory.Place) bool { return memory.Value(t, p).IsZero() }
	}
}

// beanNode carries structs: objects of their class, or maps where they have none.
type beanNode struct {
	as     typedClass
	fields []typedField // in the order of the bytes
	byName map[string]int
	nulls  int             // fields whose value can be null
	keeps  bool            // null is written
	omits  bool            // some fields are left out where they are empty
	loose  bool            // members that it does not have may hold anything
	mine   map[string]bool // properties of the class that the struct has no field for
}

// typedClass is how objects name their class.
type typedClass struct {
	name     typedName // empty: they do not
	others   map[string]bool
	required bool      // reading insists on it
	writes   typedName // name, or empty where the declared type says it
}

func (n *beanNode) null(memory.Place) bool { return false }
func (n *beanNode) nullable() bool         { return false }

func (n *beanNode) write(w *typedWriter, p memory.Place) bool {
	if !w.enter(len(n.fields)) {
		return false
	}
	if !w.object(&n.as.writes, n.count(p)) {
		return false
	}
	for i := range n.fields {
		f := &n.fields[i]
		at := memory.Field(p, f.offset)
		null := f.nulls && f.slot.node.null(at)
		if null && (!n.keeps || f.drops) || f.empty != nil && f.empty(at) {
			continue
		}
		if !w.key(&f.key) {
			return false
		}
		if null {
			w.g.Null()
		} else if !f.slot.write(w, at) {
			return false
		}
	}
	w.g.EndObject()
	w.leave()
	return true
}

// count returns how many fields are written.
func (n *beanNode) count(p memory.Place) int {
	count := len(n.fields)
	if !n.omits && (n.nulls == 0 || n.keeps) {
		return count
	}
	for i := range n.fields {
		f := &n.fields[i]
		at := memory.Field(p, f.offset)
		if f.nulls && (!n.keeps || f.drops) && f.slot.node.null(at) || f.empty != nil && f.empty(at) {
			count--
		}
	}
	return count
}

// maxFields is how many fields a struct may have: as many as a word has bits.
const maxFields = 64

func (n *beanNode) read(r *typedReader, i int, p memory.Place) bool {
	at, id, ok := r.object(i, &n.as)
	if !ok || !r.enter() {
		return false
	}
	var seen uint64
	next, end := 0, int(r.toks[i].Next)
	for at < end {
		value := at + 1
		if at == id {
			at = value + 1
			continue
		}
		f := n.find(r, &r.toks[at], next)
		at = int(r.toks[value].Next)
		if f < 0 {
			if !n.skip(r, value) {
				return false
			}
			continue
		}
		if seen&(1<<f) != 0 { // the last one counts: the other way knows how
			return false
		}
		seen |= 1 << f
		next = f + 1
		field := &n.fields[f]
		if !field.slot.read(r, value, memory.Field(p, field.offset)) {
			return false
		}
	}
	r.leave()
	return true
}

// find returns the field that key names, -1 for none. Next is the one that stands
// there when Java wrote all of them.
func (n *beanNode) find(r *typedReader, key *token.Token, next int) int {
	text := r.tape.Text(key)
	if key.Flags&token.FlagInt != 0 {
		return -1
	}
	if next < len(n.fields) && string(text) == n.fields[next].key.text {
		return next
	}
	if f, ok := n.byName[string(text)]; ok {
		return f
	}
	return -1
}

// skip passes over the value of a member that no field takes, unless the way by
// values would have something to say about it.
func (n *beanNode) skip(r *typedReader, value int) bool {
	if n.loose {
		return true
	}
	key := &r.toks[value-1]
	if len(n.mine) > 0 && n.mine[string(r.tape.Text(key))] || key.Flags&token.FlagInt != 0 {
		return false
	}
	k := &r.toks[value]
	switch k.Kind {
	case token.String, token.Int, token.Bool, token.Null, token.Float, token.Big:
		return k.Type == 0
	default:
		return false
	}
}

// object returns the indices of the first member of object i and of the key of its
// type id, which is not one of its members; -1 where it has none among them.
func (r *typedReader) object(i int, c *typedClass) (first, id int, ok bool) {
	k := &r.toks[i]
	if k.Kind != token.Object {
		return 0, 0, false
	}
	if c.name.text == "" {
		return i + 1, -1, k.Type == 0
	}
	if k.Type != 0 {
		return i + 1, -1, c.takes(r.tape.Class(k))
	}
	end := int(k.Next)
	for at := i + 1; at < end; at = int(r.toks[at+1].Next) {
		key := &r.toks[at]
		if key.Flags&token.FlagInt != 0 || !r.is(key, classKey) {
			continue
		}
		v := &r.toks[at+1]
		if v.Kind != token.String || v.Type != 0 {
			return 0, 0, false
		}
		return i + 1, at, r.is(v, c.name.text) || c.others[string(r.tape.Text(v))]
	}
	return i + 1, -1, !c.required
}

func (c *typedClass) takes(class string) bool { return class == c.name.text || c.others[class] }
