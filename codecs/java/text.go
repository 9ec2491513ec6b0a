package java

import (
	"fmt"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

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
func (d BigDecimal) String() string { return jdk.DecimalText(d.unscaled(), d.Scale) }

// ParseBigDecimal reads a decimal number as Java's BigDecimal does: 12.30 has
// scale 2, 1E+3 has scale -3.
func ParseBigDecimal(s string) (BigDecimal, error) {
	unscaled, scale, ok := jdk.ParseDecimal(s)
	if !ok {
		return BigDecimal{}, textFault{len(s), "decimal number"}
	}
	return BigDecimal{Unscaled: unscaled, Scale: scale}, nil
}

func parseBigInteger(s string) (any, error) {
	n, ok := jdk.ParseInteger(s)
	if !ok {
		return nil, textFault{len(s), "integer"}
	}
	return n, nil
}

func (d BigDecimal) unscaled() *big.Int {
	if d.Unscaled == nil {
		return new(big.Int)
	}
	return d.Unscaled
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
