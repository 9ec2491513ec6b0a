package java

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// numberText shows a number in an error message; a huge one by its size.
func numberText(v any) string {
	if b, ok := v.(*big.Int); ok && b.BitLen() > 256 {
		return fmt.Sprintf("a number of %d bits", b.BitLen())
	}
	return fmt.Sprint(v)
}

// textFault is an error about a text that does not say what it should. It does not quote
// the text, and costs nothing to make.
type textFault struct {
	length int
	due    string
}

// Error names what is due.
func (e textFault) Error() string {
	return fmt.Sprintf("a text of length %d is no %s", e.length, e.due)
}

// String returns d as BigDecimal.toString does: plain digits where the scale is
// not negative and the exponent not below -6, else scientific notation.
func (d BigDecimal) String() string {
	unscaled := d.Unscaled
	if unscaled == nil {
		unscaled = new(big.Int)
	}
	digits := new(big.Int).Abs(unscaled).String()
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if d.Scale == 0 {
		return sign + digits
	}
	exponent := int64(len(digits)) - 1 - int64(d.Scale)
	if d.Scale > 0 && exponent >= -6 {
		if pad := int(d.Scale) - len(digits) + 1; pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		point := len(digits) - int(d.Scale)
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
