package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// listNode carries slices: lists, sets and arrays. The class is the slot's matter.
type listNode struct {
	typ     reflect.Type
	kind    reflect.Kind // of the elements, where they are of a type without a name
	size    uintptr      // of an element
	slot    typedSlot    // of the elements
	strings bool         // bare strings, in a []string
}

func (n *listNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (n *listNode) nullable() bool           { return true }

func (n *listNode) write(w *typedWriter, p memory.Place) bool {
	count := memory.Len(p)
	if !w.enter(count) {
		return false
	}
	w.g.Array(count)
	if n.strings {
		for _, s := range *memory.At[[]string](p) {
			if w.g.String(s) != nil {
				return false
			}
		}
	} else {
		for i := range count {
			if !n.slot.writeOrNull(w, memory.Element(p, i, n.size)) {
				return false
			}
		}
	}
	w.g.EndArray()
	w.leave()
	return true
}

func (n *listNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind != token.Array || !r.enter() {
		return false
	}
	if n.strings {
		if !r.readTexts(i, memory.At[[]string](p)) {
			return false
		}
		r.leave()
		return true
	}
	n.make(p, int(k.N))
	at := i + 1
	for e := range int(k.N) {
		if !n.slot.read(r, at, memory.Element(p, e, n.size)) {
			return false
		}
		at = int(r.toks[at].Next)
	}
	r.leave()
	return true
}

// readTexts reads the elements of array i, which must be strings.
func (r *typedReader) readTexts(i int, to *[]string) bool {
	list := make([]string, r.toks[i].N)
	at := i + 1
	for e := range list {
		k := &r.toks[at]
		if k.Kind != token.String || k.Type != 0 || k.Flags&token.FlagLiteral != 0 {
			return false
		}
		list[e] = r.text(k)
		at++
	}
	*to = list
	return true
}

// make stores a slice of n zero elements.
func (n *listNode) make(p memory.Place, count int) {
	switch n.kind {
	case reflect.Int32:
		*memory.At[[]int32](p) = make([]int32, count)
	case reflect.Int64:
		*memory.At[[]int64](p) = make([]int64, count)
	case reflect.Float64:
		*memory.At[[]float64](p) = make([]float64, count)
	case reflect.Interface:
		*memory.At[[]any](p) = make([]any, count)
	default:
		memory.Value(n.typ, p).Set(reflect.MakeSlice(n.typ, count, count))
	}
}
