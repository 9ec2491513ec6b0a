package layout

import (
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// Type is a generic type as Kryo keeps it: what is known when the class is first
// seen. It is immutable.
type Type struct {
	Class string // class as Class.getName gives it; empty for a type variable
	Var   string // the type variable: the class that declares it, then # and its name
	Array bool   // of a field: an array of the type variable
	Args  []*Type
}

// Declared returns the class that a place of type t is declared as; "" where nothing is known.
func (t *Type) Declared() string {
	if t == nil || t.Array {
		return ""
	}
	return t.Class
}

// resolver knows a class and its superclasses, the class first.
type resolver struct {
	chain []*java.Class
	find  Finder
}

// param returns the type parameter that e names at level i.
func (r *resolver) param(i int, e java.TypeExpr) *java.TypeParam {
	if e.Dims > 0 || len(e.Args) > 0 || e.Class == "" {
		return nil
	}
	for p := range r.chain[i].Params {
		if r.chain[i].Params[p].Name == e.Class {
			return &r.chain[i].Params[p]
		}
	}
	return nil
}

// generic reports whether reflection has more to say of an array's elements than
// their class.
func (r *resolver) generic(i int, e java.TypeExpr) bool {
	e.Dims = 0
	return len(e.Args) > 0 || r.param(i, e) != nil
}

// typeOf returns the type of a declaration at level i.
func (r *resolver) typeOf(i int, e java.TypeExpr) *Type {
	switch {
	case e.Variance != java.Exact:
		return r.resolve(i, e)
	case e.Dims > 0 && r.generic(i, e):
		element := e
		element.Dims = 0
		t := r.typeOf(i, element)
		if t.Class != "" {
			t.Class = jdk.ArrayName(t.Class, e.Dims)
		}
		return t
	case len(e.Args) > 0:
		t := &Type{Class: e.Class, Args: make([]*Type, len(e.Args))}
		for a := range e.Args {
			t.Args[a] = r.typeOf(i, e.Args[a])
		}
		return t
	}
	return r.resolve(i, e)
}

// resolve returns what e comes to without its type arguments: a class or a type
// variable. Bounds of wildcards lose theirs, as in Kryo.
func (r *resolver) resolve(i int, e java.TypeExpr) *Type {
	switch e.Variance {
	case java.Unbounded:
		return &Type{Class: objectClass}
	default:
		e.Variance = java.Exact
	}
	element := e
	element.Dims, element.Args = 0, nil
	if p := r.param(i, element); p != nil {
		level, bound := r.variable(i, 0, element, i, true)
		if level < 0 {
			return &Type{Class: jdk.ArrayName(bound.Class, e.Dims+bound.Dims)}
		}
		return &Type{Var: varName(r.chain[level], bound.Class)}
	}
	return &Type{Class: jdk.ArrayName(e.Class, e.Dims)}
}

// variable follows a type variable of level `from`, named by e at level `at`,
// through the classes between `from` and `current`, from the top down. It returns
// level -1 and a class where a subclass names one, and else the level and the name
// of a variable. Kryo matches by name alone; so does this.
func (r *resolver) variable(from, current int, e java.TypeExpr, at int, first bool) (int, java.TypeExpr) {
	c := r.chain[current]
	if len(c.Super.Args) == 0 || current+1 >= len(r.chain) {
		return at, e
	}
	if current+1 != from {
		if at, e = r.variable(from, current+1, e, at, false); at < 0 {
			return at, e
		}
	}
	for p, param := range r.chain[current+1].Params {
		if param.Name != e.Class || p >= len(c.Super.Args) {
			continue
		}
		arg := c.Super.Args[p]
		switch {
		case r.param(current, arg) == nil:
			return -1, r.argument(current, arg)
		case first:
			return at, e
		}
		return current, arg
	}
	return at, e
}

// argument returns the class of a type argument that is no bare variable.
func (r *resolver) argument(i int, e java.TypeExpr) java.TypeExpr {
	element := e
	element.Dims, element.Args = 0, nil
	if r.param(i, element) != nil { // an array of a variable that no class names
		return java.TypeExpr{Class: r.erasure(i, element), Dims: e.Dims}
	}
	return java.TypeExpr{Class: e.Class, Dims: e.Dims}
}

// erasure returns the class that Java's compiler puts in the place of e.
func (r *resolver) erasure(i int, e java.TypeExpr) string {
	dims := e.Dims
	for range maxSupers {
		element := e
		element.Dims, element.Args = 0, nil
		p := r.param(i, element)
		if p == nil {
			return jdk.ArrayName(e.Class, dims)
		}
		if p.Bound.IsZero() {
			break
		}
		e = p.Bound
	}
	return jdk.ArrayName(objectClass, dims)
}

// declared returns the class that Java's compiler lets into a field which level i
// declares as e. Unlike Kryo it knows the variables of one class from those of
// another with the same names.
func (r *resolver) declared(i int, e java.TypeExpr) string {
	dims := e.Dims
	for ; i > 0; i-- {
		place := slices.IndexFunc(r.chain[i].Params, func(p java.TypeParam) bool { return p.Name == e.Class })
		if place < 0 || place >= len(r.chain[i-1].Super.Args) {
			break
		}
		e = r.chain[i-1].Super.Args[place]
		dims += e.Dims
	}
	return r.erasure(i, java.TypeExpr{Class: e.Class, Dims: dims})
}

func varName(c *java.Class, name string) string { return c.Name + "#" + name }

// groups returns, for each type parameter of the class and then of each of its
// superclasses, the variables that an argument in its place binds: itself and the
// parameters of superclasses it is passed to. They stand one after the other;
// counts are the sizes of the groups.
func (r *resolver) groups() (vars []string, counts []int) {
	for i, c := range r.chain {
		for _, p := range c.Params {
			group := r.group(i, p.Name)
			vars, counts = append(vars, group...), append(counts, len(group))
		}
	}
	return vars, counts
}

func (r *resolver) group(level int, name string) []string {
	vars := []string{varName(r.chain[level], name)}
	owner := level
	for i := level; i+1 < len(r.chain); i++ {
		args := r.chain[i].Super.Args
		if len(args) == 0 {
			break
		}
		params := r.chain[i+1].Params
		for a, arg := range args {
			if a >= len(params) || owner != i || arg.Class != name || arg.Dims > 0 {
				continue
			}
			owner, name = i+1, params[a].Name
			vars = append(vars, varName(r.chain[owner], name))
		}
	}
	return vars
}
