package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// anyNode carries what stands under any: plain Go values, as java.Plain makes
// them. It also carries []any and map[string]any, which are the same.
type anyNode struct {
	typ reflect.Type
	ctx *layout.Type
	as  *class // of []any and map[string]any; nil for any
}

func (n *anyNode) usual() *class  { return n.as }
func (n *anyNode) nullable() bool { return true }

func (n *anyNode) classOf(_ *typedWriter, p place) (*class, bool) {
	if n.as == nil {
		return nil, *load[any](p) == nil
	}
	if pointee(p) == nil {
		return nil, true
	}
	return n.as, true
}

// value returns what stands at p.
func (n *anyNode) value(p place) any {
	if n.as == nil {
		return *load[any](p)
	}
	return valueAt(n.typ, p).Interface()
}

func (n *anyNode) write(w *typedWriter, c *class, p place) bool {
	return n.as != nil && w.dynamicBody(c, valueAt(n.typ, p).Interface(), n.ctx)
}

func (n *anyNode) read(r *typedReader, c *class, p place) bool {
	v, ok := r.dynamicBody(c, n.ctx, true)
	if !ok || v == nil {
		return false
	}
	if n.as == nil {
		*load[any](p) = v
		return true
	}
	if reflect.TypeOf(v) != n.typ {
		return false
	}
	valueAt(n.typ, p).Set(reflect.ValueOf(v))
	return true
}

// ownNode carries the types of package java that hold one Java value as it is.
type ownNode struct {
	typ reflect.Type
	ctx *layout.Type
	as  *class
}

func (n *ownNode) usual() *class  { return n.as }
func (n *ownNode) nullable() bool { return n.typ.Kind() == reflect.Pointer }

func (n *ownNode) classOf(w *typedWriter, p place) (*class, bool) {
	if n.nullable() && pointee(p) == nil {
		return nil, true
	}
	c := w.types.class(java.ClassOf(valueAt(n.typ, p).Interface()))
	return c, c != nil
}

func (n *ownNode) write(w *typedWriter, c *class, p place) bool {
	return w.dynamicBody(c, valueAt(n.typ, p).Interface(), n.ctx)
}

func (n *ownNode) read(r *typedReader, c *class, p place) bool {
	v, ok := r.dynamicBody(c, n.ctx, false)
	if !ok || reflect.TypeOf(v) != n.typ {
		return false
	}
	valueAt(n.typ, p).Set(reflect.ValueOf(v))
	return true
}

// assignNode reads any type by way of Java values. It does not write.
type assignNode struct {
	typ  reflect.Type
	ctx  *layout.Type
	plan *java.Plan
}

func (n *assignNode) usual() *class                              { return nil }
func (n *assignNode) nullable() bool                             { return false }
func (n *assignNode) classOf(*typedWriter, place) (*class, bool) { return nil, false }
func (n *assignNode) write(*typedWriter, *class, place) bool     { return false }

func (n *assignNode) read(r *typedReader, c *class, p place) bool {
	v, ok := r.dynamicBody(c, n.ctx, false)
	return ok && n.plan.Assign(v, reflect.NewAt(n.typ, p).Interface()) == nil
}
