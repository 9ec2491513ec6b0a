package marshalling

import (
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
	"github.com/duequeue/duequeue/codecs/java"
)

func writeText(e *encoder, _ *node, p memory.Place) bool {
	return e.string(*memory.At[string](p)) == nil
}

func writeBox(e *encoder, n *node, p memory.Place) bool {
	switch n.Kind() {
	case reflect.Bool:
		return e.scalar(*memory.At[bool](p))
	case reflect.Int8:
		e.Out = append(e.Out, idByteValue, *memory.At[byte](p))
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
	case reflect.Uint16:
		if n.Type != reflect.TypeFor[java.Char]() {
			return false
		}
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

func writeEnum(e *encoder, n *node, p memory.Place) bool {
	constant := *memory.At[string](p)
	return n.Enum.Ordinal(constant) >= 0 && e.enum(java.Enum{Class: n.Enum.Name, Name: constant}) == nil
}

// Integer implements [typed.Writer]. Small ones are constants in Java.
func (e *encoder) Integer(class any, v *big.Int) bool {
	var constant serial.ID
	if v.IsInt64() && v.Int64() >= -16 && v.Int64() <= 16 {
		constant = serial.Identity(serial.SmallInteger(v))
		if i, ok := e.objects.lookup(constant); ok {
			e.back(i)
			return true
		}
	}
	if e.u8(idNewObject); !e.classOf(class.(*levels)) {
		return false
	}
	e.objects.put(constant, e.size)
	e.size++
	e.Out = append(e.Out, typed.NotComputed...)
	size := (v.BitLen() + 7) / 8
	e.count(idArrayEmpty, size)
	e.u8(idByte)
	e.size++
	start := len(e.Out)
	e.Out = append(e.Out, make([]byte, size)...)
	v.FillBytes(e.Out[start:])
	e.u32(uint32(int32(v.Sign())))
	e.u8(idBlockEnd)
	return true
}

func writeAny(e *encoder, n *node, v any) bool {
	switch v := v.(type) {
	case nil:
		e.u8(idNull)
		return true
	case string:
		return e.string(v) == nil
	case int:
		e.u8(idIntegerValue)
		e.u32(uint32(v))
		return v == int(int32(v))
	case bool, int8, int16, int32, int64, float32, float64, java.Char:
		return e.scalar(v)
	}
	return n.Container(e, v)
}
