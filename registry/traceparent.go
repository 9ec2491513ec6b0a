package registry

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// TraceparentKey is the map key or field name under which a payload may carry
// its W3C trace context, for Java and Go alike.
const TraceparentKey = "traceparent"

// Traceparent returns the trace context inside a payload, or "": of a
// map[string]any, map[string]string, [*java.Map] or [*java.Object] under [TraceparentKey],
// of a struct or a pointer to one in the field of that Java name.
func Traceparent(v any) string {
	var found any
	switch v := v.(type) {
	case nil:
	case map[string]any:
		found = v[TraceparentKey]
	case map[string]string:
		return v[TraceparentKey]
	case *java.Map:
		found, _ = v.Get(TraceparentKey)
	case *java.Object:
		found, _ = v.Get(TraceparentKey)
	default:
		if f := traceField(reflect.ValueOf(v)); f.IsValid() {
			return f.String()
		}
	}
	s, _ := found.(string)
	return s
}

// WithTraceparent returns a copy of payload v with traceparent tp, and true; v itself does not
// change. If v has no place for tp (v is no map and has no such field, or is a nil pointer), it
// returns v and false. In a [*java.Map] a new entry goes to the end.
func WithTraceparent(v any, tp string) (any, bool) {
	switch v := v.(type) {
	case nil:
		return v, false
	case map[string]any:
		return withKey(v, any(tp)), true
	case map[string]string:
		return withKey(v, tp), true
	case *java.Map:
		if v == nil {
			return v, false
		}
		m := *v
		m.Entries, m.Form = slices.Clone(v.Entries), nil
		m.Set(TraceparentKey, tp)
		return &m, true
	case *java.Object:
		return objectWith(v, tp)
	}
	return structWith(v, tp)
}

func withKey[V any](m map[string]V, tp V) map[string]V {
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	out[TraceparentKey] = tp
	return out
}

// objectWith sets a field that is there: a bean cannot get new ones.
func objectWith(o *java.Object, tp string) (any, bool) {
	if _, ok := o.Get(TraceparentKey); !ok {
		return o, false
	}
	out := *o
	out.Fields = slices.Clone(o.Fields)
	for i := range out.Fields {
		if out.Fields[i].Name == TraceparentKey {
			out.Fields[i].Value = tp
		}
	}
	return &out, true
}

func structWith(v any, tp string) (any, bool) {
	src := reflect.ValueOf(v)
	if !traceField(src).IsValid() {
		return v, false
	}
	pointer := src.Kind() == reflect.Pointer
	if pointer {
		src = src.Elem()
	}
	out := reflect.New(src.Type())
	out.Elem().Set(src)
	traceField(out).SetString(tp)
	if pointer {
		return out.Interface(), true
	}
	return out.Elem().Interface(), true
}

// traceIndexes caches where a struct type has its trace context; nil for nowhere.
var traceIndexes sync.Map // reflect.Type to []int

// traceField returns the field of a struct, or of the one v points to, or the
// zero Value.
func traceField(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || gotypes.IsValue(v.Type()) {
		return reflect.Value{}
	}
	index, ok := traceIndexes.Load(v.Type())
	if !ok {
		index = findTraceField(v.Type())
		traceIndexes.Store(v.Type(), index)
	}
	if at := index.([]int); at != nil {
		return v.FieldByIndex(at)
	}
	return reflect.Value{}
}

func findTraceField(t reflect.Type) []int {
	fields, err := gotypes.FieldsOf(t, codecs.BindOptions{})
	if err != nil {
		return nil
	}
	for _, f := range fields {
		if f.Name == TraceparentKey && f.GoType.Kind() == reflect.String {
			return f.Index
		}
	}
	return nil
}

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
