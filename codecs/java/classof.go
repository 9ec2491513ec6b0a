package java

import (
	"cmp"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

func containerClass(v any) string {
	switch v := v.(type) {
	case *Map:
		if v != nil {
			return cmp.Or(v.Class, ClassHashMap)
		}
	case *List:
		if v != nil {
			return cmp.Or(v.Class, ClassArrayList)
		}
	case *Object:
		if v != nil {
			return v.Class
		}
	}
	return ""
}

// ClassOf returns the Java class of a value as Decode returns it, and of the
// plain Go values that represent one: "java.lang.Integer" for int32,
// "[B" for []byte, "[I" for []int32. It returns "" for nil and for anything else.
func ClassOf(v any) string { return jdk.ClassOf(v) }
