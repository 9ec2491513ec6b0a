package memory

import (
	"math/big"
	"math/bits"
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

// maxBoxes bounds how many strings share memory, header by header.
const maxBoxes = 8

// Boxes makes values of type any of strings, which share the memory of their headers: room for two
// first, then for twice as many each time. The zero value is ready to use, and lets go of what it made.
type Boxes struct {
	texts []string
	used  int
}

// Box returns s as an any.
func (b *Boxes) Box(s string) any {
	if b.used == len(b.texts) {
		b.texts, b.used = make([]string, min(max(2, 2*len(b.texts)), maxBoxes)), 0
	}
	to := &b.texts[b.used]
	b.used++
	*to = s
	return TextBox(to)
}

// smallInt is a big number of one word together with its word: one allocation.
type smallInt struct {
	v    big.Int
	word [1]big.Word
}

// Big returns v as a big number.
func Big(v int64) *big.Int {
	if bits.UintSize < 64 {
		return big.NewInt(v)
	}
	small := &smallInt{}
	small.word[0] = big.Word(uint64(v))
	if v < 0 {
		small.word[0] = -small.word[0]
	}
	small.v.SetBits(small.word[:])
	if v < 0 {
		small.v.Neg(&small.v)
	}
	return &small.v
}
