package marshalling

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

func writeString(e *encoder, _ *node, p memory.Place) bool {
	return e.string(*memory.At[string](p)) == nil
}

func writeBoxed(e *encoder, n *node, p memory.Place) bool {
	switch n.typ.Kind() {
	case reflect.Bool:
		return e.scalar(*memory.At[bool](p))
	case reflect.Int8:
		e.out = append(e.out, idByteValue, *memory.At[byte](p))
	case reflect.Int16:
		e.u8(idShortValue)
		e.u16(*memory.At[uint16](p))
	case reflect.Int32:
		e.u8(idIntegerValue)
		e.u32(*memory.At[uint32](p))
	case reflect.Int:
		v := *memory.At[int](p)
		e.u8(idIntegerValue)
		e.u32(uint32(v))
		return v == int(int32(v))
	case reflect.Int64:
		e.u8(idLongValue)
		e.u64(*memory.At[uint64](p))
	case reflect.Uint16: // a java.Char
		e.u8(idCharValue)
		e.u16(*memory.At[uint16](p))
	case reflect.Float32:
		e.u8(idFloatValue)
		e.u32(floatBits(*memory.At[float32](p)))
	case reflect.Float64:
		e.u8(idDoubleValue)
		e.u64(doubleBits(*memory.At[float64](p)))
	default:
		return false
	}
	return true
}

// bare writes a field of a primitive type.
func (e *encoder) bare(kind reflect.Kind, p memory.Place) bool {
	switch kind {
	case reflect.Bool:
		b := byte(0)
		if *memory.At[bool](p) {
			b = 1
		}
		e.u8(b)
	case reflect.Int8:
		e.u8(*memory.At[byte](p))
	case reflect.Int16, reflect.Uint16:
		e.u16(*memory.At[uint16](p))
	case reflect.Int32:
		e.u32(*memory.At[uint32](p))
	case reflect.Int:
		v := *memory.At[int](p)
		e.u32(uint32(v))
		return v == int(int32(v))
	case reflect.Int64:
		e.u64(*memory.At[uint64](p))
	case reflect.Float32:
		e.u32(floatBits(*memory.At[float32](p)))
	case reflect.Float64:
		e.u64(doubleBits(*memory.At[float64](p)))
	default:
		return false
	}
	return true
}

// variable is a Go variable that a pointer, slice or map leads to. It is one
// Java object wherever it occurs. Its node is part of it: a struct and its first
// field have one address.
type variable struct {
	at  memory.Place
	len int // of a slice
	as  *node
}

// again writes a reference to a variable that was written before. Else the next
// call of took notes it.
func (e *encoder) again(v variable) bool {
	if i, ok := e.variables.lookup(v); ok {
		e.back(i)
		return true
	}
	e.wanted = v
	return false
}

// took gives the object being written the next index.
func (e *encoder) took() {
	if e.wanted.at != nil {
		e.variables.put(e.wanted, e.size)
		e.wanted = variable{}
	}
	e.size++
}

func writePointer(e *encoder, n *node, p memory.Place) bool {
	at := memory.Pointee(p)
	if at == nil {
		e.u8(idNull)
		return true
	}
	if n.elem.write == nil {
		return false
	}
	if n.elem.size > 0 && e.again(variable{at: at, as: n.elem}) { // all values without size have one address
		return true
	}
	done := n.elem.write(e, n.elem, at)
	e.wanted = variable{} // where the value took no index
	return done
}

func writeBean(e *encoder, n *node, p memory.Place) bool {
	if e.enter() != nil {
		return false
	}
	defer e.leave()
	e.u8(idNewObject)
	if !e.classOf(n.bean.levels) {
		return false
	}
	e.took()
	for _, steps := range n.bean.steps {
		for _, f := range steps {
			at := memory.Field(p, f.offset)
			if f.primitive != 0 {
				if !e.bare(f.kind, at) {
					return false
				}
				continue
			}
			if f.node.write == nil || !f.node.write(e, f.node, at) {
				return false
			}
		}
	}
	return true
}

// writeTimeValue writes a value of java.time.
func writeTimeValue(e *encoder, n *node, p memory.Place) bool {
	wanted, index := e.wanted, e.size
	if e.value(memory.Value(n.typ, p).Interface()) != nil {
		return false
	}
	if e.size == index+1 {
		e.variables.put(wanted, index)
	}
	return true
}

func writeEnum(e *encoder, n *node, p memory.Place) bool {
	constant := *memory.At[string](p)
	return n.enum.Ordinal(constant) >= 0 && e.enum(java.Enum{Class: n.enum.Name, Name: constant}) == nil
}

func writeBytes(e *encoder, _ *node, p memory.Place) bool {
	_, err := e.primitiveArray(*memory.At[[]byte](p))
	return err == nil
}

func writePrimitives(e *encoder, n *node, p memory.Place) bool {
	_, err := e.primitiveArray(memory.Value(n.typ, p).Interface())
	return err == nil
}

func writeSlice(e *encoder, n *node, p memory.Place) bool {
	data, count := memory.Pointee(p), memory.Len(p)
	if data == nil {
		e.u8(idNull)
		return true
	}
	if count > 0 && n.elem.size > 0 && e.again(variable{data, count, n}) {
		return true
	}
	if n.elem.write == nil || e.enter() != nil {
		return false
	}
	defer e.leave()
	e.took()
	e.collectionHead(idArrayList, count)
	for i := range count {
		if !n.elem.write(e, n.elem, memory.Item(data, i, n.elem.size)) {
			return false
		}
	}
	return true
}
