package jdk

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// Whole returns the value of a signed integer of Go.
func Whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// SignedInteger returns the number that BigInteger.toByteArray wrote: two's complement, with the
// highest byte first; none are 0.
func SignedInteger(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// CompareIntegers is BigInteger.compareTo; nil is less than any.
func CompareIntegers(a, b *big.Int) int {
	switch {
	case a != nil && b != nil:
		return a.Cmp(b)
	case a != nil:
		return 1
	case b != nil:
		return -1
	}
	return 0
}

// CompareDecimals is BigDecimal.compareTo: by value, whatever the scales. It never
// makes numbers longer than the operands by more than a bounded part.
func CompareDecimals(x *big.Int, xScale int32, y *big.Int, yScale int32) int {
	if c := cmp.Compare(x.Sign(), y.Sign()); c != 0 || x.Sign() == 0 {
		return c
	}
	// The numbers of digits before the point decide, up to the error of the estimate.
	dx, dy := digitsEstimate(x)-float64(xScale), digitsEstimate(y)-float64(yScale)
	if dx > dy+2 || dx < dy-2 {
		return cmp.Compare(dx, dy) * x.Sign()
	}
	// The magnitudes are close: scales differ by no more than the digits do.
	if xScale < yScale {
		x = shifted(x, int64(yScale)-int64(xScale))
	} else {
		y = shifted(y, int64(xScale)-int64(yScale))
	}
	return x.Cmp(y)
}

// digitsEstimate returns the number of decimal digits of n, at most one off.
func digitsEstimate(n *big.Int) float64 { return float64(n.BitLen()) * 0.30102999566398119521 }

func shifted(n *big.Int, digits int64) *big.Int {
	return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
}

// HashInteger is BigInteger.hashCode: over the magnitude as ints, highest first.
func HashInteger(n *big.Int) int32 {
	if n == nil {
		return 0
	}
	var h int32
	bytes := n.Bytes()
	for at := 0; at < len(bytes); {
		end := at + 4
		if at == 0 && len(bytes)%4 != 0 {
			end = len(bytes) % 4
		}
		var word uint32
		for _, b := range bytes[at:end] {
			word = word<<8 | uint32(b)
		}
		h, at = 31*h+int32(word), end
	}
	return h * int32(n.Sign())
}

// DecimalText is BigDecimal.toString: plain digits where the scale is
// not negative and the exponent not below -6, else scientific notation.
func DecimalText(unscaled *big.Int, scale int32) string {
	digits := new(big.Int).Abs(unscaled).String()
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		return sign + digits
	}
	exponent := int64(len(digits)) - 1 - int64(scale)
	if scale > 0 && exponent >= -6 {
		if pad := int(scale) - len(digits) + 1; pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		point := len(digits) - int(scale)
		return sign + digits[:point] + "." + digits[point:]
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	if exponent == 0 {
		return sign + digits
	}
	text := strconv.FormatInt(exponent, 10)
	if exponent > 0 {
		text = "+" + text
	}
	return sign + digits + "E" + text
}

// maxNumberText bounds the digits that are read: making numbers of more takes long.
const maxNumberText = 40_000

// ParseInteger reads a whole number.
func ParseInteger(s string) (*big.Int, bool) {
	if len(s) > maxNumberText || strings.Contains(s, "_") {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

// ParseDecimal reads a decimal number as Java's BigDecimal does: 12.30 has
// scale 2, 1E+3 has scale -3.
func ParseDecimal(s string) (unscaled *big.Int, scale int32, ok bool) {
	if len(s) > maxNumberText {
		return nil, 0, false
	}
	mantissa, exponent := s, int64(0)
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(s[at+1:], 10, 64); err != nil || exponent > 1<<40 || exponent < -1<<40 {
			return nil, 0, false
		}
		mantissa = s[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if strings.Trim(digits, "+-") == "" || strings.LastIndexAny(digits, "+-") > 0 || fraction != "" && strings.ContainsAny(fraction[:1], "+-") {
		return nil, 0, false
	}
	unscaled, ok = ParseInteger(digits)
	places := int64(len(fraction)) - exponent
	return unscaled, int32(places), ok && places == int64(int32(places))
}
