package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// primitiveArray writes arrays of primitives.
func (e *encoder) primitiveArray(v any) (bool, error) {
	switch v := v.(type) {
	case []byte:
		writeArray(e, v, idByte, func(v []byte) { e.Out = append(e.Out, v...) })
	case []bool:
		writeArray(e, v, idBoolean, e.bits)
	case []int16:
		writeArray(e, v, idShort, each(func(n int16) { e.u16(uint16(n)) }))
	case []int32:
		writeArray(e, v, idInt, each(func(n int32) { e.u32(uint32(n)) }))
	case []int64:
		writeArray(e, v, idLong, each(func(n int64) { e.u64(uint64(n)) }))
	case []java.Char:
		writeArray(e, v, idChar, each(func(n java.Char) { e.u16(uint16(n)) }))
	case []float32:
		writeArray(e, v, idFloat, each(func(n float32) { e.u32(javatext.FloatBits(n)) }))
	case []float64:
		writeArray(e, v, idDouble, each(func(n float64) { e.u64(javatext.DoubleBits(n)) }))
	default:
		return false, nil
	}
	return true, nil
}

func each[T any](write func(T)) func([]T) {
	return func(values []T) {
		for _, v := range values {
			write(v)
		}
	}
}

func writeArray[T any](e *encoder, v []T, kind byte, body func([]T)) {
	if v == nil {
		e.u8(idNull)
		return
	}
	if e.seen(v) {
		return
	}
	e.count(idArrayEmpty+e.unsharedForms(), len(v))
	e.u8(kind)
	body(v)
}

// bits packs booleans, the first one lowest.
func (e *encoder) bits(v []bool) {
	for i, b := range v {
		if i%8 == 0 {
			e.u8(0)
		}
		if b {
			e.Out[len(e.Out)-1] |= 1 << (i % 8)
		}
	}
}
