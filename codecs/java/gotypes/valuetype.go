package gotypes

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// ValueType is a Go type of one Java value, not for a set of fields: one of
// this package's, [time.Time], [time.Duration] or *[big.Int]. It is what codecs and tools
// ask; programs use the types themselves.
type ValueType struct {
	Go reflect.Type
	// Declared is the Java type of a field of that Go type where no tag says another; zero
	// where the Go type may be any class of its kind, as [java.Enum] does.
	Declared java.TypeExpr
	// Time says that people read it as a date, a time or a part of one.
	Time bool
}

// ValueTypes returns all such types.
func ValueTypes() []ValueType {
	var out []ValueType
	for _, t := range jdk.All() {
		if jdk.OfType(t.Go) == t {
			v, _ := ValueTypeOf(t.Go)
			out = append(out, v)
		}
	}
	return out
}

// ValueTypeOf returns what is known of t, and whether t is such a type.
func ValueTypeOf(t reflect.Type) (ValueType, bool) {
	v := jdk.OfType(t)
	if v == nil {
		return ValueType{}, false
	}
	return ValueType{t, java.TypeExpr{Class: v.Declared}, v.Time}, true
}

// ValueTypeFor returns the Go type of a Java class whose instances are one value, nil for all
// other classes.
func ValueTypeFor(class string) reflect.Type {
	if t := jdk.OfClass(class); t != nil {
		return t.Go
	}
	return nil
}

// IsValue reports whether t, or a pointer to it, is a [ValueType] or the type of a decimal
// library.
func IsValue(t reflect.Type) bool {
	return jdk.OfType(t) != nil || jdk.OfType(reflect.PointerTo(t)) != nil || gotype.IsDecimal(t)
}

// scalarTypes are the declared types of Go's basic kinds.
var scalarTypes = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.String: "java.lang.String",
	reflect.Int8: "byte", reflect.Int16: "short", reflect.Int32: "int", reflect.Int64: "long", reflect.Int: "int",
	reflect.Uint8: "short", reflect.Uint16: "int", reflect.Uint32: "long", reflect.Uint: "int", reflect.Uint64: "long",
	reflect.Float32: "float", reflect.Float64: "double",
}

// ScalarType returns the Java type of a field of a basic Go kind where no tag says
// another, int for reflect.Uint16, and the zero type for kinds that are no scalars. Its
// [java.TypeExpr.Boxed] is the class that values of the kind become.
func ScalarType(k reflect.Kind) java.TypeExpr { return java.TypeExpr{Class: scalarTypes[k]} }
