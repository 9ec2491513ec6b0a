package msgpack

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// lowerDecimal returns what Java writes for a BigDecimal: an integer (n is not nil)
// if it is one of up to 64 bits, else the double that shows the same number.
func lowerDecimal(d java.BigDecimal) (n *big.Int, f float64, ok bool) {
	unscaled := d.Unscaled
	if unscaled == nil || unscaled.Sign() == 0 {
		return new(big.Int), 0, true
	}
	// A double shows 17 digits and 64 bits hold 20; a number of many more digits may
	// still be followed by zeros.
	const digitsAtMost = 1000
	if unscaled.BitLen() > digitsAtMost*4 {
		return nil, 0, false
	}
	digits := new(big.Int).Abs(unscaled).String()
	stripped := strings.TrimRight(digits, "0")
	// The number is stripped × 10^exponent.
	exponent := int64(len(digits)-len(stripped)) - int64(d.Scale)
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if exponent >= 0 && int64(len(stripped))+exponent <= 20 {
		n, _ = new(big.Int).SetString(sign+stripped+strings.Repeat("0", int(exponent)), 10)
		if n.IsInt64() || n.IsUint64() {
			return n, 0, true
		}
	}
	f, err := strconv.ParseFloat(sign+stripped+"e"+strconv.FormatInt(exponent, 10), 64)
	if err != nil || f == 0 || math.IsInf(f, 0) {
		return nil, 0, false
	}
	return nil, f, sameDigits(f, stripped, exponent)
}

// shortDecimal is lowerDecimal for most decimals there are, those of up to 15 digits: a
// whole number n, or a fraction f. Each such fraction has a double of its own, which
// shows these digits; both numbers are exact and the quotient is rounded once.
func shortDecimal(d java.BigDecimal) (n int64, f float64, ok bool) {
	if d.Unscaled == nil || !d.Unscaled.IsInt64() || d.Scale < 0 || int(d.Scale) >= len(powers) {
		return 0, 0, false
	}
	n = d.Unscaled.Int64()
	if n <= -1e15 || n >= 1e15 {
		return 0, 0, false
	}
	q := float64(n) / powers[d.Scale]
	if q == math.Trunc(q) {
		return int64(q), 0, true
	}
	return 0, q, true
}

// powers are the powers of ten that are doubles.
var powers = func() (t [23]float64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = 10 * t[i-1]
	}
	return t
}()

// sameDigits reports whether |f|, as Java shows it, is digits × 10^exponent. JDKs
// before 19 show a few doubles by more digits than they need, which they refuse.
func sameDigits(f float64, digits string, exponent int64) bool {
	text, exp, _ := strings.Cut(string(javatext.AppendDouble(nil, math.Abs(f))), "E")
	e := int64(0)
	if exp != "" {
		var err error
		if e, err = strconv.ParseInt(exp, 10, 32); err != nil {
			return false
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	shown := whole + fraction
	e -= int64(len(fraction))
	stripped := strings.TrimRight(shown, "0")
	e += int64(len(shown) - len(stripped))
	return strings.TrimLeft(stripped, "0") == digits && e == exponent
}
