package databind

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// parseDecimal reads text as Java's new BigDecimal(text) does.
func parseDecimal(text string) (java.BigDecimal, bool) {
	mantissa, exp, hasExp := strings.Cut(strings.ToLower(text), "e")
	var e int64
	if hasExp {
		var err error
		if e, err = javatext.ParseInt(exp, 32); err != nil {
			return java.BigDecimal{}, false
		}
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	n, ok := new(big.Int).SetString(whole+frac, 10)
	scale := int64(len(frac)) - e
	if !ok || strings.ContainsAny(mantissa, "_") || strings.ContainsAny(frac, "+-") || scale != int64(int32(scale)) {
		return java.BigDecimal{}, false
	}
	return java.BigDecimal{Unscaled: n, Scale: int32(scale)}, true
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
