package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// listLayout says how a class of lists, sets or queues is laid out.
type listLayout uint8

const (
	unusualList listLayout = iota
	ordinaryList
	immutableList // elements are never null, and no byte says so
)

// listLayouts are the classes that are read straight into slices; nothing may
// depend on their elements being distinct or comparable.
var listLayouts = map[string]listLayout{
	"java.util.ArrayList": ordinaryList, "java.util.LinkedList": ordinaryList, "java.util.Arrays$ArrayList": ordinaryList,
	"java.util.HashSet": ordinaryList, "java.util.LinkedHashSet": ordinaryList, "java.util.Vector": ordinaryList,
	"java.util.concurrent.CopyOnWriteArrayList": ordinaryList,
	"java.util.ImmutableCollections$ListN":      immutableList,
	"java.util.ImmutableCollections$List12":     immutableList,
	"java.util.ImmutableCollections$SubList":    immutableList,
	"java.util.ImmutableCollections$SetN":       immutableList,
	"java.util.ImmutableCollections$Set12":      immutableList,
}

// listNode carries slices.
type listNode struct {
	typ, elem reflect.Type
	size      uintptr
	as        *class // written as
	slot      typedSlot
	ctx       *layout.Type // what the declared type says of the elements
	fixed     bool         // ctx depends on no type variable: slot.class says it all
	strings   bool         // the slice is a []string
	uniform   *class       // of elements that are never null and all of one class, else nil
	plain     bool         // the elements are any
	array     *arrayForm   // of arrays, else nil
}

// arrayForm is what differs in arrays.
type arrayForm struct {
	primitive bool // elements of the primitive that shares the id of the slot's class
}

func (n *listNode) usual() *class  { return n.as }
func (n *listNode) nullable() bool { return true }

func (n *listNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	if memory.Pointee(p) == nil {
		return nil, true
	}
	return n.as, true
}

// element returns the class that the payload leaves out for elements.
func (n *listNode) element(scope *layout.Scope, types *typedTypes) (*class, bool) {
	if n.fixed {
		return n.slot.class, true
	}
	name, _ := scope.Element(n.ctx)
	if name == "" {
		return nil, true
	}
	c := types.class(name)
	return c, c != nil
}

// typedElements is what the header of a list says.
type typedElements struct {
	n        int
	class    *class // of all elements; nil where each is written with its own
	nullable bool
	allNull  bool
}

func (n *listNode) read(r *typedReader, c *class, p memory.Place) bool {
	form := ordinaryList
	switch {
	case c != n.as && n.array != nil:
		return false
	case c != n.as:
		form = listLayouts[c.name]
	}
	if form == unusualList {
		return n.plain && readPlain(r, c, n.ctx, memory.At[[]any](p))
	}
	header := n.header
	if n.array != nil {
		header = n.arrayHeader
	}
	h, ok := header(r, form)
	if !ok || !h.allNull && h.n > len(r.in)-r.at || !r.enter(h.n) {
		return false
	}
	if h.allNull {
		n.grow(p, h.n)
		ok = n.slot.node.nullable()
	} else {
		ok = n.readElements(r, h, p)
	}
	r.depth--
	return ok
}

func (n *listNode) header(r *typedReader, form listLayout) (h typedElements, ok bool) {
	known, ok := n.element(&r.scope, r.types)
	if !ok {
		return h, false
	}
	var u uint32
	var flag bool
	if known != nil && form == immutableList {
		u, ok = r.uv32()
	} else {
		u, flag, ok = r.flagged()
	}
	if !ok || u == 0 || u > 1<<31-1 || u == 1 && flag {
		return h, false
	}
	h.n = int(u - 1)
	switch {
	case known != nil:
		h.class, h.nullable = known, flag
		return h, true
	case !flag:
		return h, true
	}
	if h.class, ok = r.class(n.slot.expect); !ok {
		return h, false
	}
	h.allNull = h.class == nil
	if form == ordinaryList && !h.allNull {
		h.nullable, ok = r.flag()
	}
	return h, ok && (form == ordinaryList || !h.allNull)
}

func (n *listNode) readElements(r *typedReader, h typedElements, p memory.Place) bool {
	if n.strings && h.class != nil && h.class.id == idString && !h.nullable {
		list := make([]string, h.n)
		for i := range list {
			var ok bool
			if list[i], ok = r.text(); !ok {
				return false
			}
		}
		*memory.At[[]string](p) = list
		return true
	}
	if h.n == 0 {
		memory.Value(n.typ, p).Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	room := 0
	for i := range h.n {
		if i == room {
			room = n.room(r, i, h.n)
			n.grow(p, room)
		}
		at := memory.Element(p, i, n.size)
		var ok bool
		if h.class != nil {
			ok = n.slot.readKnown(r, h.class, at, h.nullable)
		} else {
			ok = n.slot.read(r, at)
		}
		if !ok {
			return false
		}
	}
	return true
}

// room returns how long the slice may become now: elements of large Go types get
// their memory as the payload goes on to justify it.
func (n *listNode) room(r *typedReader, have, want int) int {
	const least, perByte = 4096, 32
	allowed := (least + perByte*(len(r.in)-r.at)) / int(max(n.size, 1))
	return min(want, max(2*have, allowed, 1))
}

// grow makes the slice at p that long; its new elements are zero.
func (n *listNode) grow(p memory.Place, length int) {
	v := memory.Value(n.typ, p)
	v.Grow(length - v.Len())
	v.SetLen(length)
}

func (n *listNode) write(w *typedWriter, c *class, p memory.Place) bool {
	if n.plain {
		return w.dynamicBody(c, memory.Value(n.typ, p).Interface(), n.ctx)
	}
	known, ok := n.element(&w.scope, w.types)
	length := memory.Len(p)
	if !ok || !w.enter(length) {
		return false
	}
	switch {
	case n.array != nil:
		ok = n.writeArray(w, p, length)
	case length == 0:
		w.byte(1)
	case known != nil:
		ok = n.writeKnown(w, known, p, length)
	default:
		ok = n.writeOpen(w, p, length)
	}
	w.depth--
	return ok
}

// writeKnown writes elements whose class the payload leaves out.
func (n *listNode) writeKnown(w *typedWriter, known *class, p memory.Place, length int) bool {
	nulls := false
	for i := 0; i < length && !nulls && n.uniform == nil; i++ {
		c, ok := n.slot.node.classOf(w, memory.Element(p, i, n.size))
		if !ok {
			return false
		}
		nulls = c == nil
	}
	w.out = appendFlagged(w.out, uint32(length)+1, nulls)
	return n.each(w, known, p, length, nulls)
}

// uniform returns the class of all values of a node whose values are never null
// and have one class, else nil.
func uniform(n typedNode) *class {
	switch n.(type) {
	case *intNode, *floatNode, *boolNode, *textNode, *charNode, *beanNode, *decimalNode:
		return n.usual()
	}
	return nil
}

func (n *listNode) each(w *typedWriter, c *class, p memory.Place, length int, nulls bool) bool {
	if n.strings && !nulls {
		for _, s := range *memory.At[[]string](p) {
			if !w.text(s) {
				return false
			}
		}
		return true
	}
	for i := range length {
		at := memory.Element(p, i, n.size)
		actual, ok := n.uniform, true
		if actual == nil {
			actual, ok = n.slot.node.classOf(w, at)
		}
		if !ok || !n.slot.writeKnown(w, c, actual, at, nulls) {
			return false
		}
	}
	return true
}

// writeOpen writes elements with their class: once, where all have the same.
func (n *listNode) writeOpen(w *typedWriter, p memory.Place, length int) bool {
	common := n.uniform
	nulls, mixed := false, false
	for i := 0; i < length && n.uniform == nil; i++ {
		c, ok := n.slot.node.classOf(w, memory.Element(p, i, n.size))
		switch {
		case !ok:
			return false
		case c == nil:
			nulls = true
		case common == nil:
			common = c
		case c != common:
			mixed = true
		}
	}
	w.out = appendFlagged(w.out, uint32(length)+1, !mixed)
	switch {
	case !mixed && common == nil:
		w.byte(idNull)
		return true
	case !mixed:
		w.class(common)
		w.byte(flagByte(nulls))
		return n.each(w, common, p, length, nulls)
	}
	for i := range length {
		if !n.slot.write(w, memory.Element(p, i, n.size)) {
			return false
		}
	}
	return true
}

// arrayHeader reads the length of an array: the rest its class says.
func (n *listNode) arrayHeader(r *typedReader, _ listLayout) (typedElements, bool) {
	u, ok := r.uv32()
	if !ok || u == 0 || u > 1<<31-1 {
		return typedElements{}, false
	}
	return typedElements{n: int(u - 1), class: n.slot.class, nullable: !n.array.primitive}, true
}

func (n *listNode) writeArray(w *typedWriter, p memory.Place, length int) bool {
	w.uv32(uint32(length) + 1)
	if n.slot.class != nil {
		return n.each(w, n.slot.class, p, length, !n.array.primitive)
	}
	for i := range length {
		if !n.slot.write(w, memory.Element(p, i, n.size)) {
			return false
		}
	}
	return true
}

// bytesNode carries byte slices as byte[].
type bytesNode struct {
	typ reflect.Type
	as  *class
}

func (n *bytesNode) usual() *class  { return n.as }
func (n *bytesNode) nullable() bool { return true }

func (n *bytesNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	if memory.Pointee(p) == nil {
		return nil, true
	}
	return n.as, true
}

func (n *bytesNode) read(r *typedReader, c *class, p memory.Place) bool {
	u, ok := r.uv32()
	if !ok || u == 0 || c != n.as || int64(u-1) > int64(len(r.in)-r.at) {
		return false
	}
	b, ok := r.fixed(int(u - 1))
	*memory.At[[]byte](p) = append([]byte{}, b...)
	return ok
}

func (n *bytesNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	b := *memory.At[[]byte](p)
	if len(b) >= 1<<31-1 {
		return false
	}
	w.uv32(uint32(len(b)) + 1)
	w.out = append(w.out, b...)
	return true
}
