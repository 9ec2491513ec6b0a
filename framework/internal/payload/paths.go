package payload

import (
	"reflect"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Paths finds the values of a few fields, fast: values of Go types are not made Java's before. The
// zero value has none. It is immutable.
type Paths struct{ names [][]string }

// PathsOf returns the given paths, as [FieldsOf] reads them.
func PathsOf(paths ...string) Paths {
	p := Paths{}
	for _, path := range paths {
		p.names = append(p.names, strings.Split(path, "."))
	}
	return p
}

// Each calls found with the place of a path and the text of a value there, path by path, until it
// returns false. Elements of lists stand at the path of their list; what has parts itself has no
// text. Values beyond the first 10,000 are not looked at.
func (p Paths) Each(v any, found func(place int, text string) bool) {
	w := pathWalk{found: found, left: maxMatchValues}
	for i, names := range p.names {
		if w.place = i; !w.follow(v, names, 0) {
			return
		}
	}
}

// pathWalk is one search.
type pathWalk struct {
	found func(place int, text string) bool
	place int
	left  int
}

// follow goes on with a value at the names that are left. It reports false when the search is over.
func (w *pathWalk) follow(v any, names []string, depth int) bool {
	if w.left--; w.left < 0 || depth > maxMatchDepth {
		return false
	}
	if value, _, ok := held(v); ok {
		v = value
	}
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return len(names) > 0 || w.found(w.place, v)
	case map[string]any:
		if len(names) == 0 {
			return true
		}
		inner, there := v[names[0]]
		return !there || w.follow(inner, names[1:], depth+1)
	case []any:
		return w.all(v, names, depth)
	case *java.List:
		return v == nil || w.all(v.Elements, names, depth)
	case *java.Map:
		if v == nil || len(names) == 0 {
			return true
		}
		for _, e := range v.Entries {
			if name, ok := e.Key.(string); ok && name == names[0] {
				return w.follow(e.Value, names[1:], depth+1)
			}
		}
		return true
	case *java.Object:
		if v == nil || len(names) == 0 {
			return true
		}
		for _, f := range v.Fields {
			if f.Name == names[0] && !w.follow(f.Value, names[1:], depth+1) {
				return false
			}
		}
		return true
	}
	return w.goValue(v, names, depth)
}

func (w *pathWalk) all(vs []any, names []string, depth int) bool {
	for _, e := range vs {
		if !w.follow(e, names, depth+1) {
			return false
		}
	}
	return true
}

// goValue goes on with a value of a Go type, or with one that has no parts.
func (w *pathWalk) goValue(v any, names []string, depth int) bool {
	of := reflect.ValueOf(v)
	for of.Kind() == reflect.Pointer && of.Type().Elem().Kind() == reflect.Struct && len(names) > 0 {
		if of.IsNil() {
			return true
		}
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct && len(names) > 0 && !gotypes.IsValue(of.Type()) {
		index, ok := structField(of.Type(), names[0])
		if !ok {
			return true
		}
		inner, err := of.FieldByIndexErr(index)
		return err != nil || w.follow(inner.Interface(), names[1:], depth+1)
	}
	lowered := lowered(v)
	if container(lowered) {
		return w.follow(lowered, names, depth+1)
	}
	if len(names) > 0 || lowered == nil {
		return true
	}
	_, text := textOf(lowered)
	return w.found(w.place, text)
}

// namedField is a field of a struct by its name in Java.
type namedField struct {
	of   reflect.Type
	name string
}

// structFields has where fields are in the structs that were met; nil where there is none. A
// program has a bounded number of types, and declares a bounded number of paths.
var structFields sync.Map // namedField to []int

func structField(of reflect.Type, name string) (index []int, ok bool) {
	key := namedField{of, name}
	known, ok := structFields.Load(key)
	if !ok {
		fields, _ := gotypes.FieldsOf(of, codecs.BindOptions{}) // a type with mistakes was refused before
		for _, f := range fields {
			if f.Name == name {
				index = f.Index
				break
			}
		}
		known, _ = structFields.LoadOrStore(key, index)
	}
	index = known.([]int)
	return index, index != nil
}
