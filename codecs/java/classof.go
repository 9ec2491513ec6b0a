package java

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// PayloadClass returns the Java class of a payload from what Decode of its codec returned: that
// of the value, or of a payload that cannot be read without its description the one that the
// error names. It returns "" where the bytes name no class.
func PayloadClass(v any, err error) string {
	if blamed := Blamed(err); v == nil && len(blamed) > 0 {
		return blamed[0]
	}
	if class := ClassOf(v); class != "" {
		return class
	}
	if lowered, err := LowerShared(v); err == nil {
		return ClassOf(lowered)
	}
	return ""
}

// ClassOf returns the Java class of a value as Decode returns it, and of the
// plain Go values that represent one: "java.lang.Integer" for int32,
// "[B" for []byte, "[I" for []int32. It returns "" for nil and for anything else.
func ClassOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return ClassHashMap
	case []any:
		return ClassArrayList
	}
	if class := jdk.Class(v); class != "" {
		return class
	}
	return arrayOf(v)
}

// Blamed returns the classes that an error is about: of a list of codecs each may name one.
func Blamed(err error) []string {
	var names []string
	//nolint:errorlint // every error of the tree is looked at, not the first that fits
	switch e := err.(type) {
	case *codecs.DecodeError:
		if e.Class != "" {
			names = append(names, TypeOf(e.Class).Class)
		}
		names = append(names, Blamed(e.Err)...)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			names = append(names, Blamed(inner)...)
		}
	case interface{ Unwrap() error }:
		names = Blamed(e.Unwrap())
	}
	return names
}

func containerClass(v any) string {
	switch v := v.(type) {
	case *Map:
		if v != nil {
			return or(v.Class, ClassHashMap)
		}
	case *List:
		if v != nil {
			return or(v.Class, ClassArrayList)
		}
	case *Object:
		if v != nil {
			return v.Class
		}
	}
	return ""
}

func or(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
