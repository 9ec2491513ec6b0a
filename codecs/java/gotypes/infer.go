package gotypes

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// infer returns the type arguments of class c that Go type t shows, by the name
// of the parameter.
func (d *describer) infer(t reflect.Type, c *java.Class) map[string]java.TypeExpr {
	bound := map[string]java.TypeExpr{}
	if t.Kind() != reflect.Struct {
		described, err := d.describeElements(t)
		if err == nil {
			unify(c.Super, described, c, bound)
		}
		return bound
	}
	// Mistakes in the fields are reported where the type is compiled.
	fields, _ := rawFields(t, d.classes)
	for _, f := range fields {
		if f.Level == c.Name && f.Type.Mentions(c) {
			actual, err := d.describe(f.GoType)
			if err == nil {
				unify(f.Type, actual, c, bound)
			}
		}
	}
	for _, super := range superTypes(t, c.Name, d.classes) {
		actual, err := d.describe(super)
		if err == nil && actual.Class == c.Super.Class {
			unify(c.Super, actual, c, bound)
		}
	}
	return bound
}

// describeElements describes a slice or map type with its own class as
// what it would be without.
func (d *describer) describeElements(t reflect.Type) (java.TypeExpr, error) {
	if t.Kind() == reflect.Map {
		return d.describeGeneric("java.util.Map", t.Key(), t.Elem())
	}
	if t.Kind() == reflect.Slice {
		return d.describeGeneric("java.util.List", t.Elem())
	}
	return java.TypeExpr{}, nil
}

// unify binds the type variables of c in a declared type to what is there in
// the actual one. What is bound already stays.
func unify(declared, actual java.TypeExpr, c *java.Class, bound map[string]java.TypeExpr) {
	for ; declared.Dims > 0; declared.Dims-- {
		switch {
		case actual.Dims > 0:
			actual.Dims--
		case len(actual.Args) == 1:
			actual = actual.Args[0]
		default:
			return
		}
	}
	if c.Variable(declared) {
		if _, done := bound[declared.Class]; !done && !actual.IsZero() {
			actual.Variance = java.Exact
			bound[declared.Class] = actual.Boxed()
		}
		return
	}
	if jdk.Holders[declared.Class] != nil && len(declared.Args) == 1 && len(actual.Args) == 0 {
		unify(declared.Args[0], actual, c, bound)
		return
	}
	if len(declared.Args) != len(actual.Args) {
		return
	}
	for i, a := range declared.Args {
		unify(a, actual.Args[i], c, bound)
	}
}

// superTypes returns the embedded structs of t that have a class, other than
// class: those that represent the superclass. Java has one.
func superTypes(t reflect.Type, class string, classes map[reflect.Type]string) []reflect.Type {
	var found []reflect.Type
	for i := range t.NumField() {
		f := t.Field(i)
		tag, err := ParseTag(f.Tag.Get(TagKey))
		if err != nil || tag.Skip || !lends(f, tag) {
			continue
		}
		if name := ClassName(f.Type, classes); name != "" && name != class {
			found = append(found, f.Type)
			continue
		}
		found = append(found, superTypes(f.Type, class, classes)...)
	}
	return found
}
