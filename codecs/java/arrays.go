package java

import "reflect"

// arrayClasses are the classes of the Go slices that stand for Java's arrays of
// primitives.
var arrayClasses = map[reflect.Type]string{
	reflect.TypeFor[[]bool]():    "[Z",
	reflect.TypeFor[[]byte]():    "[B",
	reflect.TypeFor[[]int16]():   "[S",
	reflect.TypeFor[[]int32]():   "[I",
	reflect.TypeFor[[]int64]():   "[J",
	reflect.TypeFor[[]Char]():    "[C",
	reflect.TypeFor[[]float32](): "[F",
	reflect.TypeFor[[]float64](): "[D",
}

// arrayTypes are the Go slices of Java's arrays of primitives, by primitive.
var arrayTypes = map[string]reflect.Type{
	"boolean": reflect.TypeFor[[]bool](), "byte": reflect.TypeFor[[]byte](), "short": reflect.TypeFor[[]int16](),
	"int": reflect.TypeFor[[]int32](), "long": reflect.TypeFor[[]int64](), "char": reflect.TypeFor[[]Char](),
	"float": reflect.TypeFor[[]float32](), "double": reflect.TypeFor[[]float64](),
}

// arrayOf returns the class of an array of primitives, "" for all other values.
func arrayOf(v any) string {
	switch v.(type) {
	case []byte:
		return "[B"
	case []int32:
		return "[I"
	case []int64:
		return "[J"
	case []float64:
		return "[D"
	case []bool:
		return "[Z"
	case []int16:
		return "[S"
	case []Char:
		return "[C"
	case []float32:
		return "[F"
	}
	return ""
}

// ArrayList returns an array of primitives as a list of the same class with its
// elements boxed, and true: for formats that write both alike. It returns false
// for all other values, also for []byte, and for nil slices.
func ArrayList(v any) (*List, bool) {
	class := arrayOf(v)
	if class == "" || class == "[B" {
		return nil, false
	}
	s := reflect.ValueOf(v)
	if s.IsNil() {
		return nil, false
	}
	l := &List{Class: class, Elements: make([]any, s.Len())}
	for i := range l.Elements {
		l.Elements[i] = s.Index(i).Interface()
	}
	return l, true
}
