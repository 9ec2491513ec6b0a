package databind

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// binding carries one Go type: the nodes that were compiled for it, and those of the types
// that its interfaces turn out to hold.
type binding struct {
	codec    *Codec
	opts     codecs.BindOptions
	set      *java.Classes
	beans    map[string]*bean
	typ      reflect.Type
	pointer  reflect.Type // to typ
	root     *framedNode
	at       *place                // of the root
	declared map[reflect.Type]bool // structs that may be written under interfaces
	types    map[string]openType   // the registered types by class
	slots    sync.Map              // of slotKey to *framedNode or error
}

var _ codecs.Binding = (*binding)(nil)

// slotKey is a type in a place.
type slotKey struct {
	typ reflect.Type
	as  *place
}

const classBigDecimal = "java.math.BigDecimal"

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	if b.codec.err != nil {
		return dst, b.codec.encodeError(value)
	}
	return b.codec.encode(dst, b, value, func(w *writer) error { return b.write(w, value) })
}

// Reuses reports whether Append takes a pointer to a variable too: it keeps none.
func (b *binding) Reuses() bool { return b.typ.Kind() != reflect.Interface }

func (b *binding) write(w *writer, value any) error {
	t := reflect.TypeOf(value)
	switch {
	case t == b.typ:
		return b.root.writeOrNull(w, memory.Boxed(t, value, &w.word))
	case t == b.pointer && b.Reuses() && !reflect.ValueOf(value).IsNil():
		return b.root.writeOrNull(w, memory.To(reflect.ValueOf(value)))
	case b.typ.Kind() != reflect.Interface || t != nil && !t.Implements(b.typ):
		return &codecs.EncodeError{Codec: b.codec.Name(), Type: t, Reason: fmt.Sprintf("the bound type is %s", b.typ)}
	}
	return w.at(value, b.at)
}

func (b *binding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type() != b.pointer {
		return &codecs.DecodeError{
			Codec: b.codec.Name(), Offset: -1,
			Reason: fmt.Sprintf("does not go into Go type %s: the target is %T, not a pointer to the bound type", b.typ, target),
		}
	}
	r, err := b.codec.open(payload, true, b.beans)
	if err == nil {
		v.Elem().SetZero()
		err = b.root.read(r, 0, memory.To(v))
		r.close()
	}
	if err != nil {
		return b.codec.hint(payload, err)
	}
	return nil
}

// slotOf returns the slot of a type in a place that does not name it: under an interface.
func (b *binding) slotOf(t reflect.Type, as *place) (*framedNode, error) {
	key := slotKey{t, as}
	found, ok := b.slots.Load(key)
	if !ok {
		s, err := b.compileOpen(t, as)
		if found = s; err != nil {
			found = err
		}
		b.slots.Store(key, found)
	}
	if err, bad := found.(error); bad {
		return nil, &codecs.EncodeError{Codec: b.codec.Name(), Type: t, Reason: "no Java value corresponds to it", Err: err}
	}
	return found.(*framedNode), nil
}

func (b *binding) compileOpen(t reflect.Type, as *place) (*framedNode, error) {
	plan, err := java.CompileAs(&java.Node{Go: t}, b.opts)
	if err != nil {
		return nil, errors.Join(err)
	}
	for _, use := range plan.Beans() {
		if !b.declared[use.Type] {
			return nil, fmt.Errorf("the fields of %s are not described here: name the type in BindOptions.Classes, in a declaration by registry.JavaClass", use.Class)
		}
	}
	tc := newCompiler(b)
	s := tc.slot(form{Node: plan.Described(), at: as})
	return &s, tc.err
}

// goValue writes a value of Go that package java has no value of its own for.
func (w *writer) goValue(v any, as *place) error {
	t := reflect.TypeOf(v)
	if b, beans := w.bound, w.beans; w.free {
		own, err := w.codec.bindingFor(t)
		if err != nil {
			return err
		}
		w.bound, w.beans = own, own.beans
		defer func() { w.bound, w.beans = b, beans }()
	}
	s, err := w.bound.slotOf(t, as)
	if err != nil {
		return err
	}
	var word memory.Place
	p := memory.Boxed(t, v, &word)
	if n, ok := s.node.(*leafNode); ok {
		low, err := n.lower(w, p)
		if err != nil {
			return err
		}
		if low != nil && reflect.TypeOf(low) == t {
			return w.fail(v, "no Java value corresponds to it")
		}
		return w.at(low, as)
	}
	return s.writeOrNull(w, p)
}

func (c *Codec) bindingFor(t reflect.Type) (*binding, error) {
	cached, ok := c.bound.Load(t)
	if !ok {
		b, err := c.Bind(t, codecs.BindOptions{})
		if cached = b; err != nil {
			cached = &codecs.EncodeError{Codec: c.Name(), Type: t, Reason: "no Java value corresponds to it", Err: err}
		}
		c.bound.Store(t, cached)
	}
	if err, bad := cached.(*codecs.EncodeError); bad {
		copied := *err // whoever gets it puts a path before it
		return nil, &copied
	}
	return cached.(*binding), nil
}
