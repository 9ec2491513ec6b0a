package kryo5

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// storeInt stores v in the integer variable of that kind at p; false where it does
// not fit.
func storeInt(kind reflect.Kind, p place, v int64) bool {
	switch kind {
	case reflect.Int64:
		*load[int64](p) = v
		return true
	case reflect.Int:
		*load[int](p) = int(v)
		return int64(int(v)) == v
	case reflect.Int32:
		*load[int32](p) = int32(v)
		return int64(int32(v)) == v
	case reflect.Int16:
		*load[int16](p) = int16(v)
		return int64(int16(v)) == v
	case reflect.Int8:
		*load[int8](p) = int8(v)
		return int64(int8(v)) == v
	}
	return v >= 0 && storeUint(kind, p, uint64(v))
}

func storeUint(kind reflect.Kind, p place, v uint64) bool {
	switch kind {
	case reflect.Uint8:
		*load[uint8](p) = uint8(v)
		return uint64(uint8(v)) == v
	case reflect.Uint16:
		*load[uint16](p) = uint16(v)
		return uint64(uint16(v)) == v
	case reflect.Uint32:
		*load[uint32](p) = uint32(v)
		return uint64(uint32(v)) == v
	case reflect.Uint64:
		*load[uint64](p) = v
		return true
	case reflect.Uint:
		*load[uint](p) = uint(v)
		return uint64(uint(v)) == v
	}
	return false
}

// loadInt returns the integer at p; false where Java has no such number.
func loadInt(kind reflect.Kind, p place) (int64, bool) {
	switch kind {
	case reflect.Int64:
		return *load[int64](p), true
	case reflect.Int:
		return int64(*load[int](p)), true
	case reflect.Int32:
		return int64(*load[int32](p)), true
	case reflect.Int16:
		return int64(*load[int16](p)), true
	case reflect.Int8:
		return int64(*load[int8](p)), true
	case reflect.Uint8:
		return int64(*load[uint8](p)), true
	case reflect.Uint16:
		return int64(*load[uint16](p)), true
	case reflect.Uint32:
		return int64(*load[uint32](p)), true
	case reflect.Uint64:
		v := *load[uint64](p)
		return int64(v), v <= math.MaxInt64
	case reflect.Uint:
		v := *load[uint](p)
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

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

func (n *intNode) classOf(*typedWriter, place) (*class, bool) { return n.as, true }
func (n *intNode) usual() *class                              { return n.as }
func (n *intNode) nullable() bool                             { return false }

func (n *intNode) write(w *typedWriter, c *class, p place) bool {
	v, ok := loadInt(n.kind, p)
	return ok && w.writeInt(c.id, v)
}

func (n *intNode) read(r *typedReader, c *class, p place) bool {
	v, ok := r.readInt(c.id)
	return ok && storeInt(n.kind, p, v)
}

// floatNode carries float64 and float32. As is the class they are written as; a
// float64 declared as Float is written where it is one.
type floatNode struct {
	double bool
	as     *class
}

func (n *floatNode) classOf(*typedWriter, place) (*class, bool) { return n.as, true }
func (n *floatNode) usual() *class                              { return n.as }
func (n *floatNode) nullable() bool                             { return false }

func (n *floatNode) write(w *typedWriter, c *class, p place) bool {
	switch {
	case n.double && c.id == idDouble:
		w.double(*load[float64](p))
	case !n.double && c.id == idFloat:
		w.float(*load[float32](p))
	case !n.double && c.id == idDouble:
		w.double(float64(*load[float32](p)))
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

func (n *floatNode) read(r *typedReader, c *class, p place) bool {
	switch {
	case n.double && c.id == idDouble:
		return r.readDouble(load[float64](p))
	case c.id == idFloat:
		b, ok := r.fixed(4)
		if !ok {
			return false
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		if n.double {
			*load[float64](p) = float64(v)
		} else {
			*load[float32](p) = v
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

func (n *boolNode) classOf(*typedWriter, place) (*class, bool) { return n.as, true }
func (n *boolNode) usual() *class                              { return n.as }
func (n *boolNode) nullable() bool                             { return false }

func (n *boolNode) write(w *typedWriter, _ *class, p place) bool {
	w.byte(flagByte(*load[bool](p)))
	return true
}

func (n *boolNode) read(r *typedReader, c *class, p place) bool {
	v, ok := r.flag()
	*load[bool](p) = v
	return ok && c == n.as
}

// textNode carries strings.
type textNode struct{ as *class }

func (n *textNode) classOf(*typedWriter, place) (*class, bool) { return n.as, true }
func (n *textNode) usual() *class                              { return n.as }
func (n *textNode) nullable() bool                             { return false }

func (n *textNode) write(w *typedWriter, _ *class, p place) bool { return w.text(*load[string](p)) }

func (n *textNode) read(r *typedReader, c *class, p place) bool {
	if c != n.as {
		return false
	}
	s, ok := r.text()
	*load[string](p) = s
	return ok
}

// charNode carries java.Char.
type charNode struct{ as *class }

func (n *charNode) classOf(*typedWriter, place) (*class, bool) { return n.as, true }
func (n *charNode) usual() *class                              { return n.as }
func (n *charNode) nullable() bool                             { return false }

func (n *charNode) write(w *typedWriter, _ *class, p place) bool {
	w.out = binary.LittleEndian.AppendUint16(w.out, uint16(*load[java.Char](p)))
	return true
}

func (n *charNode) read(r *typedReader, c *class, p place) bool {
	b, ok := r.fixed(2)
	if !ok || c != n.as {
		return false
	}
	*load[java.Char](p) = java.Char(binary.LittleEndian.Uint16(b))
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

func (n *pointerNode) classOf(w *typedWriter, p place) (*class, bool) {
	to := pointee(p)
	if to == nil {
		return nil, true
	}
	c, ok := n.node.classOf(w, to)
	return c, ok && c != nil
}

func (n *pointerNode) write(w *typedWriter, c *class, p place) bool {
	if !w.enter(1) {
		return false
	}
	ok := n.node.write(w, c, pointee(p))
	w.depth--
	return ok
}

func (n *pointerNode) read(r *typedReader, c *class, p place) bool {
	to := freshOf(n.elem, n.kind)
	setPointer(p, to)
	return n.node.read(r, c, to)
}
