package databind

import (
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// anyNode carries what any holds: plain Go values, as java.Plain makes them.
type anyNode struct {
	declared   *declared // nil where nothing is declared
	slot       slot      // of values by values, then
	plan       *java.Plan
	typed      bool // values name their class
	long, list typedName
	maps       *mapNode  // of map[string]any
	lists      *listNode // of []any
}

// isNull reports whether v is null in Java.
func isNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return v == nil
	case []any:
		return v == nil
	}
	return false
}

func (n *anyNode) null(p memory.Place) bool { return isNull(*memory.At[any](p)) }
func (n *anyNode) nullable() bool           { return true }

func (n *anyNode) write(w *typedWriter, p memory.Place) bool {
	return n.writeValue(w, *memory.At[any](p))
}

func (n *anyNode) writeValue(w *typedWriter, v any) bool {
	switch v := v.(type) {
	case string:
		return w.g.String(v) == nil
	case int32:
		w.g.Int(int64(v))
	case bool:
		w.g.Bool(v)
	case float64:
		if v-v != 0 {
			return n.lower(w, v)
		}
		w.g.Float64(v)
	case int64:
		if !n.typed {
			w.g.Int(v)
			return true
		}
		if !w.wrap(&n.long) {
			return false
		}
		w.g.Int(v)
		w.g.EndWrap()
	case map[string]any:
		return n.maps.write(w, memory.Of(&v))
	case []any:
		return n.writeList(w, v)
	default:
		return n.lower(w, v)
	}
	return true
}

// lower writes v by values.
func (n *anyNode) lower(w *typedWriter, v any) bool {
	low, err := n.plan.Lower(v)
	return err == nil && low != nil && w.value(low, n.declared)
}

func (n *anyNode) writeList(w *typedWriter, list []any) bool {
	if n.typed && !w.wrap(&n.list) || !n.lists.write(w, memory.Of(&list)) {
		return false
	}
	if n.typed {
		w.g.EndWrap()
	}
	return true
}

func (n *anyNode) read(r *typedReader, i int, p memory.Place) (ok bool) {
	*memory.At[any](p), ok = n.value(r, i)
	return ok
}

// value returns the value at token i.
func (n *anyNode) value(r *typedReader, i int) (any, bool) {
	k := &r.toks[i]
	if k.Type != 0 {
		return n.other(r, i)
	}
	switch k.Kind {
	case token.Null:
		return nil, true
	case token.String:
		if k.Flags&token.FlagLiteral != 0 {
			return n.other(r, i)
		}
		return r.box(r.text(k)), true
	case token.Bool:
		return k.Bool(), true
	case token.Int:
		v := k.Int()
		if k.Flags&(token.FlagLong|token.FlagBig) != 0 {
			return n.other(r, i)
		}
		if v == int64(int32(v)) {
			return int32(v), true
		}
		return v, true
	case token.Float:
		if k.Flags&token.FlagLiteral == 0 {
			return n.other(r, i)
		}
		v, err := strconv.ParseFloat(memory.Text(r.tape.Text(k)), 64)
		return v, err == nil
	case token.Object:
		if !n.inside() || !n.maps.mine(r, i) {
			return n.other(r, i)
		}
		var m map[string]any
		ok := n.maps.read(r, i, memory.Of(&m))
		return m, ok
	case token.Array:
		if n.inside() {
			return n.array(r, i)
		}
	default:
	}
	return n.other(r, i)
}

// inside reports whether lists and maps under it are read as those under map[string]any
// are: what they hold is in Object slots, and needs no class.
func (n *anyNode) inside() bool { return !n.typed || n.declared == nil && n.slot == slotObject }

// other returns the value at token i as the way by values and java.Plain make it.
func (n *anyNode) other(r *typedReader, i int) (any, bool) {
	v, ok := r.value(i, n.declared, n.slot)
	switch v.(type) {
	case *java.Map, *java.List:
		v = java.Plain(v)
	}
	return v, ok
}

// array returns the value of a wrapper array.
func (n *anyNode) array(r *typedReader, i int) (any, bool) {
	k := &r.toks[i]
	if !n.typed {
		var list []any
		ok := n.lists.read(r, i, memory.Of(&list))
		return list, ok
	}
	if k.N != 2 || r.toks[i+1].Kind != token.String {
		return n.other(r, i)
	}
	v := &r.toks[i+2]
	switch string(r.tape.Text(&r.toks[i+1])) {
	case n.long.text:
		if v.Kind == token.Int && v.Type == 0 {
			return v.Int(), true
		}
	case n.list.text:
		if v.Kind == token.Array && v.Type == 0 {
			var list []any
			ok := n.lists.read(r, i+2, memory.Of(&list))
			return list, ok
		}
	}
	return n.other(r, i)
}
