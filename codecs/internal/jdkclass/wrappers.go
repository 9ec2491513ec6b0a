// Package jdkclass holds what several codecs know of classes of the JDK and of Kotlin, apart
// from bytes.
package jdkclass

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// The beginnings of the names of the wrappers in java.util.Collections.
const (
	Unmodifiable = "java.util.Collections$Unmodifiable"
	Synchronized = "java.util.Collections$Synchronized"
)

// immutable begins the names of what List.of and its kin return.
const immutable = "java.util.ImmutableCollections$"

// What emptyList(), emptySet() and emptyMap() of Kotlin return.
const (
	KotlinEmptyList = "kotlin.collections.EmptyList"
	KotlinEmptySet  = "kotlin.collections.EmptySet"
	KotlinEmptyMap  = "kotlin.collections.EmptyMap"
)

// randomAccess are the lists whose wrappers have a class of their own.
var randomAccess = map[string]bool{
	java.ClassArrayList: true, "java.util.Vector": true, "java.util.Stack": true, "java.util.concurrent.CopyOnWriteArrayList": true,
	"java.util.Arrays$ArrayList": true, immutable + "List12": true, immutable + "ListN": true,
	"java.util.Collections$EmptyList": true, KotlinEmptyList: true, "java.util.Collections$CopiesList": true,
	Unmodifiable + "RandomAccessList": true, Synchronized + "RandomAccessList": true,
}

// Resolved returns the class of a wrapper once it is read: a stream does not name that of
// wrappers of random access lists, Java finds it by the wrapped list.
func Resolved(class string, inner any) string {
	l, ok := inner.(*java.List)
	if ok && randomAccess[l.Class] && (class == Unmodifiable+"List" || class == Synchronized+"List") {
		return strings.TrimSuffix(class, "List") + "RandomAccessList"
	}
	return class
}
