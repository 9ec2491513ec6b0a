package kryo5

import (
	"encoding/binary"
	"math"
)

func (e *encoder) fixed32(v uint32) { e.out = binary.LittleEndian.AppendUint32(e.out, v) }

func (e *encoder) fixed64(v uint64) { e.out = binary.LittleEndian.AppendUint64(e.out, v) }

// floatBits and doubleBits write every NaN as Java's canonical one.
func floatBits(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

func doubleBits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}
