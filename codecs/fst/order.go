package fst

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/java"
)

// sortFields puts fields into the order of the wire: booleans, then other
// primitives, then references; among them by simple name of the declared type,
// field name and declaring class (FSTClazzInfo.defFieldComparator).
func sortFields(fields []field) []field {
	slices.SortStableFunc(fields, func(a, b field) int {
		return cmp.Or(
			cmp.Compare(group(a), group(b)),
			compareText(a.simple, b.simple),
			compareText(a.name, b.name),
			compareText(a.level, b.level),
		)
	})
	return fields
}

func group(f field) int {
	switch f.kind {
	case kindBoolean:
		return 0
	case kindReference:
		return 2
	default:
		return 1
	}
}

// compareText is String.compareTo, which compares UTF-16 units. Only letters
// beyond U+FFFF make it differ from comparing bytes.
func compareText(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] >= 0xee || b[i] >= 0xee {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		}
	}
	return strings.Compare(a, b)
}

// simpleName is Class.getSimpleName: without package and outer classes, with []
// for each dimension. A class whose own name holds a $ cannot be told from a
// nested one; its descriptor then sorts wrongly.
func simpleName(t java.TypeExpr) string {
	s := t.Class[strings.LastIndexByte(t.Class, '.')+1:]
	if i := strings.LastIndexByte(s, '$'); i >= 0 && i < len(s)-1 {
		s = strings.TrimLeft(s[i+1:], "0123456789") // Outer$1Local is Local
	}
	return s + strings.Repeat("[]", t.Dims)
}
