package databind

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// openNode carries interfaces that take the Go types of registered classes: values of
// these classes become the types, lists and maps slices and maps of such values.
type openNode struct {
	typ   reflect.Type
	as    place
	exact bool
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
	return w.at(memory.Value(n.typ, p).Interface(), n.as)
}

func (n *openNode) read(*reader, int, memory.Place) error { return errUnusual }

func (n *openNode) readAs(r *reader, i int, p memory.Place, as place, _ bool) error {
	if n.exact {
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
func (n *openNode) value(r *reader, i int, as place) (any, error) {
	if d := as.declared; d != nil && d.object && r.bare {
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
