package gotypes

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/java"
)

// Classer is implemented by Go types that represent one Java class. JavaClass
// returns its name or its whole declaration, see [java.ParseClass]. Codecs call it on
// a zero value when they bind the type.
type Classer interface {
	JavaClass() string
}

var classerType = reflect.TypeFor[Classer]()

// ClassName returns the name of the Java class of Go type t: the one that classes
// gives it, or else that of its JavaClass method, which may have a value or a
// pointer receiver. It returns "" where there is none. Pointers count as what
// they point to. A JavaClass method that panics on a zero value counts as none.
// A declaration that does not read is returned as it is: [ClassesOf] says why.
func ClassName(t reflect.Type, classes map[reflect.Type]string) string {
	decl := declarationOf(t, classes)
	if plainName(decl) {
		return decl
	}
	if c, err := java.ParseClass(decl); err == nil {
		return c.Name
	}
	return decl
}

// plainName reports whether a declaration is a name and nothing else.
func plainName(decl string) bool {
	for i := range len(decl) {
		if c := decl[i]; c == ' ' || c == '<' || c == '{' {
			return false
		}
	}
	return true
}

// declarationOf returns what t says of its Java class, "" for nothing.
func declarationOf(t reflect.Type, classes map[reflect.Type]string) string {
	for range gotype.MaxPointers {
		if decl := classes[t]; decl != "" {
			return decl
		}
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface || !reflect.PointerTo(t).Implements(classerType) {
		return ""
	}
	return callJavaClass(reflect.New(t))
}

func callJavaClass(v reflect.Value) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	return v.Interface().(Classer).JavaClass()
}
