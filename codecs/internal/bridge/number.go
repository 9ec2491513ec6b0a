package bridge

import (
	"math"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

const maxExact = 1 << 53 // integers up to here are exact in a float64

// integer returns the value of a Java integer type.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case java.Char:
		return int64(v), true
	case *big.Int:
		if v != nil && v.IsInt64() {
			return v.Int64(), true
		}
	}
	return 0, false
}

func isInteger(v any) bool {
	switch v.(type) {
	case int8, int16, int32, int64, java.Char, *big.Int:
		return true
	}
	return false
}

// fractions are the classes of numbers that need not be whole, which a Go integer may
// be declared as.
var fractions = map[string]bool{"java.lang.Float": true, "java.lang.Double": true, "java.math.BigDecimal": true}

// wholeNumber returns a number of one of the classes in fractions as a whole one, if it
// is, and all other values as they are.
func wholeNumber(v any) any {
	const maxScale = 1000 // more takes time, and whole numbers are not written so
	switch n := v.(type) {
	case float32:
		return wholeNumber(float64(n))
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<63 {
			return int64(n)
		}
	case java.BigDecimal:
		switch {
		case n.Unscaled == nil:
			return int64(0)
		case n.Scale == 0:
			return n.Unscaled
		case n.Scale > maxScale || n.Scale < -maxScale:
			return v
		}
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(int64(n.Scale), -int64(n.Scale))), nil)
		if n.Scale < 0 {
			return power.Mul(power, n.Unscaled)
		}
		if whole, rest := power.QuoRem(n.Unscaled, power, new(big.Int)); rest.Sign() == 0 {
			return whole
		}
	}
	return v
}

func assignInt(v any, dst reflect.Value) error {
	n, ok := integer(v)
	switch {
	case !isInteger(v):
		return mismatch(v, dst)
	case !ok || dst.OverflowInt(n):
		return Misfit(java.ClassOf(v), dst.Type(), "the number does not fit")
	}
	dst.SetInt(n)
	return nil
}

func assignUint(v any, dst reflect.Value) error {
	if b, ok := v.(*big.Int); ok && b != nil && b.IsUint64() && !dst.OverflowUint(b.Uint64()) {
		dst.SetUint(b.Uint64())
		return nil
	}
	n, ok := integer(v)
	switch {
	case !isInteger(v):
		return mismatch(v, dst)
	case !ok || n < 0 || dst.OverflowUint(uint64(n)):
		return Misfit(java.ClassOf(v), dst.Type(), "the number does not fit")
	}
	dst.SetUint(uint64(n))
	return nil
}

func assignFloat(v any, dst reflect.Value) error {
	var f float64
	switch n := v.(type) {
	case float64:
		f = n
	case float32:
		f = float64(n)
	case java.Char:
		return mismatch(v, dst)
	default:
		i, ok := integer(v)
		if !isInteger(v) {
			return mismatch(v, dst)
		}
		if !ok || i > maxExact || i < -maxExact {
			return Misfit(java.ClassOf(v), dst.Type(), "the number is not exact as a float")
		}
		f = float64(i)
	}
	if dst.Kind() == reflect.Float32 && float64(float32(f)) != f && !math.IsNaN(f) {
		return Misfit(java.ClassOf(v), dst.Type(), "the number is not exact as a float32")
	}
	dst.SetFloat(f)
	return nil
}

// mismatch is the error for a value of the wrong kind.
func mismatch(v any, dst reflect.Value) error {
	class, reason := java.ClassOf(v), "the kinds differ"
	switch {
	case class == java.ReferenceClass:
		reason = ReferenceReason(v)
	case v == nil:
		reason = NullReason
	case class == "":
		reason = "the value " + reflect.TypeOf(v).String() + " is no Java value"
	}
	return Misfit(class, dst.Type(), reason)
}
