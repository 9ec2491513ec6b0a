package registry

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// carriesTrace reports whether a payload of type t can carry a traceparent, by
// trying: [WithTraceparent] is who puts it there. An interface and a
// java.Object may, depending on the value.
func carriesTrace(t reflect.Type) bool {
	probe := reflect.Zero(t)
	switch {
	case t.Kind() == reflect.Interface, t == reflect.TypeFor[*java.Object]():
		return true
	case t.Kind() == reflect.Pointer:
		probe = reflect.New(t.Elem())
	}
	_, ok := WithTraceparent(probe.Interface(), "")
	return ok
}
