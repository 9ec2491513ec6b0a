// Package memory reads and writes Go variables by their address. It is the only
// package of the codecs that imports unsafe. Reflection alone costs a typed plan
// about twice the time: it checks at each field of each message what Bind has
// checked once.
//
// The rules that make it safe: a [Place] always points into an object that
// something else keeps alive (the target of Decode, a value of Append, a slice that
// is already stored); what is loaded from it has exactly the type that the plan was
// compiled for; nothing here ever points into a payload.
package memory

import (
	"reflect"
	"unsafe"
)

// Place is the address of a Go variable whose type its user knows.
type Place = unsafe.Pointer

// At returns the variable at p.
func At[T any](p Place) *T { return (*T)(p) }

// Of returns the place of the variable that v points to.
func Of[T any](v *T) Place { return Place(v) }

// To returns what v, a pointer, map or slice, points to.
func To(v reflect.Value) Place { return v.UnsafePointer() }

// Value returns the variable of type t at p, settable.
func Value(t reflect.Type, p Place) reflect.Value { return reflect.NewAt(t, p).Elem() }

// PointerTo returns a pointer to the variable of type t at p.
func PointerTo(t reflect.Type, p Place) any { return reflect.NewAt(t, p).Interface() }

// Field returns the place of a field at an offset that reflect reported.
func Field(p Place, offset uintptr) Place { return unsafe.Add(p, offset) }

// Element returns the place of element i of the slice at p.
func Element(slice Place, i int, size uintptr) Place {
	return unsafe.Add(Pointee(slice), uintptr(i)*size)
}

// Len returns the length of the slice at p.
func Len(slice Place) int { return len(*(*[]struct{})(slice)) }

// Pointee returns what the pointer, map or slice at p points to, nil for a nil one.
func Pointee(p Place) Place { return *(*unsafe.Pointer)(p) }

// SetPointer stores to in the pointer at p.
func SetPointer(p, to Place) { *(*unsafe.Pointer)(p) = to }

// New returns the place of a new zero variable of type t.
func New(t reflect.Type) Place { return reflect.New(t).UnsafePointer() }

// Text returns b as a string without a copy. Do not write to b afterwards.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// TextAt returns the place of the bytes of s; nil for most empty strings.
func TextAt(s string) Place { return Place(unsafe.StringData(s)) }

// SliceAt returns the place of the elements of s; nil for a nil slice.
func SliceAt[T any](s []T) Place { return Place(unsafe.SliceData(s)) }
