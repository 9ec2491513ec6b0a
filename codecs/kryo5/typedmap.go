package kryo5

import (
	"bytes"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// plainMaps are the classes that are read straight into Go maps and structs; with
// true, keys and values cannot be null and carry no byte that says so.
var plainMaps = map[string]bool{
	"java.util.HashMap": false, "java.util.LinkedHashMap": false,
	"java.util.ImmutableCollections$Map1": true, "java.util.ImmutableCollections$MapN": true,
}

// entryForms is how the keys and values of one map are written.
type entryForms struct {
	key, value *class // nil where each is written with its class
	nullable   bool   // of known classes
}

// entrySlots is what maps and structs without a class have in common.
type entrySlots struct {
	as  *class
	key typedSlot
	ctx *layout.Type
	// valueCtx is the context of the values.
	valueCtx *layout.Type
	fixed    bool // forms depend on no type variable
	forms    entryForms
}

// of returns the forms of a map whose context is that of the node.
func (n *entrySlots) of(scope *layout.Scope, types *typedTypes) (f entryForms, ok bool) {
	if n.fixed {
		return n.forms, true
	}
	e, ok := scope.Entry(n.ctx)
	if !ok {
		return f, false
	}
	f.nullable = true
	if e.Key != "" {
		if f.key = types.class(e.Key); f.key == nil {
			return f, false
		}
	}
	if e.Value != "" {
		if f.value = types.class(e.Value); f.value == nil {
			return f, false
		}
	}
	return f, true
}

// header reads the beginning of a map of class c and enters it.
func (n *entrySlots) header(r *typedReader, c *class) (size int, f entryForms, ok bool) {
	immutable := false
	if c != n.as {
		var known bool
		if immutable, known = plainMaps[c.name]; !known {
			return 0, f, false
		}
	}
	if f, ok = n.of(&r.scope, r.types); !ok {
		return 0, f, false
	}
	f.nullable = !immutable
	u, ok := r.uv32()
	if !ok || u == 0 || u > 1<<31-1 {
		return 0, f, false
	}
	size = int(u - 1)
	return size, f, size <= len(r.in)-r.at && r.enter(size)
}

// readEntry reads a key or a value.
func (f entryForms) readEntry(r *typedReader, s *typedSlot, known *class, p memory.Place) bool {
	if known != nil {
		return s.readKnown(r, known, p, f.nullable)
	}
	return s.read(r, p)
}

// readName reads a String key and returns its bytes, valid until the next read.
func (f entryForms) readName(r *typedReader) ([]byte, bool) {
	if f.key == nil {
		if b, ok := r.byte(); !ok || b != idString {
			return nil, false
		}
	} else if f.key.id != idString {
		return nil, false
	}
	if r.at < len(r.in) && r.in[r.at] < 0x80 {
		n := asciiLength(r.in[r.at:])
		if n == 0 || n > maxNameBytes {
			return nil, false
		}
		r.name = append(r.name[:0], r.in[r.at:r.at+n]...)
		r.name[n-1] &= 0x7f
		r.at += n
		return r.name, true
	}
	b, _, ok := r.units()
	return b, ok
}

// mapNode carries Go maps.
type mapNode struct {
	entrySlots
	typ   reflect.Type
	value typedSlot
	texts bool     // a map[string]string
	plain *anyNode // of a map[string]any, else nil
}

func (n *mapNode) usual() *class  { return n.as }
func (n *mapNode) nullable() bool { return true }

func (n *mapNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	if memory.Pointee(p) == nil {
		return nil, true
	}
	return n.as, true
}

func (n *mapNode) read(r *typedReader, c *class, p memory.Place) bool {
	if c != n.as && n.plain != nil {
		if _, usual := plainMaps[c.name]; !usual {
			return readPlain(r, c, n.ctx, memory.At[map[string]any](p))
		}
	}
	size, f, ok := n.header(r, c)
	if !ok {
		return false
	}
	switch {
	case n.texts:
		ok = n.readTexts(r, size, f, p)
	case n.plain != nil:
		*memory.At[map[string]any](p), ok = r.plainEntries(size, f, n.plain)
	default:
		ok = n.readEntries(r, size, f, p)
	}
	r.depth--
	return ok
}

func (n *mapNode) readTexts(r *typedReader, size int, f entryForms, p memory.Place) bool {
	m := make(map[string]string, mapRoom(r, size, 32))
	for range size {
		k, ok := r.entryText(f.key)
		v, also := r.entryText(f.value)
		if !ok || !also {
			return false
		}
		m[k] = v
	}
	*memory.At[map[string]string](p) = m
	return true
}

// entryText reads a key or a value that is a String and not null.
func (r *typedReader) entryText(known *class) (string, bool) {
	if known == nil {
		if b, ok := r.byte(); !ok || b != idString {
			return "", false
		}
	} else if known.id != idString {
		return "", false
	}
	return r.text()
}

func (n *mapNode) readEntries(r *typedReader, size int, f entryForms, p memory.Place) bool {
	m := reflect.MakeMapWithSize(n.typ, mapRoom(r, size, n.typ.Key().Size()+n.typ.Elem().Size()))
	k, v := reflect.New(n.typ.Key()), reflect.New(n.typ.Elem())
	for range size {
		k.Elem().SetZero()
		v.Elem().SetZero()
		if !f.readEntry(r, &n.key, f.key, memory.To(k)) || !f.readEntry(r, &n.value, f.value, memory.To(v)) {
			return false
		}
		m.SetMapIndex(k.Elem(), v.Elem())
	}
	memory.Value(n.typ, p).Set(m)
	return true
}

// mapRoom returns how many entries of a Go size the bytes left justify room for.
func mapRoom(r *typedReader, entries int, size uintptr) int {
	const least, perByte = 4096, 16
	if entries <= 8 && size <= least/8 {
		return entries
	}
	return min(entries, (least+perByte*(len(r.in)-r.at))/int(max(size, 1)))
}

// write writes the entries in the order of Java's HashMap. Only keys that are
// strings have that order here.
func (n *mapNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	f, ok := n.of(&w.scope, w.types)
	if ok && n.plain != nil {
		return f.writePlain(w, *memory.At[map[string]any](p), n.plain)
	}
	m := memory.Value(n.typ, p)
	if !ok || n.typ.Key().Kind() != reflect.String || !w.enter(m.Len()) {
		return false
	}
	base := len(w.keys)
	if n.texts {
		for k := range *memory.At[map[string]string](p) {
			w.keys = append(w.keys, k)
		}
		return n.writeSorted(w, f, m, base, p)
	}
	for it := m.MapRange(); it.Next(); {
		w.keys = append(w.keys, it.Key().String())
	}
	return n.writeSorted(w, f, m, base, p)
}

// writeSorted writes the entries of a map whose keys lie in scratch from base on.
func (n *mapNode) writeSorted(w *typedWriter, f entryForms, m reflect.Value, base int, p memory.Place) (ok bool) {
	keys := w.keys[base:]
	java.HashOrderStrings(keys)
	w.uv32(uint32(len(keys)) + 1)
	if n.texts {
		ok = f.writeTexts(w, *memory.At[map[string]string](p), keys)
	} else {
		ok = n.writeEntries(w, f, m, keys)
	}
	clear(w.keys[base : base+len(keys)])
	w.keys = w.keys[:base]
	w.depth--
	return ok
}

func (f entryForms) writeTexts(w *typedWriter, m map[string]string, keys []string) bool {
	if f.value != nil && f.value.id != idString {
		return false
	}
	for _, k := range keys {
		if !f.writeName(w, k) {
			return false
		}
		if f.value == nil {
			w.byte(idString)
		}
		if !w.text(m[k]) {
			return false
		}
	}
	return true
}

func (n *mapNode) writeEntries(w *typedWriter, f entryForms, m reflect.Value, keys []string) bool {
	key := reflect.New(n.typ.Key()).Elem()
	value := reflect.New(n.typ.Elem())
	for _, k := range keys {
		if !f.writeName(w, k) {
			return false
		}
		key.SetString(k)
		value.Elem().Set(m.MapIndex(key))
		if !n.value.writeEntry(w, f.value, memory.To(value)) {
			return false
		}
	}
	return true
}

func (f entryForms) writeName(w *typedWriter, name string) bool {
	if f.key == nil {
		w.byte(idString)
	} else if f.key.id != idString {
		return false
	}
	return w.text(name)
}

// writeEntry writes the value of an entry.
func (s *typedSlot) writeEntry(w *typedWriter, known *class, p memory.Place) bool {
	if known == nil {
		return s.write(w, p)
	}
	actual, ok := s.node.classOf(w, p)
	return ok && s.writeKnown(w, known, actual, p, true)
}

// structNode carries structs without a Java class, as maps.
type structNode struct {
	entrySlots
	typ    reflect.Type
	fields []entryField
	byName map[string]int
	order  []int // of the fields, as HashMap has them; nil where fields may be left out
}

// entryField is one field of a struct carried as a map.
type entryField struct {
	name   string
	wire   []byte // the name as a String with its class
	offset uintptr
	slot   typedSlot
}

func (n *structNode) usual() *class                                     { return n.as }
func (n *structNode) nullable() bool                                    { return false }
func (n *structNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }

func (n *structNode) read(r *typedReader, c *class, p memory.Place) bool {
	size, f, ok := n.header(r, c)
	if !ok {
		return false
	}
	var seen uint64
	for entry := range size {
		i, known, ok := n.field(r, f, entry)
		if !ok {
			return false
		}
		if !known {
			if f.value != nil || !r.skip(n.valueCtx) {
				return false
			}
			continue
		}
		if seen&(1<<i) != 0 {
			return false // a name twice: the last one counts, and this one is no zero variable
		}
		seen |= 1 << i
		field := &n.fields[i]
		if !f.readEntry(r, &field.slot, f.value, memory.Field(p, field.offset)) {
			return false
		}
	}
	r.depth--
	return true
}

// field reads the name of an entry and returns the index of its field. The fields
// mostly come as HashMap has them.
func (n *structNode) field(r *typedReader, f entryForms, entry int) (i int, known, ok bool) {
	if entry < len(n.order) && f.key == nil {
		i = n.order[entry]
		wire := n.fields[i].wire
		if len(wire) <= maxNameBytes && wire[1] < 0x80 && bytes.HasPrefix(r.in[r.at:], wire) {
			r.at += len(wire)
			return i, true, true
		}
	}
	name, ok := f.readName(r)
	if !ok {
		return 0, false, false
	}
	i, known = n.byName[string(name)]
	return i, known, true
}

func (n *structNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	f, ok := n.of(&w.scope, w.types)
	if !ok || n.order == nil && len(n.fields) > 0 || f.key != nil && f.key.id != idString || !w.enter(len(n.order)) {
		return false
	}
	w.uv32(uint32(len(n.order)) + 1)
	for _, i := range n.order {
		field := &n.fields[i]
		name := field.wire
		if f.key != nil {
			name = name[1:]
		}
		w.out = append(w.out, name...)
		if !field.slot.writeEntry(w, f.value, memory.Field(p, field.offset)) {
			return false
		}
	}
	w.depth--
	return true
}
