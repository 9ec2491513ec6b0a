package keyorder

import (
	"cmp"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// Compare is the order in which the keys of a Go map are put into Java's
// HashMap before its own order is simulated. Values of one kind compare by
// value: strings as Go compares them (bytes of UTF-8, which is code point
// order), numbers numerically with -0.0 before 0.0 and NaN last, false before
// true, numbers of any size and dates as Java's compareTo does, constants of an
// enum by ordinal. Null comes first; different kinds compare by their Java class
// name, and values without an order of their own are all equal.
func Compare(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return strings.Compare(s, t)
		}
	}
	if c := strings.Compare(jdk.Class(a), jdk.Class(b)); c != 0 {
		return c
	}
	return compareComparable(a, b)
}

// compareComparable is Comparable.compareTo between two values of one class,
// except that it orders strings by code point; compareTo is [javatext.Compare].
func compareComparable(a, b any) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		return cmp.Compare(boolInt(a), boolInt(b.(bool)))
	case float32:
		return compareDouble(float64(a), float64(b.(float32)))
	case float64:
		return compareDouble(a, b.(float64))
	}
	x, ok := jdk.Whole(a)
	if !ok {
		return jdk.Compare(a, b)
	}
	y, _ := jdk.Whole(b)
	return cmp.Compare(x, y)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareDouble is Double.compare: -0.0 < 0.0 and NaN above all.
func compareDouble(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return cmp.Compare(doubleRank(a), doubleRank(b))
}

func doubleRank(f float64) int64 {
	switch {
	case f != f:
		return 1
	case f == 0 && 1/f < 0:
		return -1
	}
	return 0
}
