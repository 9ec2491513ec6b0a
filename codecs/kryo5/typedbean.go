package kryo5

import (
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// typedOp is how one field of a bean is carried. The first ones are the usual
// pairs of a Java type and the Go type of the same width; they save a call each.
type typedOp uint8

const (
	opSlot    typedOp = iota
	opText            // String and string
	opInt             // int and int32 or int
	opLong            // long and int64
	opBoolean         // boolean and bool
	opDouble          // double and float64
	opPrimitive
	opNamed // time.Time, BigDecimal or a slice, written with its class
)

// typedField is one field of a bean.
type typedField struct {
	op     typedOp
	wide   bool // of opInt: the Go type is int
	offset uintptr
	slot   typedSlot // of opPrimitive: its node reads the body, its class is the wrapper, which has the same bytes
	name   string
}

// beanNode carries structs with a Java class.
type beanNode struct {
	typ    reflect.Type
	as     *class
	bean   *layout.Bean
	ctx    *layout.Type
	binds  bool         // the context binds type parameters
	fields []typedField // in wire order
}

func (n *beanNode) usual() *class                                     { return n.as }
func (n *beanNode) nullable() bool                                    { return false }
func (n *beanNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }

func (n *beanNode) read(r *typedReader, c *class, p memory.Place) bool {
	if c != n.as || len(n.fields) > r.elements || r.depth >= r.codec.limits.Depth {
		return false
	}
	r.elements -= len(n.fields)
	r.depth++
	mark := 0
	if n.binds {
		mark = r.scope.Enter(n.bean, n.ctx)
	}
	for i := range n.fields {
		f := &n.fields[i]
		if !f.read(r, memory.Field(p, f.offset)) {
			return false
		}
	}
	if n.binds {
		r.scope.Leave(mark)
	}
	r.depth--
	return true
}

func (f *typedField) read(r *typedReader, p memory.Place) (ok bool) {
	switch f.op {
	case opText:
		if r.peek() == 0x80 {
			r.at++
			return true
		}
		*memory.At[string](p), ok = r.text()
	case opInt:
		var v int32
		v, ok = r.zz32()
		if f.wide {
			*memory.At[int](p) = int(v)
		} else {
			*memory.At[int32](p) = v
		}
	case opLong:
		*memory.At[int64](p), ok = r.zz64()
	case opBoolean:
		*memory.At[bool](p), ok = r.flag()
	case opDouble:
		ok = r.readDouble(memory.At[float64](p))
	case opPrimitive:
		ok = f.slot.node.read(r, f.slot.class, p)
	case opNamed:
		c, known := r.class(f.slot.expect)
		switch {
		case !known:
			return false
		case c == nil:
			return true
		case c != f.slot.expect && !f.slot.fits(r.types, c):
			return false
		}
		switch n := f.slot.node.(type) {
		case *timeNode:
			ok = n.read(r, c, p)
		case *decimalNode:
			ok = n.read(r, c, p)
		case *listNode:
			ok = n.read(r, c, p)
		}
	default:
		ok = f.slot.read(r, p)
	}
	return ok
}

func (n *beanNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	if w.depth >= w.codec.limits.Depth {
		return false
	}
	w.depth++
	mark := 0
	if n.binds {
		mark = w.scope.Enter(n.bean, n.ctx)
	}
	for i := range n.fields {
		f := &n.fields[i]
		if !f.write(w, memory.Field(p, f.offset)) {
			return false
		}
	}
	if n.binds {
		w.scope.Leave(mark)
	}
	w.depth--
	return true
}

func (f *typedField) write(w *typedWriter, p memory.Place) bool {
	switch f.op {
	case opText:
		return w.text(*memory.At[string](p))
	case opInt:
		v := *memory.At[int32](p)
		if f.wide {
			wide := *memory.At[int](p)
			if v = int32(wide); int(v) != wide {
				return false
			}
		}
		w.zz32(v)
	case opLong:
		w.zz64(*memory.At[int64](p))
	case opBoolean:
		w.byte(flagByte(*memory.At[bool](p)))
	case opDouble:
		w.double(*memory.At[float64](p))
	case opPrimitive:
		return f.slot.node.write(w, f.slot.class, p)
	case opNamed:
		return f.writeNamed(w, p)
	default:
		return f.slot.write(w, p)
	}
	return true
}

// writeNamed writes the value of a field with its class, which is always the same.
func (f *typedField) writeNamed(w *typedWriter, p memory.Place) bool {
	switch n := f.slot.node.(type) {
	case *timeNode:
		if memory.At[time.Time](p).IsZero() {
			w.byte(idNull)
			return n.inside
		}
		w.class(n.as)
		return n.write(w, n.as, p)
	case *decimalNode:
		w.class(n.as)
		return n.write(w, n.as, p)
	case *listNode:
		if memory.Pointee(p) == nil {
			w.byte(idNull)
			return true
		}
		w.class(n.as)
		return n.write(w, n.as, p)
	}
	return false
}

// enumNode carries Go enums: named strings by the constant's name, named integers
// by its ordinal.
type enumNode struct {
	kind    reflect.Kind
	classes []*class       // of the constants: one of their own where they have a body
	names   []string       // of the constants
	byName  map[string]int // ordinals
	as      *class
}

func (n *enumNode) usual() *class  { return n.as }
func (n *enumNode) nullable() bool { return false }

// ordinal returns the ordinal of the constant at p; false where there is none.
func (n *enumNode) ordinal(p memory.Place) (int, bool) {
	if n.kind == reflect.String {
		i, ok := n.byName[*memory.At[string](p)]
		return i, ok
	}
	v, ok := memory.LoadInt(n.kind, p)
	return int(v), ok && v >= 0 && v < int64(len(n.names))
}

func (n *enumNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	i, ok := n.ordinal(p)
	if !ok {
		return nil, false
	}
	return n.classes[i], true
}

func (n *enumNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	i, ok := n.ordinal(p)
	w.uv32(uint32(i) + 1)
	return ok
}

func (n *enumNode) read(r *typedReader, c *class, p memory.Place) bool {
	u, ok := r.uv32()
	if !ok || u == 0 || int64(u) > int64(len(n.names)) || c != n.as && c != n.classes[u-1] {
		return false
	}
	if n.kind == reflect.String {
		*memory.At[string](p) = n.names[u-1]
		return true
	}
	return memory.StoreInt(n.kind, p, int64(u-1))
}
