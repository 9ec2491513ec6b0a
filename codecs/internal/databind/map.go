package databind

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// mapNode carries Go maps.
type mapNode struct {
	as    classForm
	typ   reflect.Type
	value framedNode
	texts bool         // a map[string]string of bare values
	plain *anyNode     // of a map[string]any, else nil
	keeps bool         // null is written
	key   *leafNode    // of keys that are no strings, else nil
	open  bool         // the payload may be of a class, whose values are read as they come
	enum  string       // the enum that the keys are, where its texts are not the names
	order *bridge.Node // nil: that of a HashMap with String keys
}

func (n *mapNode) null(p memory.Place) bool { return memory.Pointee(p) == nil }
func (n *mapNode) nullable() bool           { return true }

func (n *mapNode) read(r *reader, i int, p memory.Place) error {
	id, ok := r.like(i, &n.as)
	if !ok || n.open {
		return errUnusual
	}
	return n.entries(r, i, id, p, nil)
}

func (n *mapNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) error {
	f, err := r.frame(i, as)
	if err != nil {
		return err
	}
	switch r.toks[f.at].Kind {
	case token.Null:
		return nil
	case token.Object:
	default:
		return r.mismatch(i, as, n.typ.String())
	}
	if m := r.membersOf(&f); m.bean != nil || m.rest != n.value.as {
		return n.entries(r, f.at, f.key, p, &m)
	}
	return n.entries(r, f.at, f.key, p, nil)
}

// entries reads the members of object i but the one at id, in the place of the slot or
// where as says.
func (n *mapNode) entries(r *reader, i, id int, p memory.Place, as *memberPlaces) error {
	room := min(int(r.toks[i].N), 64) // they are on the tape
	switch {
	case n.texts && as == nil:
		m := make(map[string]string, room)
		*memory.At[map[string]string](p) = m
		return r.members(i, id, func(key, value int) error {
			k := &r.toks[value]
			if k.Kind == token.String && k.Type == 0 && k.Flags&token.FlagLiteral == 0 {
				m[r.keyText(key)] = r.text(k)
				return nil
			}
			var text string
			err := n.value.readAs(r, value, memory.Of(&text), n.value.as)
			m[r.keyText(key)] = text
			return err
		})
	case n.plain != nil && as == nil:
		m := make(map[string]any, room)
		*memory.At[map[string]any](p) = m
		return r.members(i, id, func(key, value int) error {
			v, err := n.plain.value(r, value)
			m[r.keyText(key)] = v
			return err
		})
	}
	m := reflect.MakeMapWithSize(n.typ, room)
	memory.Value(n.typ, p).Set(m)
	k, v := variable(n.typ.Key()), variable(n.typ.Elem())
	to := memory.To(v.Addr())
	return r.members(i, id, func(key, value int) error {
		v.SetZero()
		if err := n.readKey(r, i, key, k); err != nil {
			return err
		}
		var err error
		if as == nil {
			err = n.value.read(r, value, to)
		} else {
			err = n.value.readAs(r, value, to, as.of(r.tape.Text(&r.toks[key])))
		}
		if err == nil {
			m.SetMapIndex(k, v)
		}
		return err
	})
}

// readKey stores the key at token i of the map at token at.
func (n *mapNode) readKey(r *reader, at, i int, k reflect.Value) error {
	text := r.keyText(i)
	if n.enum != "" {
		text = r.codec.rules.enumName(n.enum, text)
	}
	if n.key == nil {
		k.SetString(text)
		return nil
	}
	k.SetZero()
	to := k.Addr().Interface()
	err := n.key.plan.Assign(text, to)
	if err != nil {
		if v, ok := r.codec.rules.readKey(text, n.key.typ); ok {
			err = n.key.plan.Assign(v, to)
		}
	}
	switch {
	case err != nil:
		return r.keyError(at, r.assigned(i, err))
	case !k.Comparable():
		return r.keyError(at, r.misfit(i, "java.lang.String", n.key.typ.String(), "Go cannot compare this key: use *java.Map"))
	}
	return nil
}

func (r *reader) keyError(at int, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		e.Path = errpath.Join(r.tape.Path(at), "[key]")
	}
	return err
}

func (n *mapNode) write(w *writer, p memory.Place) error {
	if err := w.enter(n.typ, 2*memory.Value(n.typ, p).Len()); err != nil {
		return err
	}
	base := len(w.keys)
	var err error
	switch {
	case n.texts:
		err = n.writeTexts(w, *memory.At[map[string]string](p))
	case n.plain != nil:
		err = n.writePlain(w, *memory.At[map[string]any](p))
	case n.order == nil:
		err = n.writeEntries(w, memory.Value(n.typ, p))
	default:
		err = n.writeOrdered(w, memory.Value(n.typ, p))
	}
	if err != nil {
		return err
	}
	clear(w.keys[base:])
	w.keys = w.keys[:base]
	w.gen.EndObject()
	w.leave()
	return nil
}

// ordered returns the keys from base on in the order of Java's HashMap.
func (w *writer) ordered(base int) []string {
	keys := w.keys[base:]
	keyorder.Strings(keys)
	return keys
}

func (n *mapNode) writeTexts(w *writer, m map[string]string) error {
	base := len(w.keys)
	for k := range m {
		w.keys = append(w.keys, k)
	}
	if err := w.beginObject(&n.as.writes, len(m)); err != nil {
		return err
	}
	for _, k := range w.ordered(base) {
		err := w.textKey(k)
		if err == nil {
			err = w.text(m[k])
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(k), err)
		}
	}
	return nil
}

func (n *mapNode) writePlain(w *writer, m map[string]any) error {
	base, nulls := len(w.keys), 0
	for k, v := range m {
		w.keys = append(w.keys, k)
		if !n.keeps && isNull(v) {
			nulls++
		}
	}
	if err := w.beginObject(&n.as.writes, len(m)-nulls); err != nil {
		return err
	}
	for _, k := range w.ordered(base) {
		v := m[k]
		null := isNull(v)
		if null && !n.keeps {
			continue
		}
		err := w.textKey(k)
		if err == nil {
			err = n.plain.writeValue(w, v)
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(k), err)
		}
	}
	return nil
}

// writeEntries writes a HashMap with String keys.
func (n *mapNode) writeEntries(w *writer, m reflect.Value) error {
	base, nulls := len(w.keys), 0
	v := variable(n.typ.Elem())
	at := memory.To(v.Addr())
	for it := m.MapRange(); it.Next(); {
		w.keys = append(w.keys, it.Key().String())
		v.SetIterValue(it)
		if !n.keeps && n.value.node.null(at) {
			nulls++
		}
	}
	if err := w.beginObject(&n.as.writes, m.Len()-nulls); err != nil {
		return err
	}
	k := variable(n.typ.Key())
	for _, key := range w.ordered(base) {
		k.SetString(key)
		v.Set(m.MapIndex(k))
		null := n.value.node.null(at)
		if null && !n.keeps {
			continue
		}
		err := w.textKey(key)
		switch {
		case err != nil:
		case null:
			w.gen.Null()
		default:
			err = n.value.write(w, at)
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(key), err)
		}
	}
	return nil
}

// writeOrdered writes a map of any class and any keys.
func (n *mapNode) writeOrdered(w *writer, m reflect.Value) error {
	keys, entries, nulls := make([]any, 0, m.Len()), make([]reflect.Value, 0, m.Len()), 0
	for it := m.MapRange(); it.Next(); {
		k, v := variable(n.typ.Key()), variable(n.typ.Elem())
		k.SetIterKey(it)
		v.SetIterValue(it)
		key, err := n.lowerKey(w, k)
		if err != nil {
			return errpath.UnderEncode("[key]", err)
		}
		if !n.keeps && n.value.node.null(memory.To(v.Addr())) {
			nulls++
		}
		keys, entries = append(keys, key), append(entries, v)
	}
	order, err := n.order.OrderKeys(keys)
	if err != nil {
		return bridge.Named(w.codec.Name(), err)
	}
	if err := w.beginObject(&n.as.writes, m.Len()-nulls); err != nil {
		return err
	}
	for _, i := range order {
		at := memory.To(entries[i].Addr())
		if n.value.node.null(at) && !n.keeps {
			continue
		}
		err := w.key(keys[i])
		if err == nil {
			err = n.value.writeOrNull(w, at)
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(keys[i]), err)
		}
	}
	return nil
}

func (n *mapNode) lowerKey(w *writer, k reflect.Value) (any, error) {
	if n.key == nil {
		return k.String(), nil
	}
	return n.key.lower(w, memory.To(k.Addr()))
}
