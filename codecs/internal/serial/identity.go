package serial

import (
	"math"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// ID names one object: values with one ID are one object for Java.
// The zero ID names none.
type ID struct {
	at  memory.Place
	len int
}

// Identity returns what tells the object v from an equal one: where it lies in
// memory, as in Java. Values that were one object when they were decoded have
// one identity; so have Go values that are one pointer, slice, string or
// interface value. The zero ID says that v is like no other; where [Constant]
// knows v, that decides.
func Identity(v any) ID {
	switch v := v.(type) {
	case nil, bool, int8:
		return ID{}
	case string:
		return StringID(v)
	case []byte:
		return sliceID(v)
	case []bool:
		return sliceID(v)
	case []int16:
		return sliceID(v)
	case []int32:
		return sliceID(v)
	case []int64:
		return sliceID(v)
	case []java.Char:
		return sliceID(v)
	case []float32:
		return sliceID(v)
	case []float64:
		return sliceID(v)
	}
	if bits, number := bitsOf(v); number && bits < 256 {
		return ID{} // the Go runtime keeps these in one table
	}
	return ID{at: memory.BoxOf(v).Data(), len: -1}
}

// StringID is [Identity] of a string.
func StringID(s string) ID {
	if s == "" {
		return ID{}
	}
	return ID{at: memory.TextAt(s), len: len(s)}
}

// IsZero reports whether id names no object.
func (id ID) IsZero() bool { return id.at == nil }

func sliceID[T any](s []T) ID {
	if len(s) == 0 {
		return ID{}
	}
	return ID{at: memory.SliceAt(s), len: len(s)}
}

func bitsOf(v any) (uint64, bool) {
	switch v := v.(type) {
	case int16:
		return uint64(v), true
	case int32:
		return uint64(v), true
	case int64:
		return uint64(v), true
	case java.Char:
		return uint64(v), true
	case float32:
		return uint64(math.Float32bits(v)), true
	case float64:
		return math.Float64bits(v), true
	case java.Year:
		return uint64(v), true
	case java.ZoneOffset:
		return uint64(v), true
	}
	return 0, false
}

// SameObject reports whether a and b are one object for Java.
func SameObject(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if key := Constant(a); key != nil {
		return key == Constant(b)
	}
	id := Identity(a)
	return !id.IsZero() && id == Identity(b)
}

// Constant returns the value itself, or a name, where Java keeps one object for
// all that are equal: the small numbers, "", empty immutable collections, enum
// constants, currencies. It returns nil for all others.
func Constant(v any) any {
	switch v := v.(type) {
	case bool, int8:
		return v
	case int16:
		return cached(v, int64(v))
	case int32:
		return cached(v, int64(v))
	case int64:
		return cached(v, v)
	case java.Char:
		if v <= 127 {
			return v
		}
	case string:
		if v == "" {
			return v
		}
	case java.Enum:
		return java.Enum{Class: v.Class, Name: v.Name}
	case *java.List:
		if v != nil && len(v.Elements) == 0 && v.Form == nil {
			return singleton(v.Class)
		}
	case *java.Map:
		if v != nil && len(v.Entries) == 0 && v.Form == nil {
			return singleton(v.Class)
		}
	case *java.Object:
		if v != nil && len(v.Fields) == 0 {
			return singleton(v.Class)
		}
	default:
		if t := jdk.OfClass(java.ClassOf(v)); t != nil && t.Constant != nil && t.Constant(v) {
			return v
		}
	}
	return nil
}

func cached(v any, n int64) any {
	if n < -128 || n > 127 {
		return nil
	}
	return v
}

// singletonName is the key of the one object of a class.
type singletonName string

func singleton(class string) any {
	switch class {
	case immutable + "ListN", immutable + "SetN", immutable + "MapN",
		"java.util.Collections$EmptyList", "java.util.Collections$EmptySet", "java.util.Collections$EmptyMap",
		jdkclass.KotlinEmptyList, jdkclass.KotlinEmptySet, jdkclass.KotlinEmptyMap,
		"java.util.Collections$ReverseComparator", "java.lang.String$CaseInsensitiveComparator":
		return singletonName(class)
	}
	return nil
}
