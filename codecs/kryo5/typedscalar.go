package kryo5

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// readInt reads the body of one of Java's whole numbers.
func (r *typedReader) readInt(id uint32) (int64, bool) {
	switch id {
	case idInteger:
		v, ok := r.zz32()
		return int64(v), ok
	case idLong:
		return r.zz64()
	case idShort:
		b, ok := r.fixed(2)
		if !ok {
			return 0, false
		}
		return int64(int16(binary.LittleEndian.Uint16(b))), true
	case idByte:
		b, ok := r.byte()
		return int64(int8(b)), ok
	}
	return 0, false
}

// writeInt writes v as one of Java's whole numbers; false where it does not fit.
func (w *typedWriter) writeInt(id uint32, v int64) bool {
	switch id {
	case idInteger:
		w.zz32(int32(v))
		return int64(int32(v)) == v
	case idLong:
		w.zz64(v)
		return true
	case idShort:
		w.out = binary.LittleEndian.AppendUint16(w.out, uint16(v))
		return int64(int16(v)) == v
	case idByte:
		w.byte(byte(v))
		return int64(int8(v)) == v
	}
	return false
}

// intNode carries Go's integers. As is the class they are written as.
type intNode struct {
	kind reflect.Kind
	as   *class
}

func (n *intNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *intNode) usual() *class                                     { return n.as }
func (n *intNode) nullable() bool                                    { return false }

func (n *intNode) write(w *typedWriter, c *class, p memory.Place) bool {
	v, ok := memory.LoadInt(n.kind, p)
	return ok && w.writeInt(c.id, v)
}

func (n *intNode) read(r *typedReader, c *class, p memory.Place) bool {
	v, ok := r.readInt(c.id)
	return ok && memory.StoreInt(n.kind, p, v)
}

// floatNode carries float64 and float32. As is the class they are written as; a
// float64 declared as Float is written where it is one.
type floatNode struct {
	double bool
	as     *class
}

func (n *floatNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *floatNode) usual() *class                                     { return n.as }
func (n *floatNode) nullable() bool                                    { return false }

func (n *floatNode) write(w *typedWriter, c *class, p memory.Place) bool {
	switch {
	case n.double && c.id == idDouble:
		w.double(*memory.At[float64](p))
	case !n.double && c.id == idFloat:
		w.float(*memory.At[float32](p))
	case !n.double && c.id == idDouble:
		w.double(float64(*memory.At[float32](p)))
	default:
		return false
	}
	return true
}

// double writes v as Double.doubleToLongBits does: one NaN.
func (w *typedWriter) double(v float64) {
	bits := math.Float64bits(v)
	if v != v {
		bits = 0x7ff8000000000000
	}
	w.fixed64(bits)
}

func (w *typedWriter) float(v float32) {
	bits := math.Float32bits(v)
	if v != v {
		bits = 0x7fc00000
	}
	w.out = binary.LittleEndian.AppendUint32(w.out, bits)
}

func (n *floatNode) read(r *typedReader, c *class, p memory.Place) bool {
	switch {
	case n.double && c.id == idDouble:
		return r.readDouble(memory.At[float64](p))
	case c.id == idFloat:
		b, ok := r.fixed(4)
		if !ok {
			return false
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		if n.double {
			*memory.At[float64](p) = float64(v)
		} else {
			*memory.At[float32](p) = v
		}
		return true
	}
	return false
}

func (r *typedReader) readDouble(to *float64) bool {
	b, ok := r.fixed(8)
	if !ok {
		return false
	}
	*to = math.Float64frombits(binary.LittleEndian.Uint64(b))
	return true
}

// boolNode carries bool.
type boolNode struct{ as *class }

func (n *boolNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *boolNode) usual() *class                                     { return n.as }
func (n *boolNode) nullable() bool                                    { return false }

func (n *boolNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	w.byte(flagByte(*memory.At[bool](p)))
	return true
}

func (n *boolNode) read(r *typedReader, c *class, p memory.Place) bool {
	v, ok := r.flag()
	*memory.At[bool](p) = v
	return ok && c == n.as
}

// textNode carries strings.
type textNode struct{ as *class }

func (n *textNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *textNode) usual() *class                                     { return n.as }
func (n *textNode) nullable() bool                                    { return false }

func (n *textNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	return w.text(*memory.At[string](p))
}

func (n *textNode) read(r *typedReader, c *class, p memory.Place) bool {
	if c != n.as {
		return false
	}
	s, ok := r.text()
	*memory.At[string](p) = s
	return ok
}

// charNode carries java.Char.
type charNode struct{ as *class }

func (n *charNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *charNode) usual() *class                                     { return n.as }
func (n *charNode) nullable() bool                                    { return false }

func (n *charNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	w.out = binary.LittleEndian.AppendUint16(w.out, uint16(*memory.At[java.Char](p)))
	return true
}

func (n *charNode) read(r *typedReader, c *class, p memory.Place) bool {
	b, ok := r.fixed(2)
	if !ok || c != n.as {
		return false
	}
	*memory.At[java.Char](p) = java.Char(binary.LittleEndian.Uint16(b))
	return true
}

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	elem reflect.Type
	kind reflect.Kind // of elem
	node typedNode
}

func (n *pointerNode) usual() *class {
	if n.node == nil {
		return nil // the type is being compiled, and contains itself
	}
	return n.node.usual()
}

func (n *pointerNode) nullable() bool { return true }

func (n *pointerNode) classOf(w *typedWriter, p memory.Place) (*class, bool) {
	to := memory.Pointee(p)
	if to == nil {
		return nil, true
	}
	c, ok := n.node.classOf(w, to)
	return c, ok && c != nil
}

func (n *pointerNode) write(w *typedWriter, c *class, p memory.Place) bool {
	if !w.enter(1) {
		return false
	}
	ok := n.node.write(w, c, memory.Pointee(p))
	w.depth--
	return ok
}

func (n *pointerNode) read(r *typedReader, c *class, p memory.Place) bool {
	to := memory.New(n.elem, n.kind)
	memory.SetPointer(p, to)
	return n.node.read(r, c, to)
}
