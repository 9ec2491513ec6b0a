package databindtest

import (
	"fmt"
	"reflect"
)

// differ returns where two values part, and the two parts; empty where they do not.
func differ(a, b reflect.Value, path string) string {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return ""
	}
	part := func(x, y reflect.Value, name string) string {
		if x.CanInterface() {
			return differ(x, y, path+name)
		}
		return ""
	}
	found := ""
	switch {
	case a.Kind() == reflect.Struct:
		for i := 0; i < a.NumField() && found == ""; i++ {
			found = part(a.Field(i), b.Field(i), "."+a.Type().Field(i).Name)
		}
	case a.Kind() == reflect.Slice && a.Len() == b.Len():
		for i := 0; i < a.Len() && found == ""; i++ {
			found = part(a.Index(i), b.Index(i), fmt.Sprintf("[%d]", i))
		}
	case a.Kind() == reflect.Map && a.Len() == b.Len():
		for it := a.MapRange(); it.Next() && found == ""; {
			if v := b.MapIndex(it.Key()); v.IsValid() {
				found = part(it.Value(), v, fmt.Sprintf("[%q]", it.Key().String()))
			}
		}
	case (a.Kind() == reflect.Pointer || a.Kind() == reflect.Interface) && !a.IsNil() && !b.IsNil() && a.Elem().Type() == b.Elem().Type():
		found = part(a.Elem(), b.Elem(), "")
	}
	if found == "" {
		found = fmt.Sprintf("at %s %#v, and %#v", path, a.Interface(), b.Interface())
	}
	return found
}
