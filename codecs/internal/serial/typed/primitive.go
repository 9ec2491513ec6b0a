package typed

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
)

type place = memory.Place

// Width returns the bytes of a primitive.
func Width(code byte) int { return int(widths[code]) }

var widths = [256]uint8{'Z': 1, 'B': 1, 'S': 2, 'C': 2, 'I': 4, 'F': 4, 'J': 8, 'D': 8}

// Store reads a primitive into the variable at p, where its kind holds it without loss.
// Java's only type without a sign is char.
func (c *Cursor) Store(code byte, to reflect.Kind, p place) bool {
	width := int(widths[code])
	if len(c.In)-c.At < width {
		return false
	}
	b := c.In[c.At:]
	c.At += width
	switch code {
	case 'J':
		return memory.StoreInt(to, p, int64(binary.BigEndian.Uint64(b)))
	case 'I':
		return memory.StoreInt(to, p, int64(int32(binary.BigEndian.Uint32(b))))
	case 'Z':
		if to == reflect.Bool {
			*memory.At[bool](p) = b[0] != 0
		}
		return to == reflect.Bool
	case 'S':
		return memory.StoreInt(to, p, int64(int16(binary.BigEndian.Uint16(b))))
	case 'B':
		return memory.StoreInt(to, p, int64(int8(b[0])))
	case 'D':
		if to == reflect.Float64 {
			*memory.At[float64](p) = math.Float64frombits(binary.BigEndian.Uint64(b))
		}
		return to == reflect.Float64
	case 'F':
		f := math.Float32frombits(binary.BigEndian.Uint32(b))
		switch to {
		case reflect.Float32:
			*memory.At[float32](p) = f
			return true
		case reflect.Float64:
			*memory.At[float64](p) = float64(f)
			return f == f
		}
	}
	return false
}

// StoreIn is Store for the variable of a node: a char goes into a java.Char, and
// nothing else does; a pointer points to a new variable.
func (n *Node[R, W]) StoreIn(c *Cursor, code byte, p place) bool {
	if n.kind == reflect.Pointer && n.Elem != nil && n.Elem.scalar() {
		made := memory.New(n.Elem.Type, n.Elem.kind)
		memory.SetPointer(p, made)
		return n.Elem.StoreIn(c, code, made)
	}
	if code != 'C' && n.Type != charType {
		return c.Store(code, n.kind, p)
	}
	if code != 'C' || n.Type != charType || len(c.In)-c.At < 2 {
		return false
	}
	*memory.At[uint16](p) = binary.BigEndian.Uint16(c.In[c.At:])
	c.At += 2
	return true
}

// CodeOf returns the primitive that a Go type is written as, 0 for none.
func CodeOf(t reflect.Type) byte {
	if t == charType {
		return 'C'
	}
	return codes[t.Kind()]
}

var codes = [reflect.UnsafePointer + 1]byte{
	reflect.Bool: 'Z', reflect.Int8: 'B', reflect.Int16: 'S', reflect.Int32: 'I', reflect.Int: 'I', reflect.Int64: 'J',
	reflect.Uint8: 'S', reflect.Uint16: 'I', reflect.Uint: 'I', reflect.Uint32: 'J', reflect.Uint64: 'J',
	reflect.Float32: 'F', reflect.Float64: 'D',
}

// Append writes the number or boolean at p as a primitive, that of [CodeOf]; with
// javaNaN, every NaN as Java's. False says that the primitive does not hold the number.
func Append(out *[]byte, code byte, kind reflect.Kind, p place, javaNaN bool) bool {
	switch kind {
	case reflect.Bool:
		b := byte(0)
		if *memory.At[bool](p) {
			b = 1
		}
		*out = append(*out, b)
	case reflect.Int8:
		*out = append(*out, *memory.At[byte](p))
	case reflect.Int16:
		*out = binary.BigEndian.AppendUint16(*out, *memory.At[uint16](p))
	case reflect.Int32:
		*out = binary.BigEndian.AppendUint32(*out, *memory.At[uint32](p))
	case reflect.Int:
		v := *memory.At[int](p)
		*out = binary.BigEndian.AppendUint32(*out, uint32(v))
		return v == int(int32(v))
	case reflect.Int64:
		*out = binary.BigEndian.AppendUint64(*out, *memory.At[uint64](p))
	case reflect.Float32:
		bits := math.Float32bits(*memory.At[float32](p))
		if javaNaN && bits&^(1<<31) > 0x7f800000 {
			bits = 0x7fc00000
		}
		*out = binary.BigEndian.AppendUint32(*out, bits)
	case reflect.Float64:
		bits := math.Float64bits(*memory.At[float64](p))
		if javaNaN && bits&^(1<<63) > 0x7ff0000000000000 {
			bits = 0x7ff8000000000000
		}
		*out = binary.BigEndian.AppendUint64(*out, bits)
	case reflect.Uint8:
		*out = append(*out, 0, *memory.At[byte](p))
	case reflect.Uint16:
		if code == 'I' {
			*out = append(*out, 0, 0)
		}
		*out = binary.BigEndian.AppendUint16(*out, *memory.At[uint16](p))
	default:
		n, ok := memory.LoadInt(kind, p)
		if code == 'I' {
			*out = binary.BigEndian.AppendUint32(*out, uint32(n))
			return ok && n == int64(int32(n))
		}
		*out = binary.BigEndian.AppendUint64(*out, uint64(n))
		return ok
	}
	return true
}
