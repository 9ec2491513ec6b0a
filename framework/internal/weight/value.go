package weight

import "reflect"

// maxDepth bounds how deep a value is looked at: it may contain itself.
const maxDepth = 1000

// OfValue returns about the memory that v takes with all that its exported fields lead to,
// and most where it is more, or where it is nested deeper than 1,000 levels. What stands at
// several places counts at each.
func OfValue(v any, most int64) int64 {
	w := walk{left: most}
	if !w.value(reflect.ValueOf(v), 0) {
		return most
	}
	return most - w.left
}

// walk is one look at a value.
type walk struct{ left int64 }

// take counts n bytes, and reports whether there may be more.
func (w *walk) take(n uintptr) bool {
	w.left -= int64(n) //nolint:gosec // sizes in memory
	return w.left > 0
}

// value counts what v leads to; v itself lies in what was counted before.
func (w *walk) value(v reflect.Value, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return w.take(uintptr(v.Len()))
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return true
		}
		e := v.Elem()
		return w.take(e.Type().Size()+8) && w.value(e, depth+1)
	case reflect.Slice:
		return w.take(uintptr(v.Cap())*v.Type().Elem().Size()) && w.elements(v, depth)
	case reflect.Array:
		return w.elements(v, depth)
	case reflect.Map:
		t := v.Type()
		if !w.take(uintptr(v.Len()) * 2 * (t.Key().Size() + t.Elem().Size() + 8)) {
			return false
		}
		for it := v.MapRange(); it.Next(); {
			if !w.value(it.Key(), depth+1) || !w.value(it.Value(), depth+1) {
				return false
			}
		}
	case reflect.Struct:
		t := v.Type()
		for i := range v.NumField() {
			if t.Field(i).IsExported() && !w.value(v.Field(i), depth+1) {
				return false
			}
		}
	default:
	}
	return true
}

func (w *walk) elements(v reflect.Value, depth int) bool {
	if k := v.Type().Elem().Kind(); reflect.Bool <= k && k <= reflect.Complex128 {
		return true
	}
	for i := range v.Len() {
		if !w.value(v.Index(i), depth+1) {
			return false
		}
	}
	return true
}
