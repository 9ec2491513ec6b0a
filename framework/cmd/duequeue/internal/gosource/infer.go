package gosource

import (
	"go/types"

	"github.com/duequeue/duequeue/codecs/java"
)

// infer returns the type arguments of class c that Go type t shows, by the name
// of the parameter.
func (d *describer) infer(t types.Type, c *java.Class) map[string]java.TypeExpr {
	bound := map[string]java.TypeExpr{}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		if described, err := d.describeElements(t); err == nil {
			unify(c.Super, described, c, bound)
		}
		return bound
	}
	fields, _ := d.pkg.rawFields(t)
	for _, f := range fields {
		if f.level == c.Name && f.tag.Type.Mentions(c) {
			if actual, err := d.describe(f.typ); err == nil {
				unify(f.tag.Type, actual, c, bound)
			}
		}
	}
	for _, super := range d.pkg.superTypes(s, c.Name) {
		if actual, err := d.describe(super); err == nil && actual.Class == c.Super.Class {
			unify(c.Super, actual, c, bound)
		}
	}
	return bound
}

func (d *describer) describeElements(t types.Type) (java.TypeExpr, error) {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return d.describeGeneric("java.util.Map", u.Key(), u.Elem())
	case *types.Slice:
		return d.describeGeneric("java.util.List", u.Elem())
	}
	return java.TypeExpr{}, nil
}

// holders hold one value: a Go type may stand for the value itself.
var holders = map[string]bool{
	"java.util.Optional": true, "java.util.OptionalInt": true, "java.util.OptionalLong": true, "java.util.OptionalDouble": true,
	"java.util.concurrent.atomic.AtomicBoolean": true, "java.util.concurrent.atomic.AtomicInteger": true,
	"java.util.concurrent.atomic.AtomicLong": true, "java.util.concurrent.atomic.AtomicReference": true,
}

// unify binds the type variables of c in a declared type to what stands there in
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
	if holders[declared.Class] && len(declared.Args) == 1 && len(actual.Args) == 0 {
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
