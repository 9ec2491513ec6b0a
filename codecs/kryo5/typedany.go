package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// anyNode carries what any holds: plain Go values, as java.Plain makes
// them.
type anyNode struct {
	ctx *layout.Type
}

func (n *anyNode) usual() *class  { return nil }
func (n *anyNode) nullable() bool { return true }

func (n *anyNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	return nil, *memory.At[any](p) == nil
}

func (n *anyNode) write(*typedWriter, *class, memory.Place) bool { return false }

// writeOpen writes v with its class, or null.
func (n *anyNode) writeOpen(w *typedWriter, v any) bool {
	switch v := v.(type) {
	case string:
		w.byte(idString)
		return w.text(v)
	case int32:
		w.byte(idInteger)
		w.zz32(v)
	case int64:
		w.byte(idLong)
		w.zz64(v)
	case bool:
		w.out = append(w.out, idBoolean, flagByte(v))
	case float64:
		w.byte(idDouble)
		w.double(v)
	case map[string]any:
		if n.ctx != nil || v == nil {
			return w.dynamicValue(v, n.ctx)
		}
		w.class(w.types.hashMap)
		return entryForms{}.writePlain(w, v, n)
	default:
		return w.dynamicValue(v, n.ctx)
	}
	return true
}

func (n *anyNode) read(r *typedReader, c *class, p memory.Place) (ok bool) {
	*memory.At[any](p), ok = n.value(r, c)
	return ok
}

// value reads a body of class c.
func (n *anyNode) value(r *typedReader, c *class) (any, bool) {
	switch c.id {
	case idString:
		s, ok := r.text()
		return r.box(s), ok
	case idInteger:
		return boxedValue(r.zz32())
	case idLong:
		return boxedValue(r.zz64())
	case idBoolean:
		return boxedValue(r.flag())
	case idDouble:
		var v float64
		ok := r.readDouble(&v)
		return v, ok
	}
	if n.ctx == nil && c == r.types.hashMap {
		return boxedValue(r.plainMap(n))
	}
	if n.ctx == nil && c == r.types.arrayList {
		list := new([]any)
		ok := r.types.plainList.read(r, c, memory.Of(list))
		return *list, ok
	}
	v, ok := r.dynamicBody(c, n.ctx, true)
	return v, ok && v != nil
}

func boxedValue[T any](v T, ok bool) (any, bool) { return v, ok }

// plainMap reads the body of a HashMap with String keys.
func (r *typedReader) plainMap(values *anyNode) (map[string]any, bool) {
	u, ok := r.uv32()
	size := int(u) - 1
	if !ok || size < 0 || size > (len(r.in)-r.at)/2 || !r.enter(size) {
		return nil, false
	}
	m, ok := r.plainEntries(size, entryForms{}, values)
	r.depth--
	return m, ok
}

// plainEntries reads the entries of a map[string]any.
func (r *typedReader) plainEntries(size int, f entryForms, values *anyNode) (map[string]any, bool) {
	m := make(map[string]any, mapRoom(r, size, 32))
	for range size {
		k, ok := r.entryText(f.key)
		if !ok {
			return nil, false
		}
		if f.value != nil {
			m[k], ok = f.knownValue(r, values)
		} else {
			var c *class
			if c, ok = r.class(nil); ok && c != nil {
				m[k], ok = values.value(r, c)
			} else {
				m[k] = nil
			}
		}
		if !ok {
			return nil, false
		}
	}
	return m, true
}

// knownValue reads a value whose class the declared type says.
func (f entryForms) knownValue(r *typedReader, values *anyNode) (any, bool) {
	slot := typedSlot{node: values}
	var v any
	ok := slot.readKnown(r, f.value, memory.Of(&v), f.nullable)
	return v, ok
}

// writePlain writes the body of a map[string]any in the order of Java's HashMap.
func (f entryForms) writePlain(w *typedWriter, m map[string]any, values *anyNode) bool {
	if f.value != nil || !w.enter(len(m)) {
		return false
	}
	if len(m) <= fewEntries {
		return f.writeFew(w, m, values)
	}
	base := len(w.keys)
	for k := range m {
		w.keys = append(w.keys, k)
	}
	keys := w.keys[base:]
	java.HashOrderStrings(keys)
	w.uv32(uint32(len(keys)) + 1)
	ok := true
	for i := 0; i < len(keys) && ok; i++ {
		ok = f.writeName(w, keys[i]) && values.writeOpen(w, m[keys[i]])
	}
	clear(w.keys[base : base+len(keys)])
	w.keys = w.keys[:base]
	w.depth--
	return ok
}

// fewEntries is how many entries Java's first table of sixteen holds at most
// without a tree, as HashOrderStrings has it.
const fewEntries = 8

// plainEntry is an entry of a map being written.
type plainEntry struct {
	key    string
	value  any
	bucket int32
}

// writeFew writes the entries of a small map in the order of Java's HashMap: by
// bucket, within one by key, as HashOrderStrings does.
func (f entryForms) writeFew(w *typedWriter, m map[string]any, values *anyNode) bool {
	base := len(w.entries)
	for k, v := range m {
		h := java.StringHash(k)
		e := plainEntry{k, v, (h ^ int32(uint32(h)>>16)) & 15}
		w.entries = append(w.entries, e)
		sorted := w.entries[base:]
		i := len(sorted) - 1
		for ; i > 0 && (sorted[i-1].bucket > e.bucket || sorted[i-1].bucket == e.bucket && sorted[i-1].key > k); i-- {
			sorted[i] = sorted[i-1]
		}
		sorted[i] = e
	}
	end := len(w.entries)
	w.uv32(uint32(end-base) + 1)
	ok := true
	for i := base; i < end && ok; i++ { // the entries move where an inner map makes them grow
		ok = f.writeName(w, w.entries[i].key) && values.writeOpen(w, w.entries[i].value)
	}
	clear(w.entries[base:end])
	w.entries = w.entries[:base]
	w.depth--
	return ok
}

// ownNode carries the types of package java that hold one Java value as it is.
type ownNode struct {
	typ reflect.Type
	ctx *layout.Type
	as  *class

	zeroNull bool // the zero value is null
}

func (n *ownNode) usual() *class  { return n.as }
func (n *ownNode) nullable() bool { return n.zeroNull || n.typ.Kind() == reflect.Pointer }

func (n *ownNode) classOf(w *typedWriter, p memory.Place) (*class, bool) {
	if n.nullable() && memory.Value(n.typ, p).IsZero() {
		return nil, true
	}
	c := w.types.class(java.ClassOf(memory.Value(n.typ, p).Interface()))
	return c, c != nil
}

func (n *ownNode) write(w *typedWriter, c *class, p memory.Place) bool {
	return w.dynamicBody(c, memory.Value(n.typ, p).Interface(), n.ctx)
}

func (n *ownNode) read(r *typedReader, c *class, p memory.Place) bool {
	v, ok := r.dynamicBody(c, n.ctx, false)
	if !ok || reflect.TypeOf(v) != n.typ {
		return false
	}
	memory.Value(n.typ, p).Set(reflect.ValueOf(v))
	return true
}

// assignNode reads any type by way of Java values. It does not write.
type assignNode struct {
	typ  reflect.Type
	ctx  *layout.Type
	plan *java.Plan
}

func (n *assignNode) usual() *class                                     { return nil }
func (n *assignNode) nullable() bool                                    { return false }
func (n *assignNode) classOf(*typedWriter, memory.Place) (*class, bool) { return nil, false }
func (n *assignNode) write(*typedWriter, *class, memory.Place) bool     { return false }

func (n *assignNode) read(r *typedReader, c *class, p memory.Place) bool {
	v, ok := r.dynamicBody(c, n.ctx, false)
	return ok && n.plan.Assign(v, memory.PointerTo(n.typ, p)) == nil
}

// readPlain reads a container of any class as the plain Go form it has under any.
func readPlain[T any](r *typedReader, c *class, ctx *layout.Type, to *T) (ok bool) {
	v, read := r.dynamicBody(c, ctx, true)
	*to, ok = v.(T)
	return read && ok
}
