package databind

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// anyNode carries what any holds: plain Go values, as java.Plain makes them.
type anyNode struct {
	as         *place
	typed      bool // values name their class
	exact      bool // what it holds keeps its class
	raw        bool // Java values stay as they are: the whole payload
	long, list fixedName
	maps       *mapNode  // of map[string]any
	lists      *listNode // of []any
}

func isNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return v == nil
	case []any:
		return v == nil
	case string, int32, int64, bool, float64:
		return false
	}
	if k := reflect.ValueOf(v); k.Kind() == reflect.Pointer || k.Kind() == reflect.Slice || k.Kind() == reflect.Map {
		return k.IsNil()
	}
	return false
}

func (n *anyNode) null(p memory.Place) bool { return isNull(*memory.At[any](p)) }
func (n *anyNode) nullable() bool           { return true }

func (n *anyNode) write(w *writer, p memory.Place) error {
	return n.writeValue(w, *memory.At[any](p))
}

func (n *anyNode) writeValue(w *writer, v any) error {
	switch v := v.(type) {
	case string:
		return w.text(v)
	case int32:
		w.gen.Int(int64(v))
	case bool:
		w.gen.Bool(v)
	case float64:
		if v-v != 0 { // not finite: it may name its class
			return w.at(v, n.as)
		}
		w.gen.Float64(v)
	case int64:
		if w.rules.longText {
			return w.at(v, n.as)
		}
		if !n.typed {
			w.gen.Int(v)
			return nil
		}
		if err := w.beginWrap(&n.long); err != nil {
			return err
		}
		w.gen.Int(v)
		w.gen.EndWrap()
	case map[string]any:
		if v != nil {
			return n.maps.write(w, memory.Of(&v))
		}
		w.gen.Null()
	case []any:
		if v != nil {
			return n.writeList(w, v)
		}
		w.gen.Null()
	default:
		return w.at(v, n.as)
	}
	return nil
}

func (n *anyNode) writeList(w *writer, list []any) error {
	if !n.typed {
		return n.lists.write(w, memory.Of(&list))
	}
	if err := w.beginWrap(&n.list); err != nil {
		return err
	}
	if err := n.lists.write(w, memory.Of(&list)); err != nil {
		return err
	}
	w.gen.EndWrap()
	return nil
}

// key returns v as what sets and maps order.
func (n *anyNode) key(w *writer, v any) (any, error) {
	if v == nil || java.ClassOf(v) != "" {
		return v, nil
	}
	s, err := w.bound.slotOf(reflect.TypeOf(v), n.as)
	if err != nil {
		return nil, err
	}
	var word memory.Place
	return s.key(w, memory.Boxed(reflect.TypeOf(v), v, &word))
}

func (n *anyNode) read(r *reader, i int, p memory.Place) (err error) {
	*memory.At[any](p), err = n.value(r, i)
	return err
}

func (n *anyNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) (err error) {
	*memory.At[any](p), err = n.other(r, i, as)
	return err
}

// value returns the value at token i.
func (n *anyNode) value(r *reader, i int) (any, error) {
	k := &r.toks[i]
	if k.Type != 0 || n.raw {
		return n.other(r, i, n.as)
	}
	switch k.Kind {
	case token.Null, token.Bool:
		return r.scalar(k), nil
	case token.String:
		if k.Flags&token.FlagLiteral == 0 {
			return r.boxes.Box(r.text(k)), nil
		}
	case token.Int:
		if k.Flags&(token.FlagLong|token.FlagBig) == 0 {
			return r.scalar(k), nil
		}
	case token.Float:
		if k.Flags&token.FlagLiteral != 0 {
			return r.tape.Float(k), nil
		}
	case token.Object:
		if !n.inside() {
			break
		}
		var m map[string]any
		if err := n.maps.read(r, i, memory.Of(&m)); !unusual(err) {
			return m, err
		}
	case token.Array:
		if v, err := n.array(r, i); !unusual(err) {
			return v, err
		}
	default:
	}
	return n.other(r, i, n.as)
}

// inside reports whether lists and maps under it are read as those under map[string]any
// are: what they hold is in Object slots, and needs no class.
func (n *anyNode) inside() bool {
	return !n.exact && (!n.typed || n.as == objectPlace) && n.as != bareRoot
}

// other returns the value at token i as a Java value, its lists and maps plain.
func (n *anyNode) other(r *reader, i int, as *place) (any, error) {
	if n.exact {
		defer r.plain(false)()
	}
	v, err := r.at(i, as)
	switch v.(type) {
	case *java.Map, *java.List:
		if !n.raw {
			v = java.Plain(v)
		}
	}
	return v, err
}

func (n *anyNode) array(r *reader, i int) (any, error) {
	if !n.inside() {
		return nil, errUnusual
	}
	k := &r.toks[i]
	if !n.typed {
		var list []any
		err := n.lists.read(r, i, memory.Of(&list))
		return list, err
	}
	if k.N != 2 || r.toks[i+1].Kind != token.String {
		return nil, errUnusual
	}
	v := &r.toks[i+2]
	switch string(r.tape.Text(&r.toks[i+1])) {
	case n.long.text:
		if v.Kind == token.Int && v.Type == 0 {
			return v.Int(), nil
		}
	case n.list.text:
		if v.Kind == token.Array && v.Type == 0 {
			var list []any
			err := n.lists.read(r, i+2, memory.Of(&list))
			return list, err
		}
	}
	return nil, errUnusual
}

// openNode carries interfaces that take the Go types of registered classes: values of
// these classes become the types, lists and maps slices and maps of such values.
type openNode struct {
	typ   reflect.Type
	as    *place
	exact bool
	// declared is what the place is declared as. Where that is a class of a library, lists and maps
	// keep their class; where it is anything but Object, values of such a class do.
	declared java.TypeExpr
	// types are the registered types by class.
	types map[string]openType
}

// openType is a registered type and its slot.
type openType struct {
	typ  reflect.Type
	slot *framedNode
}

func (n *openNode) nullable() bool { return true }

func (n *openNode) null(p memory.Place) bool {
	v := memory.Value(n.typ, p)
	return v.IsNil() || isNull(v.Interface())
}

func (n *openNode) write(w *writer, p memory.Place) error {
	v := memory.Value(n.typ, p).Interface()
	if err := w.unfit(n.declared, v); err != nil {
		return err
	}
	return w.at(v, n.as)
}

func (n *openNode) read(*reader, int, memory.Place) error { return errUnusual }

func (n *openNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) error {
	if n.exact || bridge.Foreign(n.declared) {
		defer r.plain(false)()
	}
	v, err := n.value(r, i, as)
	if err != nil || v == nil {
		return err
	}
	dst, at := memory.Value(n.typ, p), reflect.ValueOf(v)
	switch {
	case at.Type().AssignableTo(n.typ):
		dst.Set(at)
	case reflect.PointerTo(at.Type()).AssignableTo(n.typ):
		to := reflect.New(at.Type())
		to.Elem().Set(at)
		dst.Set(to)
	default:
		given, err := r.at(i, as)
		if err != nil {
			return err
		}
		return r.misfit(i, java.ClassOf(given), n.typ.String(), fmt.Sprintf("%s does not implement it: register the Go type of the class", at.Type()))
	}
	return nil
}

// value returns what an interface takes for the value at token i.
func (n *openNode) value(r *reader, i int, as *place) (any, error) {
	if as.object && r.bare {
		defer r.plain(false)() // the class is kept
	}
	if kind := r.toks[i].Kind; kind != token.Array && kind != token.Object && r.toks[i].Type == 0 {
		return r.at(i, as)
	}
	f, err := r.frame(i, as)
	if err != nil {
		return nil, err
	}
	if t := n.types[f.class]; t.typ != nil {
		v := reflect.New(t.typ)
		err := t.slot.readAs(r, i, memory.To(v), as)
		return v.Elem().Interface(), err
	}
	switch k := &r.toks[f.at]; {
	case bridge.Foreign(n.declared):
	case f.wrapped && k.Kind != token.Array && k.Kind != token.Object && bridge.Foreign(java.TypeExpr{Class: f.class}) && !n.declared.IsZero():
		defer r.plain(false)()
		return r.valueOf(&f)
	case k.Kind == token.Array && !f.is.time && (!f.is.array || len(f.class) != 2):
		return n.list(r, &f)
	case k.Kind == token.Object && r.isMap(&f):
		return n.mapping(r, &f)
	}
	return r.at(i, as)
}

func (n *openNode) list(r *reader, f *frame) (any, error) {
	as := r.elementsOf(f)
	out := make([]any, 0, r.toks[f.at].N)
	err := r.elements(f.at, func(e int) error {
		v, err := n.value(r, e, as)
		out = append(out, v)
		return err
	})
	return out, err
}

// mapping reads a map: where not all keys are Strings it stays a *java.Map.
func (n *openNode) mapping(r *reader, f *frame) (any, error) {
	m := r.membersOf(f)
	v, err := r.entries(f.at, f.class, f.key, func(v int) (any, error) { return n.value(r, v, m.rest) })
	read, ok := v.(*java.Map)
	if err != nil || !ok {
		return nil, err
	}
	out := make(map[string]any, len(read.Entries))
	for _, e := range read.Entries {
		key, isText := e.Key.(string)
		if !isText {
			return read, nil
		}
		out[key] = e.Value
	}
	return out, nil
}
