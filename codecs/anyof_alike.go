package codecs

import "reflect"

// alike reports whether two readings are the same value: deeply equal, but that a NaN
// is like any other, as Java's Double.equals has it.
func alike(a, b any) bool {
	return reflect.DeepEqual(a, b) || (&likeness{}).of(reflect.ValueOf(a), reflect.ValueOf(b))
}

// likeness compares what [reflect.DeepEqual] finds different.
type likeness struct{ seen map[[2]pointed]bool }

// pointed is where a pointer, slice or map points to.
type pointed struct {
	at   uintptr
	size int
	typ  reflect.Type
}

func (l *likeness) of(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return a.IsValid() == b.IsValid() && !a.IsValid()
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x == y || x != x && y != y
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
	}
	switch a.Kind() {
	case reflect.Interface:
		return l.of(a.Elem(), b.Elem())
	case reflect.Pointer:
		return l.again(a, b, 0) || l.of(a.Elem(), b.Elem())
	case reflect.Slice:
		return a.Len() == b.Len() && (l.again(a, b, a.Len()) || l.elements(a, b))
	case reflect.Array:
		return l.elements(a, b)
	case reflect.Map:
		return a.Len() == b.Len() && (l.again(a, b, a.Len()) || l.entries(a, b))
	case reflect.Struct:
		for i := range a.NumField() {
			if !l.of(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Func:
		return false
	}
	return a.Equal(b)
}

// again reports whether the comparison of a and b is under way already, as it is in
// values that hold themselves.
func (l *likeness) again(a, b reflect.Value, size int) bool {
	pair := [2]pointed{{a.Pointer(), size, a.Type()}, {b.Pointer(), size, b.Type()}}
	if l.seen[pair] {
		return true
	}
	if l.seen == nil {
		l.seen = map[[2]pointed]bool{}
	}
	l.seen[pair] = true
	return false
}

func (l *likeness) elements(a, b reflect.Value) bool {
	for i := range a.Len() {
		if !l.of(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func (l *likeness) entries(a, b reflect.Value) bool {
	for it := a.MapRange(); it.Next(); {
		if other := b.MapIndex(it.Key()); !other.IsValid() || !l.of(it.Value(), other) {
			return false
		}
	}
	return true
}
