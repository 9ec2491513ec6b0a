// Package gotype has what package java, plans and codecs ask of a Go type without its Java class.
package gotype

import (
	"encoding"
	"math/big"
	"reflect"
)

// PointerToPointer says why a pointer to a pointer carries no value.
const PointerToPointer = "one pointer is enough for null: a pointer to a pointer has no meaning in Java"

// Digits is what a decimal type may tell of itself: Coefficient × 10^Exponent. Its text
// need not say as much: 12.30 is often written 12.3.
type Digits interface {
	Coefficient() *big.Int
	Exponent() int32
}

// MaxPointers bounds how many pointers are followed to what they point to: a type
// can point to itself.
const MaxPointers = 8

// PointedTo returns what pointers to pointers lead to.
func PointedTo(t reflect.Type) reflect.Type {
	for range MaxPointers {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

// IsUUID reports whether t holds the sixteen bytes of a UUID.
func IsUUID(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Len() == 16 && t.Elem().Kind() == reflect.Uint8
}

// ReadsText reports whether t is a struct that is read from text.
func ReadsText(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// IsDecimal reports whether t is a decimal by its methods, whatever a tag says.
func IsDecimal(t reflect.Type) bool {
	return ReadsText(t) && reflect.PointerTo(t).Implements(reflect.TypeFor[Digits]())
}

// Implemented reports whether a registered type implements interface t.
func Implemented(t reflect.Type, classes map[reflect.Type]string) bool {
	for registered := range classes {
		if registered.Implements(t) || reflect.PointerTo(registered).Implements(t) {
			return true
		}
	}
	return false
}
