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
