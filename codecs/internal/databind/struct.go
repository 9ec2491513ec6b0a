package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// structField is one property of a bean, or one entry of a struct carried as a map.
type structField struct {
	key    fixedName
	typ    reflect.Type
	offset uintptr
	slot   framedNode
	nulls  bool // its value can be null in Java
	drops  bool // it is left out then
	// empty reports whether the variable is what the flag omitempty leaves out; nil
	// without it.
	empty func(p memory.Place) bool
}

// emptiness returns what omitempty means for a type.
func emptiness(t reflect.Type) func(p memory.Place) bool {
	if k := t.Kind(); k == reflect.Slice || k == reflect.Map {
		return func(p memory.Place) bool { return memory.Value(t, p).Len() == 0 }
	}
	return func(p memory.Place) bool { return memory.Value(t, p).IsZero() }
}

// javaEmptiness returns what @JsonInclude(NON_EMPTY) leaves out of a type beside null.
func javaEmptiness(t reflect.Type) func(p memory.Place) bool {
	return func(p memory.Place) bool {
		v := memory.Value(t, p)
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			if v.IsNil() {
				return true
			}
			switch held := v.Interface().(type) {
			case *java.List, *java.Map:
				return emptyValue(held)
			}
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.String, reflect.Slice, reflect.Map:
			return v.Len() == 0
		default:
			return false
		}
	}
}

// beanNode carries structs: objects of their class, or maps where they have none.
type beanNode struct {
	typ    reflect.Type
	class  string // of the Go type
	bean   *bean  // what describes its fields; nil for maps
	as     classForm
	fields []structField // in the order of the bytes
	byName map[string]int
	values *place // of the entries of a map
	nulls  int    // fields that are left out where they are null
	omits  bool   // some fields are left out where they are empty
	order  *bridge.Node
	root   reflect.Type // the bound type, where the payload must be of the class; nil elsewhere
	poly   *poly        // how @JsonTypeInfo names the class, nil without
	number int          // the field that is its number among Throwables, -1 for none
	absent bool         // the zero value is null
}

// classForm is how objects name their class.
type classForm struct {
	name     fixedName // empty: they do not
	required bool      // reading insists on it
	writes   fixedName // name, or empty where the declared type says it
}

func (n *beanNode) null(p memory.Place) bool { return n.absent && memory.Value(n.typ, p).IsZero() }
func (n *beanNode) nullable() bool           { return false }

func (n *beanNode) write(w *writer, p memory.Place) error {
	var id int64
	if n.number >= 0 {
		number, again, err := n.numbered(w, p)
		if err != nil || again {
			return err
		}
		id = number
	}
	if err := w.enter(n.typ, len(n.fields)); err != nil {
		return err
	}
	err := n.begin(w, p)
	if err != nil {
		return err
	}
	if n.omits && n.order != nil {
		err = n.writePlaces(w, p)
	} else {
		err = n.writeFields(w, p, id)
	}
	if err != nil {
		return err
	}
	w.gen.EndObject()
	n.poly.end(w)
	w.leave()
	return nil
}

// begin begins the object, with the name of its class.
func (n *beanNode) begin(w *writer, p memory.Place) error {
	if n.poly != nil {
		return n.poly.begin(w, n.class, n.count(p))
	}
	return w.beginObject(&n.as.writes, n.count(p))
}

func (n *beanNode) writeFields(w *writer, p memory.Place, id int64) error {
	for i := range n.fields {
		f := &n.fields[i]
		at := memory.Field(p, f.offset)
		null := f.nulls && f.slot.node.null(at)
		if null && f.drops || f.empty != nil && f.empty(at) {
			continue
		}
		err := w.beginMember(&f.key)
		switch {
		case err != nil:
		case id != 0 && i == n.number:
			w.gen.Int(id)
		case null:
			w.gen.Null()
		default:
			err = f.slot.write(w, at)
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(f.key.text), err)
		}
	}
	return nil
}

// writePlaces writes a map that lacks some of its entries, which decides where the others
// are.
func (n *beanNode) writePlaces(w *writer, p memory.Place) error {
	var names []string
	some := *n
	some.omits, some.fields = false, nil
	for i := range n.fields {
		if f := &n.fields[i]; f.empty == nil || !f.empty(memory.Field(p, f.offset)) {
			names = append(names, f.key.text)
		}
	}
	for _, at := range n.order.OrderNames(names) {
		some.fields = append(some.fields, n.fields[n.byName[names[at]]])
	}
	return some.writeFields(w, p, 0)
}

// numbered returns the number of a Throwable, 0 for none, and whether it refers to one that
// was written before, which it then has written.
func (n *beanNode) numbered(w *writer, p memory.Place) (id int64, again bool, err error) {
	f := &n.fields[n.number]
	leaf := f.slot.leaf
	at := memory.Field(p, f.offset)
	if to, ok := f.slot.node.(*pointerNode); ok {
		leaf, at = to.to.leaf, memory.Pointee(at)
	}
	if leaf == nil || at == nil {
		return 0, false, nil
	}
	v, err := leaf.lower(w, at)
	if id, again = wholeOf(v); err != nil || !again {
		return 0, false, err
	}
	id, again, err = w.number(id, memory.Value(n.typ, p).Interface())
	if again {
		w.gen.Int(id)
	}
	return id, again, err
}

// count returns how many fields are written.
func (n *beanNode) count(p memory.Place) int {
	count := len(n.fields)
	if !n.omits && n.nulls == 0 {
		return count
	}
	for i := range n.fields {
		f := &n.fields[i]
		at := memory.Field(p, f.offset)
		if f.nulls && f.drops && f.slot.node.null(at) || f.empty != nil && f.empty(at) {
			count--
		}
	}
	return count
}

// read reads an object of the class, or of one like it.
func (n *beanNode) read(r *reader, i int, p memory.Place) error {
	id, ok := r.like(i, &n.as)
	if !ok || n.poly != nil {
		return errUnusual
	}
	return n.members(r, i, id, p, nil)
}

func (n *beanNode) readAs(r *reader, i int, p memory.Place, as *place, inside bool) error {
	if r.refers(as) {
		if a := r.number(i); a != nil {
			return n.again(r, a, p)
		}
	}
	f, err := r.frame(i, as)
	if err != nil {
		return err
	}
	if r.toks[f.at].Kind == token.Null {
		if inside {
			return nil
		}
		return r.misfit(f.at, "", n.typ.String(), bridge.NullReason)
	}
	if n.root != nil && !n.takes(r, &f) {
		return r.failClass(i, f.class, "does not go into Go type %s: the payload is of another class: the Go type is %s", n.root, n.class)
	}
	if r.toks[f.at].Kind != token.Object || f.class == java.ReferenceClass && n.class != f.class {
		return r.mismatch(i, as, n.typ.String())
	}
	m := r.membersOf(&f)
	if m.bean != nil && m.bean == n.bean || n.bean == nil && m.bean == nil && m.rest == n.values {
		return n.members(r, f.at, f.key, p, nil)
	}
	return n.members(r, f.at, f.key, p, &m)
}

// again stores a copy of what a number refers to.
func (n *beanNode) again(r *reader, a *numbered, p memory.Place) error {
	to, err := n.first(r, a)
	if err == nil {
		memory.Value(n.typ, p).Set(memory.Value(n.typ, to))
	}
	return err
}

// first returns the one variable of the type that all numbers of an object refer to.
func (n *beanNode) first(r *reader, a *numbered) (memory.Place, error) {
	if to := a.made[n.typ]; to != nil {
		return to, nil
	}
	to := memory.New(n.typ)
	a.keep(n.typ, to)
	if !r.codec.rules.Types {
		return to, n.members(r, a.at, -1, to, nil)
	}
	return to, n.readAs(r, a.at, to, fieldPlace, false)
}

// takes reports whether a whole payload is of the class, where it tells that: a map is
// taken that has one of the fields.
func (n *beanNode) takes(r *reader, f *frame) bool {
	k := &r.toks[f.at]
	switch {
	case f.class == "", f.class == n.class, f.class == java.ReferenceClass:
		return true
	case k.Kind != token.Object:
		return true
	case !f.is.mapped:
		return false
	}
	members := 0
	for m := f.at + 1; m < int(k.Next); m = int(r.toks[m+1].Next) {
		if m == f.key {
			continue
		}
		if members++; n.find(r, &r.toks[m], 0) >= 0 {
			return true
		}
	}
	return members == 0
}

// members reads the members of object i but the one at id. Their places are those of the
// fields, or as says it.
func (n *beanNode) members(r *reader, i, id int, p memory.Place, as *memberPlaces) error {
	if err := r.enter(i); err != nil {
		return err
	}
	next, past, end := 0, 0, int(r.toks[i].Next)
	for at := i + 1; at < end; at = int(r.toks[at+1].Next) {
		if at == id {
			continue
		}
		if err := r.element(at + 1); err != nil {
			return err
		}
		f := n.find(r, &r.toks[at], next)
		if f < 0 {
			continue
		}
		next = f + 1
		field := &n.fields[f]
		to := memory.Field(p, field.offset)
		if f < past { // it may come again: the last one counts
			memory.Value(field.typ, to).SetZero()
		}
		past = max(past, next)
		var err error
		if as == nil {
			err = field.slot.read(r, at+1, to)
		} else {
			err = field.slot.readAs(r, at+1, to, as.of(r.tape.Text(&r.toks[at])))
		}
		if err != nil {
			return err
		}
	}
	r.leave()
	r.remember(i, id)
	return nil
}

// find returns the field that key names, -1 for none. Next is the one that stands
// there when Java wrote all of them.
func (n *beanNode) find(r *reader, key *token.Token, next int) int {
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

// like returns the key of the type id of object i, -1 where it has none, and whether the
// object is of a class that is read the usual way.
func (r *reader) like(i int, c *classForm) (id int, ok bool) {
	k := &r.toks[i]
	if k.Kind != token.Object {
		return -1, false
	}
	if c.name.text == "" {
		return -1, k.Type == 0
	}
	if k.Type != 0 {
		return -1, r.tape.Class(k) == c.name.text
	}
	at := r.classMember(i)
	if at < 0 {
		return -1, !c.required
	}
	v := &r.toks[at+1]
	if v.Kind != token.String || v.Type != 0 {
		return -1, false
	}
	return at, r.is(v, c.name.text)
}
