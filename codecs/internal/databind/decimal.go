package databind

import (
	"math"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// parseDecimal reads text as Java's new BigDecimal(text) does.
func parseDecimal(text string) (java.BigDecimal, bool) {
	d, err := java.ParseBigDecimal(text)
	return d, err == nil
}

// javaFloat reads text as a Double or, for its class, a Float.
func javaFloat(text, class string) (any, bool) {
	f, err := javatext.ParseDouble(text)
	if err != nil {
		return nil, false
	}
	if class != "java.lang.Float" {
		return f, true
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return float32(f), true
	}
	// Rounding twice, by way of a double, may differ in the last bit.
	if g, err := strconv.ParseFloat(text, 32); err == nil {
		return float32(g), true
	}
	return float32(f), true
}

// character returns the Character that a string of one UTF-16 unit or a code
// stands for.
func character(v any) (java.Char, bool) {
	switch v := v.(type) {
	case int32:
		return java.Char(v), v >= 0 && v <= math.MaxUint16
	case string:
		c, n := javatext.DecodeRune(v)
		return java.Char(c), n > 0 && n == len(v) && c <= math.MaxUint16
	}
	return 0, false
}
