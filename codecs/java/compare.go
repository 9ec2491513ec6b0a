package java

import (
	"cmp"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// CompareKeys is the order in which the keys of a Go map are put into Java's
// HashMap before its own order is simulated. Values of one kind compare by
// value: strings as Go compares them (bytes of UTF-8, which is code point
// order), numbers numerically with -0.0 before 0.0 and NaN last, false before
// true, numbers of any size and dates as Java's compareTo does, constants of an
// enum by ordinal. Null comes first; different kinds compare by their Java class
// name, and values without an order of their own are all equal.
func CompareKeys(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(notNil(a), notNil(b))
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return strings.Compare(s, t)
		}
	}
	if c := strings.Compare(ClassOf(a), ClassOf(b)); c != 0 {
		return c
	}
	return compareComparable(a, b)
}

func notNil(v any) int {
	if v == nil {
		return 0
	}
	return 1
}

// compareComparable is Comparable.compareTo between two values of one class,
// except that it orders strings by code point; compareTo is utf16Compare.
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
	x, ok := wide(a)
	if !ok {
		return jdk.Compare(a, b)
	}
	y, _ := wide(b)
	return cmp.Compare(x, y)
}

func wide(v any) (int64, bool) {
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
	case Char:
		return int64(v), true
	}
	return 0, false
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

// utf16Compare is String.compareTo. UTF-8 order differs from it only where one
// string has a code point above U+FFFF and the other one from U+E000 on.
func utf16Compare(a, b string) int {
	for a != "" && b != "" {
		r, n := javatext.DecodeRune(a)
		s, m := javatext.DecodeRune(b)
		if r != s {
			return cmp.Compare(utf16Rank(r), utf16Rank(s))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// utf16Rank orders code points as their UTF-16 units order: those above U+FFFF
// begin with a surrogate, below U+E000.
func utf16Rank(r rune) int64 {
	if r > 0xffff {
		r -= 0x10000
		return int64(0xd800+r>>10)<<16 | int64(0xdc00+r&0x3ff)
	}
	return int64(r) << 16
}
