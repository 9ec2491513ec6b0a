package memory

import (
	"reflect"
	"unsafe"
)

// Box is the memory of an interface: its type and a pointer to its value, which is
// the value itself where that is a pointer or map. Boxes that compare equal hold one
// value.
type Box struct{ typ, data unsafe.Pointer }

// BoxOf returns the memory of v.
func BoxOf(v any) Box { return *(*Box)(unsafe.Pointer(&v)) }

// Data returns the pointer of the box.
func (b Box) Data() Place { return b.data }

// Boxed returns the place of the value of type t that the interface v holds, for
// reading. Values of more than a word always lie behind the interface's pointer;
// pointers and maps are that pointer, which word then holds; all others are copied.
func Boxed(t reflect.Type, v any, word *Place) Place {
	data := BoxOf(v).data
	switch {
	case t.Size() > unsafe.Sizeof(data):
		return data
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Map:
		*word = data
		return Place(word)
	}
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(v))
	return copied.UnsafePointer()
}

// TextBox returns the string at s as an any without a copy. Do not write to the
// variable afterwards.
func TextBox(s *string) any {
	var v any = ""
	(*Box)(unsafe.Pointer(&v)).data = unsafe.Pointer(s)
	return v
}
