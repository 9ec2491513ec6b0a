package registry

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs/java"
)

// JavaClass names the Java class of Go type U, which occurs in the payload, such as
// "com.example.Order" or "com.example.Order$Item". It is for types that cannot have a
// method JavaClass() string, being of another module, or that have another class in this
// queue. It may be given once for each type. Instead of the name alone it may be a
// declaration, which says more of the class: "final com.example.Money", "enum
// com.example.Color {RED, GREEN}", "com.example.Order serial 42"; see [java.ParseClass].
//
// U may also be a second type for a class that the payload names: the class as it was
// before a deployment of the Java side. A payload that does not decode as the first is
// tried as the second and assigned by field names.
func JavaClass[U any](name string) Option {
	return &javaClass{t: reflect.TypeFor[U](), name: name}
}

type javaClass struct {
	t    reflect.Type
	name string
}

func (o *javaClass) String() string { return fmt.Sprintf("JavaClass[%s](%q)", o.t, o.name) }

func (o *javaClass) apply(d *declaration) {
	t := o.t
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	if !d.once("JavaClass", t.PkgPath()+"."+t.String(), o.String()) {
		return
	}
	if reason := o.fault(t); reason != "" {
		d.add(&OptionError{Code: d.code, Option: o.String(), Reason: reason})
		return
	}
	if d.policy.classes == nil {
		d.policy.classes = map[reflect.Type]string{}
	}
	d.policy.classes[t] = o.name
	d.policy.classOrder = append(d.policy.classOrder, t)
}

func (o *javaClass) fault(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Interface:
		return "an interface has no class: name the types that implement it"
	case t.Name() == "" || t.PkgPath() == "":
		return "only a defined type can stand for a Java class"
	}
	return declarationFault(o.name)
}

// declarationFault says what is wrong with a class name or declaration, or "".
func declarationFault(text string) string {
	if !strings.ContainsAny(text, " <{") {
		return classNameFault(text)
	}
	c, err := java.ParseClass(text)
	if err != nil {
		return err.Error()
	}
	return classNameFault(c.Name)
}

// classNameFault says what is wrong with a Java class name, or "".
func classNameFault(name string) string {
	if strings.Contains(name, "/") {
		return "Java class names have dots, not slashes"
	}
	for part := range strings.SplitSeq(name, ".") {
		for i, r := range part {
			start := r == '_' || r == '$' || unicode.IsLetter(r)
			if !start && (i == 0 || !unicode.IsDigit(r)) {
				return fmt.Sprintf("not a Java class name: %q at %q", r, part)
			}
		}
		if part == "" {
			return "not a Java class name: an empty part"
		}
	}
	return ""
}

// occurs reports whether a value of type u may be part of a value of type t.
// Interfaces may hold anything.
func occurs(t, u reflect.Type) bool {
	return reaches(t, u, map[reflect.Type]bool{})
}

func reaches(t, u reflect.Type, seen map[reflect.Type]bool) bool {
	if t == u || t.Kind() == reflect.Interface {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return reaches(t.Elem(), u, seen)
	case reflect.Map:
		return reaches(t.Key(), u, seen) || reaches(t.Elem(), u, seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if reaches(f.Type, u, seen) {
				return true
			}
		}
	}
	return false
}
