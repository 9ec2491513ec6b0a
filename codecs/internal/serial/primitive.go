package serial

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// Primitives and arrays of them stand in both streams as Java's DataOutput writes them. Their
// types are those of the JVM's signatures: Z, B, S, C, I, F, J and D.

// Width returns how many bytes a primitive has; 0 for what is none.
func Width(code byte) int {
	switch code {
	case 'Z', 'B':
		return 1
	case 'S', 'C':
		return 2
	case 'I', 'F':
		return 4
	case 'J', 'D':
		return 8
	}
	return 0
}

// Primitive returns the value whose bytes are b.
func Primitive(code byte, b []byte) any {
	switch code {
	case 'Z':
		return b[0] != 0
	case 'B':
		return int8(b[0])
	case 'S':
		return int16(binary.BigEndian.Uint16(b))
	case 'C':
		return java.Char(binary.BigEndian.Uint16(b))
	case 'I':
		return int32(binary.BigEndian.Uint32(b))
	case 'F':
		return math.Float32frombits(binary.BigEndian.Uint32(b))
	case 'J':
		return int64(binary.BigEndian.Uint64(b))
	default:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
}

// Primitives returns the array whose elements are in b.
func Primitives(code byte, b []byte) any {
	switch code {
	case 'Z':
		return each(b, 1, func(b []byte) bool { return b[0] != 0 })
	case 'B':
		return append([]byte{}, b...)
	case 'S':
		return each(b, 2, func(b []byte) int16 { return int16(binary.BigEndian.Uint16(b)) })
	case 'C':
		return each(b, 2, func(b []byte) java.Char { return java.Char(binary.BigEndian.Uint16(b)) })
	case 'I':
		return each(b, 4, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) })
	case 'F':
		return each(b, 4, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) })
	case 'J':
		return each(b, 8, func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) })
	default:
		return each(b, 8, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) })
	}
}

func each[T any](b []byte, size int, read func(b []byte) T) []T {
	out := make([]T, len(b)/size)
	for i := range out {
		out[i] = read(b[i*size:])
	}
	return out
}

// AppendPrimitive appends the bytes of a primitive; nothing for what is none.
func AppendPrimitive(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(dst, 1)
		}
		return append(dst, 0)
	case int8:
		return append(dst, byte(v))
	case int16:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case java.Char:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case int32:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	case float32:
		return binary.BigEndian.AppendUint32(dst, javatext.FloatBits(v))
	case int64:
		return binary.BigEndian.AppendUint64(dst, uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(dst, javatext.DoubleBits(v))
	}
	return dst
}

// ArrayOf returns the signature and the number of the elements of an array of primitives;
// empty for what is none.
func ArrayOf(v any) (signature string, n int) {
	if class := java.ClassOf(v); len(class) == 2 && class[0] == '[' {
		return class[1:], reflect.ValueOf(v).Len()
	}
	return "", 0
}

// AppendPrimitives appends the elements of an array of primitives.
func AppendPrimitives(dst []byte, v any) []byte {
	switch v := v.(type) {
	case []byte:
		return append(dst, v...)
	case []bool:
		return appendEach(dst, v)
	case []int16:
		return appendEach(dst, v)
	case []java.Char:
		return appendEach(dst, v)
	case []int32:
		return appendEach(dst, v)
	case []float32:
		return appendEach(dst, v)
	case []int64:
		return appendEach(dst, v)
	case []float64:
		return appendEach(dst, v)
	}
	return dst
}

func appendEach[T any](dst []byte, s []T) []byte {
	for _, v := range s {
		dst = AppendPrimitive(dst, v)
	}
	return dst
}
