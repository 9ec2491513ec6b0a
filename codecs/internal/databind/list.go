package databind

import (
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// listNode carries slices: lists, sets and arrays. The class is the slot's matter.
type listNode struct {
	typ     reflect.Type
	size    uintptr      // of an element
	slot    framedNode   // of the elements
	strings bool         // bare strings, in a []string
	bare    bool         // no class stands beside it
	order   *bridge.Node // of sets, whose order is that of their values; else nil
}

func (n *listNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (n *listNode) nullable() bool           { return true }

func (n *listNode) write(w *writer, p memory.Place) error {
	count := memory.Len(p)
	if err := w.enter(n.typ, count); err != nil {
		return err
	}
	if n.bare && w.codec.rules.bareSingle(count) {
		defer w.leave()
		return underIndex(0, n.slot.writeOrNull(w, memory.Element(p, 0, n.size)))
	}
	order, err := n.places(w, p, count)
	if err != nil {
		return err
	}
	w.gen.Array(count)
	if n.strings && order == nil {
		for i, s := range *memory.At[[]string](p) {
			if err := w.text(s); err != nil {
				return underIndex(i, err)
			}
		}
	} else {
		for i := range count {
			at := i
			if order != nil {
				at = order[i]
			}
			if err := n.slot.writeOrNull(w, memory.Element(p, at, n.size)); err != nil {
				return underIndex(i, err)
			}
		}
	}
	w.gen.EndArray()
	w.leave()
	return nil
}

func underIndex(i int, err error) error {
	return errpath.UnderEncode("["+strconv.Itoa(i)+"]", err)
}

// places returns the elements in the order in which a set of Java has them, nil for lists.
func (n *listNode) places(w *writer, p memory.Place, count int) ([]int, error) {
	if n.order == nil {
		return nil, nil
	}
	values := make([]any, count)
	for i := range values {
		v, err := n.slot.key(w, memory.Element(p, i, n.size))
		if err != nil {
			return nil, underIndex(i, err)
		}
		values[i] = v
	}
	order, err := n.order.Order(values)
	return order, bridge.Named(w.codec.Name(), err)
}

// key returns the value at p as what sets and maps order: one of the slot's leaf, and of
// all else the slot, which has no order.
func (s *framedNode) key(w *writer, p memory.Place) (any, error) {
	switch n := s.node.(type) {
	case *pointerNode:
		if to := memory.Pointee(p); to != nil {
			return n.to.key(w, to)
		}
		return nil, nil
	case *anyNode:
		return n.key(w, *memory.At[any](p))
	}
	if s.leaf != nil {
		return s.leaf.lower(w, p)
	}
	return unordered{}, nil
}

// unordered is what has no place in sets.
type unordered struct{}

func (n *listNode) read(r *reader, i int, p memory.Place) error {
	if r.toks[i].Kind != token.Array {
		if n.takes(r, i) {
			return n.one(r, i, p, n.slot.as)
		}
		return errUnusual
	}
	if n.strings {
		if list, ok := r.readTexts(i); ok {
			*memory.At[[]string](p) = list
			return nil
		}
	}
	return n.elements(r, i, p, nil)
}

func (n *listNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) error {
	f, err := r.frame(i, as)
	if err != nil {
		return err
	}
	switch kind := r.toks[f.at].Kind; {
	case kind == token.Null:
		return nil
	case kind != token.Array && n.takes(r, f.at):
		return n.one(r, f.at, p, r.elementsOf(&f))
	case kind != token.Array || f.is.time:
		return n.other(r, i, p, as)
	}
	at := r.elementsOf(&f)
	if at == n.slot.as {
		return n.elements(r, f.at, p, nil)
	}
	return n.elements(r, f.at, p, at)
}

// takes reports whether a value that is no array stands for a list of it. Texts are not taken for
// arrays of characters or bytes, which they are themselves.
func (n *listNode) takes(r *reader, i int) bool {
	if !r.codec.rules.takesSingle() {
		return false
	}
	elem := n.typ.Elem()
	return r.toks[i].Kind != token.String || elem.Kind() != reflect.Int8 && elem != reflect.TypeFor[java.Char]()
}

// one reads a value as a list of one element.
func (n *listNode) one(r *reader, i int, p memory.Place, as *place) error {
	n.make(p, 1)
	return n.slot.readAs(r, i, memory.Element(p, 0, n.size), as)
}

// other reads what is no array: an array of primitives as a text, or as bytes.
func (n *listNode) other(r *reader, i int, p memory.Place, as *place) error {
	v, err := r.at(i, as)
	list, ok := bridge.ArrayList(v)
	if b, bytes := v.([]byte); bytes {
		list, ok = &java.List{}, true
		for _, e := range b {
			list.Elements = append(list.Elements, int8(e))
		}
	}
	leaf := n.slot.leaf
	if err != nil || !ok || leaf == nil {
		return r.mismatch(i, as, n.typ.String())
	}
	n.make(p, len(list.Elements))
	for e, v := range list.Elements {
		if err := leaf.plan.Assign(v, memory.PointerTo(leaf.typ, memory.Element(p, e, n.size))); err != nil {
			return r.assigned(i, err)
		}
	}
	return nil
}

// elements reads the elements of array i, in the place of the slot or in another one.
func (n *listNode) elements(r *reader, i int, p memory.Place, as *place) error {
	if err := r.enter(i); err != nil {
		return err
	}
	k := &r.toks[i]
	n.make(p, int(k.N))
	at := i + 1
	for e := range int(k.N) {
		if err := r.element(at); err != nil {
			return err
		}
		to := memory.Element(p, e, n.size)
		var err error
		switch {
		case as == nil:
			err = n.slot.read(r, at, to)
		case r.toks[at].Kind == token.Null && as.primitive:
			// zero, as with Jackson
		default:
			err = n.slot.readAs(r, at, to, as)
		}
		if err != nil {
			return err
		}
		at = int(r.toks[at].Next)
	}
	r.leave()
	return nil
}

func (r *reader) readTexts(i int) ([]string, bool) {
	n := int(r.toks[i].N)
	if n > r.left || r.depth == 0 {
		return nil, false
	}
	texts := r.toks[i+1 : i+1+n]
	for e := range texts {
		if k := &texts[e]; k.Kind != token.String || k.Type != 0 || k.Flags&token.FlagLiteral != 0 {
			return nil, false
		}
	}
	list := make([]string, n)
	for e := range texts {
		list[e] = r.text(&texts[e])
	}
	r.left -= n
	return list, true
}

// make makes a slice of count elements.
func (n *listNode) make(p memory.Place, count int) {
	v := memory.Value(n.typ, p)
	if count == 0 {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
		return
	}
	v.Grow(count)
	v.SetLen(count)
}
