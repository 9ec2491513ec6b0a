package java

import "reflect"

// Classer is implemented by Go types that stand for one Java class. Codecs call
// it on a zero value when they bind the type.
type Classer interface {
	JavaClass() string
}

var classerType = reflect.TypeFor[Classer]()

// ClassName returns the Java class of Go type t: the one classes gives it, or
// else that of its JavaClass method, which may have a value or a pointer
// receiver. It returns "" where there is none. Pointers stand for what they
// point to. A JavaClass method that panics on a zero value counts as none.
func ClassName(t reflect.Type, classes map[reflect.Type]string) string {
	for {
		if name := classes[t]; name != "" {
			return name
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
