package memory

import (
	"math"
	"reflect"
	"testing"
)

// TestBoxed reads values of every kind out of an interface.
func TestBoxed(t *testing.T) {
	t.Parallel()
	n := 5
	for _, v := range []any{
		true, int8(-3), uint16(400), 1 << 40, 2.5, "text",
		[]string{"a", "b"},
		[3]int64{1, 2, 3},
		&n,
		map[string]int{"a": 1},
		struct{ A, B string }{"a", "b"},
		struct{ P *int }{&n},
		[1]*int{&n},
		struct{}{},
		make(chan int), (*int)(nil), map[string]int(nil), []int(nil),
	} {
		typ := reflect.TypeOf(v)
		var word Place
		got := Value(typ, Boxed(typ, v, &word)).Interface()
		if !reflect.DeepEqual(got, v) {
			t.Errorf("%s: got %v, want %v", typ, got, v)
		}
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	s := "text"
	if got := PointerTo(reflect.TypeFor[string](), Of(&s)).(*string); got != &s {
		t.Errorf("PointerTo: %p, want %p", got, &s)
	}
	if got := TextBox(&s); got != "text" || BoxOf(got).Data() != Of(&s) {
		t.Errorf("TextBox: %v, a copy", got)
	}
	var p *string
	SetPointer(Of(&p), Of(&s))
	if p != &s || Pointee(Of(&p)) != Of(&s) {
		t.Errorf("SetPointer: %p, want %p", p, &s)
	}
	list := []int32{1, 2, 3}
	at := Of(&list)
	if Len(at) != 3 || *At[int32](Element(at, 2, 4)) != 3 || SliceAt(list) != To(reflect.ValueOf(list)) {
		t.Errorf("Len %d, element 2 is %d", Len(at), *At[int32](Element(at, 2, 4)))
	}
}

// TestIntegers stores the bounds of each kind and what lies beyond them.
func TestIntegers(t *testing.T) {
	t.Parallel()
	rows := []struct {
		typ    reflect.Type
		lo, hi int64
	}{
		{reflect.TypeFor[int8](), math.MinInt8, math.MaxInt8},
		{reflect.TypeFor[int16](), math.MinInt16, math.MaxInt16},
		{reflect.TypeFor[int32](), math.MinInt32, math.MaxInt32},
		{reflect.TypeFor[int64](), math.MinInt64, math.MaxInt64},
		{reflect.TypeFor[int](), math.MinInt, math.MaxInt},
		{reflect.TypeFor[uint8](), 0, math.MaxUint8},
		{reflect.TypeFor[uint16](), 0, math.MaxUint16},
		{reflect.TypeFor[uint32](), 0, math.MaxUint32},
		{reflect.TypeFor[uint64](), 0, math.MaxInt64},
		{reflect.TypeFor[uint](), 0, min(math.MaxInt64, math.MaxUint>>1)},
	}
	for _, row := range rows {
		t.Run(row.typ.String(), func(t *testing.T) {
			t.Parallel()
			kind, p := row.typ.Kind(), New(row.typ)
			for _, v := range []int64{row.lo, row.hi, 0, 1} {
				if !StoreInt(kind, p, v) {
					t.Errorf("%d does not fit", v)
				}
				if got, ok := LoadInt(kind, p); !ok || got != v {
					t.Errorf("stored %d, loaded %d, %v", v, got, ok)
				}
			}
			if row.lo > math.MinInt64 && StoreInt(kind, p, row.lo-1) {
				t.Errorf("%d fits", row.lo-1)
			}
			if row.hi < math.MaxInt64 && StoreInt(kind, p, row.hi+1) {
				t.Errorf("%d fits", row.hi+1)
			}
		})
	}
	big := uint64(math.MaxInt64) + 1
	if v, ok := LoadInt(reflect.Uint64, Of(&big)); ok {
		t.Errorf("%d became %d, which Java has", big, v)
	}
	if StoreInt(reflect.Float64, New(reflect.TypeFor[float64]()), 1) {
		t.Error("a float64 took an integer")
	}
}
