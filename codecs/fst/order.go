package fst

import (
	"cmp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// sortFields puts fields into the order of the wire: booleans, then other
// primitives, then references; among them by simple name of the declared type,
// field name and declaring class (FSTClazzInfo.defFieldComparator).
func sortFields(fields []field) []field {
	slices.SortStableFunc(fields, func(a, b field) int {
		return cmp.Or(
			cmp.Compare(group(a), group(b)),
			serial.CompareNames(a.simple, b.simple),
			serial.CompareNames(a.name, b.name),
			serial.CompareNames(a.level, b.level),
		)
	})
	return fields
}

func group(f field) int {
	switch f.kind {
	case 'Z':
		return 0
	case 0:
		return 2
	}
	return 1
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
