package java

import (
	"cmp"
	"strings"
)

// Boxed returns t with a primitive replaced by its wrapper: int gives
// java.lang.Integer. Arrays and all other types stay as they are.
func (t TypeExpr) Boxed() TypeExpr {
	if t.Primitive() {
		return TypeExpr{Class: wrappers[t.Class], Variance: t.Variance}
	}
	return t
}

// Unboxed returns the primitive of a wrapper: java.lang.Integer gives int. All
// other types stay as they are.
func (t TypeExpr) Unboxed() TypeExpr {
	if t.Dims == 0 {
		if p := primitiveBy(func(p *primitive) bool { return p.wrapper == t.Class }); p != nil {
			return TypeExpr{Class: p.name, Variance: t.Variance}
		}
	}
	return t
}

// Elem returns the type of the elements of an array type, and whether t is one.
func (t TypeExpr) Elem() (TypeExpr, bool) {
	if t.Dims == 0 {
		return TypeExpr{}, false
	}
	t.Dims--
	t.Variance = Exact
	return t, true
}

// Bounds returns the type that t is known to be within class c, which may be nil:
// ? and ? super X are java.lang.Object, ? extends X is X, a type variable of c is
// its bound. Arguments of t stay as they are.
func (t TypeExpr) Bounds(c *Class) TypeExpr {
	object := TypeExpr{Class: objectClass}
	switch t.Variance {
	case Unbounded, Super:
		return object
	case Extends, Exact:
	}
	t.Variance = Exact
	for range len(cOf(c).Params) + 1 {
		p, ok := c.param(t.Class)
		if !ok || len(t.Args) > 0 {
			return t
		}
		dims := t.Dims
		t = p.Bound
		if t.IsZero() {
			t = object
		}
		t.Dims += dims
	}
	return object // variables that bound each other
}

func cOf(c *Class) *Class {
	if c == nil {
		return &Class{}
	}
	return c
}

// Erasure returns the class that the JVM knows for t declared within class c,
// which may be nil: without type arguments, type variables as their bounds. The
// name is as Class.getName gives it: "java.util.List", "int", "[I",
// "[[Ljava.lang.String;". The zero type gives java.lang.Object.
func (t TypeExpr) Erasure(c *Class) string {
	t = t.Bounds(c)
	if t.Dims == 0 {
		return cmp.Or(t.Class, objectClass)
	}
	return strings.Repeat("[", t.Dims) + signature(cmp.Or(t.Class, objectClass))
}

func signature(class string) string {
	if p := primitiveNamed(class); p != nil {
		return string(p.letter)
	}
	return "L" + class + ";"
}

// TypeOf returns the type of a class name as Class.getName gives it: "[I" gives
// int[], "[[Ljava.lang.String;" java.lang.String[][]. It also reads JVM field
// descriptors of arrays and classes: "[Ljava/lang/String;", "Ljava/lang/String;".
// A single letter is a class of that name, not a primitive.
func TypeOf(class string) TypeExpr {
	name := strings.TrimLeft(class, "[")
	dims := len(class) - len(name)
	if dims > 0 && len(name) == 1 {
		if p := primitiveBy(func(p *primitive) bool { return p.letter == name[0] }); p != nil {
			return TypeExpr{Class: p.name, Dims: dims}
		}
	}
	if strings.HasPrefix(name, "L") && strings.HasSuffix(name, ";") && len(name) > 2 {
		name = strings.ReplaceAll(name[1:len(name)-1], "/", ".")
	}
	return TypeExpr{Class: name, Dims: dims}
}

// Substitute returns t with the type variables of class c replaced by args, one
// for each type parameter in order, also inside type arguments. A variable
// without an argument stays; so does all of t where c has no parameters.
func (t TypeExpr) Substitute(c *Class, args []TypeExpr) TypeExpr {
	for i, p := range cOf(c).Params {
		if p.Name == t.Class && len(t.Args) == 0 && i < len(args) {
			out := args[i]
			out.Dims += t.Dims
			if t.Variance != Exact && out.Variance == Exact {
				out.Variance = t.Variance
			}
			return out
		}
	}
	if len(t.Args) > 0 {
		out := make([]TypeExpr, len(t.Args))
		for i, a := range t.Args {
			out[i] = a.Substitute(c, args)
		}
		t.Args = out
	}
	return t
}

// Mentions reports whether t or one of its arguments is a type variable of c.
func (t TypeExpr) Mentions(c *Class) bool {
	if c.Variable(t) {
		return true
	}
	for _, a := range t.Args {
		if a.Mentions(c) {
			return true
		}
	}
	return false
}
