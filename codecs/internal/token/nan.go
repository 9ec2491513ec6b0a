package token

import "math"

// JavaFloat64 returns f, and Java's Double.NaN for [math.NaN], which has other bits:
// binary formats write the bits. Other NaNs keep theirs, as in Java's generators. (A
// float32 made of math.NaN is Java's Float.NaN already.)
func JavaFloat64(f float64) float64 {
	const gos, javas = 0x7ff8000000000001, 0x7ff8000000000000
	if math.Float64bits(f) == gos {
		return math.Float64frombits(javas)
	}
	return f
}
