package java

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// compareRest is Comparable.compareTo of the values that are seldom keys. Where
// Java knows no order, or calls unequal values equal, it goes on by their parts.
func compareRest(a, b any) int {
	switch a := a.(type) {
	case *big.Int:
		return compareBig(a, b.(*big.Int))
	case BigDecimal:
		other := b.(BigDecimal)
		return cmp.Or(compareDecimal(a, other), cmp.Compare(a.Scale, other.Scale))
	case UUID:
		am, al := a.Longs()
		bm, bl := b.(UUID).Longs()
		return cmp.Or(cmp.Compare(am, bm), cmp.Compare(al, bl))
	case Enum:
		other := b.(Enum)
		return cmp.Or(cmp.Compare(a.Ordinal, other.Ordinal), strings.Compare(a.Name, other.Name))
	case Text:
		return strings.Compare(a.Value, b.(Text).Value)
	case ClassRef:
		return strings.Compare(string(a), string(b.(ClassRef)))
	case *BitSet:
		return slices.Compare(a.Words, b.(*BitSet).Words)
	}
	return compareTime(a, b)
}

func compareTime(a, b any) int {
	switch a := a.(type) {
	case Date:
		other := b.(Date)
		return cmp.Or(cmp.Compare(a.Millis, other.Millis), cmp.Compare(a.Nanos, other.Nanos))
	case Instant:
		other := b.(Instant)
		return cmp.Or(cmp.Compare(a.Seconds, other.Seconds), cmp.Compare(a.Nanos, other.Nanos))
	case Duration:
		other := b.(Duration)
		return cmp.Or(cmp.Compare(a.Seconds, other.Seconds), cmp.Compare(a.Nanos, other.Nanos))
	case LocalDate:
		return a.compare(b.(LocalDate))
	case LocalTime:
		return cmp.Compare(a.nanoOfDay(), b.(LocalTime).nanoOfDay())
	case LocalDateTime:
		other := b.(LocalDateTime)
		return cmp.Or(a.Date.compare(other.Date), cmp.Compare(a.Time.nanoOfDay(), other.Time.nanoOfDay()))
	case ZoneOffset:
		return cmp.Compare(b.(ZoneOffset), a) // Java puts the east first
	case OffsetTime:
		other := b.(OffsetTime)
		return cmp.Or(cmp.Compare(a.utcNanos(), other.utcNanos()), cmp.Compare(a.Time.nanoOfDay(), other.Time.nanoOfDay()))
	case OffsetDateTime:
		other := b.(OffsetDateTime)
		return cmp.Or(a.GoTime().Compare(other.GoTime()), cmp.Compare(a.Time.nanoOfDay(), other.Time.nanoOfDay()), a.Date.compare(other.Date))
	case ZonedDateTime:
		return a.compare(b.(ZonedDateTime))
	case Year:
		return cmp.Compare(a, b.(Year))
	case YearMonth:
		other := b.(YearMonth)
		return cmp.Or(cmp.Compare(a.Year, other.Year), cmp.Compare(a.Month, other.Month))
	case MonthDay:
		other := b.(MonthDay)
		return cmp.Or(cmp.Compare(a.Month, other.Month), cmp.Compare(a.Day, other.Day))
	case Period:
		other := b.(Period)
		return cmp.Or(cmp.Compare(a.Years, other.Years), cmp.Compare(a.Months, other.Months), cmp.Compare(a.Days, other.Days))
	}
	return 0
}

func (d LocalDate) compare(other LocalDate) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

func (t OffsetTime) utcNanos() int64 { return t.Time.nanoOfDay() - int64(t.Offset)*1e9 }

// compare orders by instant where both are known, then as Java does by local time
// and zone id.
func (t ZonedDateTime) compare(other ZonedDateTime) int {
	local := OffsetDateTime{t.Date, t.Time, t.Offset}
	otherLocal := OffsetDateTime{other.Date, other.Time, other.Offset}
	return cmp.Or(compareTime(local, otherLocal), strings.Compare(t.Zone, other.Zone))
}

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

// isComparable reports whether a class that can be a key has an order in Java.
func isComparable(v any) bool {
	switch v := v.(type) {
	case *BitSet, Period, ClassRef, Locale, Pattern:
		return false
	case Text:
		return v.Class == "java.net.URI"
	}
	return true
}

// sortedCompare is compareTo as sorted classes use it: values that Java calls equal
// are one there.
func sortedCompare(a, b any) int {
	if x, ok := a.(BigDecimal); ok {
		return compareDecimal(x, b.(BigDecimal))
	}
	return treeCompare(a, b)
}
