package java

import (
	"cmp"
	"math/big"
)

func compareBig(a, b *big.Int) int {
	if a == nil || b == nil {
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	}
	return a.Cmp(b)
}

// compareDecimal is BigDecimal.compareTo: by value, whatever the scales. It never
// makes numbers longer than the operands by more than a bounded part.
func compareDecimal(a, b BigDecimal) int {
	x, y := a.unscaled(), b.unscaled()
	if c := cmp.Compare(x.Sign(), y.Sign()); c != 0 || x.Sign() == 0 {
		return c
	}
	// The numbers of digits before the point decide, up to the error of the estimate.
	dx, dy := digitsEstimate(x)-float64(a.Scale), digitsEstimate(y)-float64(b.Scale)
	if dx > dy+2 || dx < dy-2 {
		return cmp.Compare(dx, dy) * x.Sign()
	}
	// The magnitudes are close: scales differ by no more than the digits do.
	if a.Scale < b.Scale {
		x = shifted(x, int64(b.Scale)-int64(a.Scale))
	} else {
		y = shifted(y, int64(a.Scale)-int64(b.Scale))
	}
	return x.Cmp(y)
}

func (d BigDecimal) unscaled() *big.Int {
	if d.Unscaled == nil {
		return new(big.Int)
	}
	return d.Unscaled
}

// digitsEstimate returns the number of decimal digits of n, at most one off.
func digitsEstimate(n *big.Int) float64 { return float64(n.BitLen()) * 0.30102999566398119521 }

func shifted(n *big.Int, digits int64) *big.Int {
	return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
