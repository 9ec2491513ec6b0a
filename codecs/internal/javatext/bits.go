package javatext

import "math"

// FloatBits returns what Float.floatToIntBits does: every NaN has the same bits.
func FloatBits(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

// DoubleBits returns what Double.doubleToLongBits does: every NaN has the same bits.
func DoubleBits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}
