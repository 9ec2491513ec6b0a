package jvm

import (
	"bytes"

	"github.com/duequeue/duequeue/codecs/java"
)

// Equal compares values of package java as Java's equals does: classes of maps and
// lists and the order of a map do not count, classes of numbers do. Arrays are
// compared by their elements.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case *java.Map:
		m, ok := b.(*java.Map)
		return ok && equalMaps(a, m)
	case *java.List:
		l, ok := b.(*java.List)
		return ok && equalLists(a.Elements, l.Elements)
	case []byte:
		other, ok := b.([]byte)
		return ok && bytes.Equal(a, other)
	}
	switch b.(type) {
	case *java.Map, *java.List, []byte:
		return false
	}
	return a == b
}

func equalMaps(a, b *java.Map) bool {
	if len(a.Entries) != len(b.Entries) {
		return false
	}
	for _, e := range a.Entries {
		v, found := b.Get(e.Key)
		if !found || !Equal(e.Value, v) {
			return false
		}
	}
	return true
}

func equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
