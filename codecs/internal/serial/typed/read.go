package typed

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// keep makes the variable that p points to the object of an index.
func keep[R Reader, W Writer](r R, n *Node[R, W], p place, index int) bool {
	r.Keep(index, memory.PointerLike(n.pointer, p))
	return true
}

// CopyOf resolves a reference to a value that this plan has read before.
func (n *Node[R, W]) CopyOf(r R, p place, lead byte) bool {
	v, _, ok := r.Back(lead)
	if !ok {
		return false
	}
	from := reflect.ValueOf(v)
	if from.Kind() != reflect.Pointer || from.Type().Elem() != n.Type {
		return false
	}
	memory.Value(n.Type, p).Set(from.Elem())
	return true
}

// ReadByValues reads an object by values.
func ReadByValues[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	v, err := r.Value(lead)
	if err != nil || v == nil && !n.nils {
		return false
	}
	switch v.(type) {
	case *java.List, *java.Map, *java.Object:
		if r.IsBack(lead) {
			return false // it is one Go value with what it refers to
		}
	}
	boxed := &java.Map{Entries: []java.Entry{{Key: "v", Value: v}}}
	return n.values.Assign(boxed, memory.PointerTo(n.box, p)) == nil
}

// HasByValues reports whether ReadByValues knows the type.
func (n *Node[R, W]) HasByValues() bool { return n.values != nil }

// readAny reads into an any: scalars as they are, containers as plain Go ones.
func readAny[R Reader, W Writer](r R, _ *Node[R, W], p place, lead byte) bool {
	v, err := r.Value(lead)
	if err != nil {
		return false
	}
	switch v.(type) {
	case *java.List, *java.Map:
		if r.IsBack(lead) {
			return false // it is one Go value with what it refers to
		}
		v = java.Plain(v)
	}
	*memory.At[any](p) = v
	return true
}

// scalar reports whether references never copy a variable of n.
func (n *Node[R, W]) scalar() bool {
	switch n.kind {
	case reflect.String, reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}

// readPointer makes the variable before it is read, so that it can be referred to from
// within.
func readPointer[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	switch {
	case lead == n.format.Null:
		memory.SetPointer(p, nil)
		return true
	case lead != n.format.Object && !n.Elem.scalar() && r.IsBack(lead):
		v, _, ok := r.Back(lead)
		if ok && reflect.TypeOf(v) == n.Type {
			memory.SetPointer(p, memory.To(reflect.ValueOf(v)))
			return true
		}
		return false
	}
	made := memory.New(n.Elem.Type, n.Elem.kind)
	memory.SetPointer(p, made)
	if n.Elem.Bean != nil {
		return readBeanInto(r, n.Elem, made, lead, true)
	}
	return n.Elem.Read(r, n.Elem, made, lead)
}

// Elements reads the elements of a list.
func (n *Node[R, W]) Elements(r R, p place, count int) bool {
	c := r.Position()
	if count < 0 || count > len(c.In)-c.At || !c.Enter(count) {
		return false
	}
	elem := n.Elem
	if n.Type == stringsType {
		out := make([]string, count)
		*memory.At[[]string](p) = out
		for i := range out {
			if !c.more() || !elem.Read(r, elem, memory.Of(&out[i]), c.lead()) {
				return false
			}
		}
		c.Leave()
		return true
	}
	ahead := count
	if elem.size > 0 {
		ahead = min(count, max(1, maxAhead/int(elem.size)))
	}
	slice := reflect.MakeSlice(n.Type, ahead, ahead)
	data, read := memory.To(slice), elem.Read
	for i := range count {
		if i == slice.Len() {
			grown := reflect.MakeSlice(n.Type, min(count, 2*i), min(count, 2*i))
			reflect.Copy(grown, slice)
			slice, data = grown, memory.To(grown)
		}
		if !c.more() || !read(r, elem, memory.Item(data, i, elem.size), c.lead()) {
			return false
		}
	}
	memory.Value(n.Type, p).Set(slice)
	c.Leave()
	return true
}

// maxAhead bounds the bytes of elements that are made before they are read.
const maxAhead = 64 << 10

// KeptElements reads the elements of the list with an index.
func (n *Node[R, W]) KeptElements(r R, p place, count, index int) bool {
	return n.Elements(r, p, count) && keep(r, n, p, index)
}

// Kept makes the variable the object of an index.
func (n *Node[R, W]) Kept(r R, p place, index int) bool { return keep(r, n, p, index) }

func readEntries[R Reader, W Writer](r R, n *Node[R, W], p place, count int) bool {
	if n.Type == mapType {
		out := make(map[string]any, count)
		*memory.At[map[string]any](p) = out
		for range count {
			var key string
			var value any
			if !n.Key.ReadValue(r, memory.Of(&key)) || !n.Elem.ReadValue(r, memory.Of(&value)) {
				return false
			}
			out[key] = value
		}
		return true
	}
	out := reflect.MakeMapWithSize(n.Type, min(count, maxAhead/int(max(1, n.Key.size+n.Elem.size))))
	key, elem := reflect.New(n.Key.Type), reflect.New(n.Elem.Type)
	for range count {
		if !n.Key.ReadValue(r, memory.To(key)) || !key.Elem().Comparable() || !n.Elem.ReadValue(r, memory.To(elem)) {
			return false
		}
		out.SetMapIndex(key.Elem(), elem.Elem())
		// The table of objects may point to a variable that is no scalar.
		key, elem = n.Key.next(key), n.Elem.next(elem)
	}
	memory.Value(n.Type, p).Set(out)
	return true
}

// next returns a zero variable like v, or v again.
func (n *Node[R, W]) next(v reflect.Value) reflect.Value {
	if !n.scalar() {
		return reflect.New(n.Type)
	}
	v.Elem().SetZero()
	return v
}
