package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// mapNode carries Go maps with String keys.
type mapNode struct {
	as    typedClass
	typ   reflect.Type
	value typedSlot
	texts bool     // a map[string]string of bare values
	plain *anyNode // of a map[string]any, else nil
	keeps bool     // null is written
}

func (n *mapNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (n *mapNode) nullable() bool           { return true }

// mine reports whether object i is a map of a class that is read here.
func (n *mapNode) mine(r *typedReader, i int) bool {
	_, _, ok := r.object(i, &n.as)
	return ok
}

func (n *mapNode) read(r *typedReader, i int, p memory.Place) bool {
	at, id, ok := r.object(i, &n.as)
	if !ok || !r.enter() {
		return false
	}
	switch {
	case n.texts:
		m := make(map[string]string, mapRoom(r, i))
		*memory.At[map[string]string](p) = m
		ok = r.members(i, at, id, func(key string, value int) bool {
			k := &r.toks[value]
			m[key] = r.text(k)
			return k.Kind == token.String && k.Type == 0 && k.Flags&token.FlagLiteral == 0
		})
	case n.plain != nil:
		m := make(map[string]any, mapRoom(r, i))
		*memory.At[map[string]any](p) = m
		ok = r.members(i, at, id, func(key string, value int) (ok bool) {
			m[key], ok = n.plain.value(r, value)
			return ok
		})
	default:
		ok = n.readEntries(r, i, at, id, p)
	}
	r.leave()
	return ok
}

func (n *mapNode) readEntries(r *typedReader, i, at, id int, p memory.Place) bool {
	m := reflect.MakeMapWithSize(n.typ, mapRoom(r, i))
	memory.Value(n.typ, p).Set(m)
	k, v := variable(n.typ.Key()), variable(n.typ.Elem())
	return r.members(i, at, id, func(key string, value int) bool {
		v.SetZero()
		k.SetString(key)
		if !n.value.read(r, value, memory.To(v.Addr())) {
			return false
		}
		m.SetMapIndex(k, v)
		return true
	})
}

// mapRoom returns room for the members of object i; they are on the tape.
func mapRoom(r *typedReader, i int) int { return min(int(r.toks[i].N), 64) }

// members calls read for each member of object i, from token at on, but for the type
// id.
func (r *typedReader) members(i, at, id int, read func(key string, value int) bool) bool {
	for end := int(r.toks[i].Next); at < end; at = int(r.toks[at+1].Next) {
		if at == id {
			continue
		}
		key := &r.toks[at]
		if key.Flags&token.FlagInt != 0 || !read(r.text(key), at+1) {
			return false
		}
	}
	return true
}

func (n *mapNode) write(w *typedWriter, p memory.Place) bool {
	if !w.enter(2 * memory.Value(n.typ, p).Len()) {
		return false
	}
	base := len(w.keys)
	var ok bool
	switch {
	case n.texts:
		ok = n.writeTexts(w, *memory.At[map[string]string](p))
	case n.plain != nil:
		ok = n.writePlain(w, *memory.At[map[string]any](p))
	default:
		ok = n.writeEntries(w, memory.Value(n.typ, p))
	}
	if !ok {
		return false
	}
	clear(w.keys[base:])
	w.keys = w.keys[:base]
	w.g.EndObject()
	w.leave()
	return true
}

// ordered returns the keys from base on in the order of Java's HashMap.
func (w *typedWriter) ordered(base int) []string {
	keys := w.keys[base:]
	java.HashOrderStrings(keys)
	return keys
}

func (n *mapNode) writeTexts(w *typedWriter, m map[string]string) bool {
	base := len(w.keys)
	for k := range m {
		w.keys = append(w.keys, k)
	}
	if !w.object(&n.as.writes, len(m)) {
		return false
	}
	for _, k := range w.ordered(base) {
		if w.g.Key(k) != nil || w.g.String(m[k]) != nil {
			return false
		}
	}
	return true
}

func (n *mapNode) writePlain(w *typedWriter, m map[string]any) bool {
	base, nulls := len(w.keys), 0
	for k, v := range m {
		w.keys = append(w.keys, k)
		if isNull(v) {
			nulls++
		}
	}
	if n.keeps {
		nulls = 0
	}
	if !w.object(&n.as.writes, len(m)-nulls) {
		return false
	}
	for _, k := range w.ordered(base) {
		v := m[k]
		null := isNull(v)
		if null && !n.keeps {
			continue
		}
		if w.g.Key(k) != nil {
			return false
		}
		if null {
			w.g.Null()
		} else if !n.plain.writeValue(w, v) {
			return false
		}
	}
	return true
}

func (n *mapNode) writeEntries(w *typedWriter, m reflect.Value) bool {
	base, nulls := len(w.keys), 0
	v := variable(n.typ.Elem())
	at := memory.To(v.Addr())
	for it := m.MapRange(); it.Next(); {
		w.keys = append(w.keys, it.Key().String())
		v.SetIterValue(it)
		if n.value.node.null(at) {
			nulls++
		}
	}
	if n.keeps {
		nulls = 0
	}
	if !w.object(&n.as.writes, m.Len()-nulls) {
		return false
	}
	k := variable(n.typ.Key())
	for _, key := range w.ordered(base) {
		k.SetString(key)
		v.Set(m.MapIndex(k))
		null := n.value.node.null(at)
		if null && !n.keeps {
			continue
		}
		if w.g.Key(key) != nil {
			return false
		}
		if null {
			w.g.Null()
		} else if !n.value.write(w, at) {
			return false
		}
	}
	return true
}
