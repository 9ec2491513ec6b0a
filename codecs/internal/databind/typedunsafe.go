package databind

import (
	"reflect"
	"unsafe"
)

// place is the address of a Go variable whose type a plan knows. This file is the
// only one that makes and moves such addresses. Reflection alone costs a typed
// plan about twice the time: it checks at each field of each message what Bind has
// checked once.
//
// The rules that make it safe: a place always points into an object that
// something else keeps alive (the target of Decode, a value of Append, a slice
// that is already stored); what is loaded from it has exactly the type that the
// plan was compiled for; nothing here ever points into a payload.
type place = unsafe.Pointer

// load returns the variable at p.
func load[T any](p place) *T { return (*T)(p) }

// field returns the place of a field at an offset that reflect reported.
func fieldAt(p place, offset uintptr) place { return unsafe.Add(p, offset) }

// element returns the place of element i of the slice that stands at p.
func elementAt(slice place, i int, size uintptr) place {
	return unsafe.Add(*(*unsafe.Pointer)(slice), uintptr(i)*size)
}

// sliceLen returns the length of the slice at p.
func sliceLen(p place) int { return len(*(*[]struct{})(p)) }

// fresh returns the place of a new zero variable of type t.
func fresh(t reflect.Type) place { return reflect.New(t).UnsafePointer() }

// freshOf is fresh for a type of that kind: for the usual kinds without pointers it
// need not ask reflection.
func freshOf(t reflect.Type, kind reflect.Kind) place {
	switch kind {
	case reflect.Int32:
		return place(new(int32))
	case reflect.Int64:
		return place(new(int64))
	case reflect.Float64:
		return place(new(float64))
	case reflect.Bool:
		return place(new(bool))
	case reflect.String:
		return place(new(string))
	default:
		return fresh(t)
	}
}

// valueAt returns the variable of type t at p, settable.
func valueAt(t reflect.Type, p place) reflect.Value { return reflect.NewAt(t, p).Elem() }

// placeOf returns the place of the variable that v, a non-nil pointer, points to.
func placeOf(v reflect.Value) place { return v.UnsafePointer() }

// pointee returns what the pointer at p points to, nil for a nil pointer.
func pointee(p place) place { return *(*unsafe.Pointer)(p) }

// setPointer stores to in the pointer at p.
func setPointer(p, to place) { *(*unsafe.Pointer)(p) = to }

// boxed returns the place of a value of type t inside the interface v, for
// reading. Values of more than a word always lie behind the interface's pointer;
// pointers and maps are that pointer, which word then holds; all others are copied.
func boxed(t reflect.Type, v any, word *place) place {
	data := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	switch {
	case t.Size() > unsafe.Sizeof(data):
		return data
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Map:
		*word = data
		return place(word)
	}
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(v))
	return copied.UnsafePointer()
}

// anyText returns the string at s as an any without a copy. Nobody may write to the
// variable afterwards.
func anyText(s *string) any {
	var v any = ""
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(s)
	return v
}

// textOf returns b as a string without a copy. Nobody may write to b afterwards.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
