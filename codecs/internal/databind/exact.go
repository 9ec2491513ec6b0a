package databind

import (
	"maps"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// exactTypes are the Go types that take Java values as they are, so that what is read
// for them keeps its class. All others take what it shows: an enum its name.
var exactTypes = map[reflect.Type]bool{
	reflect.TypeFor[*java.Map]():      true,
	reflect.TypeFor[*java.List]():     true,
	reflect.TypeFor[*java.Object]():   true,
	reflect.TypeFor[*java.Calendar](): true,
	reflect.TypeFor[java.Enum]():      true,
	reflect.TypeFor[java.ClassRef]():  true,
	reflect.TypeFor[java.Locale]():    true,
	reflect.TypeFor[java.Pattern]():   true,
}

// exactType reports whether t, or what it is a pointer to or a slice or map of, takes
// Java values as they are.
func exactType(t reflect.Type) bool {
	for range 8 { // types nest without end
		if exactTypes[t] {
			return true
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			t = t.Elem()
		default:
			return false
		}
	}
	return false
}

// markExact notes which fields of beans take Java values as they are.
func markExact(beans map[string]*bean, uses []java.BeanUse, opts codecs.BindOptions) {
	for _, use := range uses {
		fields, err := java.BoundFieldsOf(use.Type, opts)
		b := beans[use.Class]
		if err != nil || b == nil {
			continue
		}
		for _, f := range fields {
			at := b.find([]byte(f.Name))
			if at == nil || !exactType(f.GoType) {
				continue
			}
			d := *at.declared
			d.exact = true
			at.declared = &d
		}
	}
}

// pointedClasses returns options in which a class that is given to a pointer is that of
// what it points to as well.
func pointedClasses(opts codecs.BindOptions) codecs.BindOptions {
	classes := maps.Clone(opts.Classes)
	for t, class := range opts.Classes {
		if t.Kind() == reflect.Pointer && classes[t.Elem()] == "" {
			classes[t.Elem()] = class
		}
	}
	opts.Classes = classes
	return opts
}
