package registry

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// traceField is the name under which a payload carries its trace context.
const traceField = "traceparent"

// carriesTrace reports whether a payload of type t can carry a traceparent: a
// map with string keys and room for a string, a java.Map, a struct with such a
// string field, a pointer to one of these, or an interface, which may.
func carriesTrace(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map:
		elem := t.Elem().Kind()
		return t.Key().Kind() == reflect.String && (elem == reflect.String || elem == reflect.Interface)
	case reflect.Struct:
		return t == reflect.TypeFor[java.Map]() || hasTraceField(t)
	}
	return false
}

func hasTraceField(t reflect.Type) bool {
	fields, _ := java.FieldsOf(t) // its mistakes are the codec's to report
	for _, f := range fields {
		if f.Name == traceField {
			return f.GoType.Kind() == reflect.String
		}
	}
	return false
}
