package java

import (
	"reflect"
	"time"
)

// opaqueStruct reports whether a struct type is one Java value, not a set of fields.
func opaqueStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct &&
		(t == reflect.TypeFor[time.Time]() || ownTypes[t] || ownTypes[reflect.PointerTo(t)])
}
