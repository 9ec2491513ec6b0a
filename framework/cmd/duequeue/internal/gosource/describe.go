package gosource

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// values are the Go types that are one Java value, by their spelling with the whole
// import path.
var values = func() map[string]gotypes.ValueType {
	m := map[string]gotypes.ValueType{}
	for _, v := range gotypes.ValueTypes() {
		t, star := v.Go, ""
		if t.Kind() == reflect.Pointer {
			t, star = t.Elem(), "*"
		}
		m[star+t.PkgPath()+"."+t.Name()] = v
	}
	return m
}()

// kinds are those of Go's basic types, by name.
var kinds = func() map[string]reflect.Kind {
	m := map[string]reflect.Kind{}
	for k := reflect.Bool; k <= reflect.UnsafePointer; k++ {
		m[k.String()] = k
	}
	return m
}()

// describer finds the declared Java types that Go types imply, as
// gotypes.DescribeType does.
type describer struct {
	pkg    *Package
	known  map[string]java.TypeExpr
	active []string
	self   types.Type // the class whose fields are described
}

func (p *Package) describer(self types.Type) *describer {
	return &describer{pkg: p, known: map[string]java.TypeExpr{}, self: self}
}

func (d *describer) describe(t types.Type) (java.TypeExpr, error) {
	t = types.Unalias(t)
	key := spelling(t)
	if known, ok := d.known[key]; ok {
		return known, nil
	}
	if slices.Contains(d.active, key) {
		if c := d.pkg.class(t); c != nil {
			return java.TypeExpr{Class: c.Name}, nil
		}
		return java.TypeExpr{}, fmt.Errorf("%s contains itself: give the declared type in a tag", short(t))
	}
	d.active = append(d.active, key)
	described, err := d.describeNew(t, key)
	d.active = d.active[:len(d.active)-1]
	if err == nil {
		d.known[key] = described
	}
	return described, err
}

func (d *describer) describeNew(t types.Type, key string) (java.TypeExpr, error) {
	if v, ok := values[key]; ok {
		if v.Declared.IsZero() {
			return java.TypeExpr{}, fmt.Errorf("%s can hold several Java classes: give the declared type in a tag", short(t))
		}
		return v.Declared, nil
	}
	switch u := t.(type) {
	case *types.Pointer:
		return d.describePointer(u)
	case *types.TypeParam:
		return java.TypeExpr{}, fmt.Errorf("%s is a type parameter: give the declared type in a tag", short(t))
	}
	if foreign(t) {
		return java.TypeExpr{}, fmt.Errorf("%s belongs to another module, which is not read: give the declared type in a tag", short(t))
	}
	if c := d.pkg.class(t); c != nil {
		return d.describeClass(t, c), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.Invalid {
			return java.TypeExpr{}, errors.New("its Go type is not defined, or its package cannot be read")
		}
		if scalar := gotypes.ScalarType(kinds[types.Typ[u.Kind()].Name()]); !scalar.IsZero() {
			return scalar, nil
		}
	case *types.Interface:
		if u.Empty() {
			return java.TypeExpr{Class: "java.lang.Object"}, nil
		}
	case *types.Slice:
		if isBytes(u) {
			return java.TypeExpr{Class: "byte", Dims: 1}, nil
		}
		return d.describeGeneric("java.util.List", u.Elem())
	case *types.Map:
		return d.describeGeneric("java.util.Map", u.Key(), u.Elem())
	case *types.Struct:
		return java.TypeExpr{Class: "java.util.Map"}, nil
	case *types.Array:
		if e, ok := u.Elem().Underlying().(*types.Basic); ok && u.Len() == 16 && e.Kind() == types.Uint8 {
			return java.TypeExpr{Class: "java.util.UUID"}, nil
		}
	}
	return java.TypeExpr{}, fmt.Errorf("no Java type corresponds to %s", short(t))
}

func isBytes(s *types.Slice) bool {
	e, ok := s.Elem().Underlying().(*types.Basic)
	return ok && e.Kind() == types.Uint8
}

func (d *describer) describePointer(t *types.Pointer) (java.TypeExpr, error) {
	if _, twice := types.Unalias(t.Elem()).(*types.Pointer); twice {
		return java.TypeExpr{}, errors.New("one pointer stands for null: a pointer to a pointer has no meaning in Java")
	}
	elem, err := d.describe(t.Elem())
	return elem.Boxed(), err
}

func (d *describer) describeGeneric(class string, args ...types.Type) (java.TypeExpr, error) {
	out := java.TypeExpr{Class: class}
	for _, t := range args {
		a, err := d.describe(t)
		if err != nil {
			return java.TypeExpr{}, err
		}
		out.Args = append(out.Args, a.Boxed())
	}
	return out, nil
}

func (d *describer) describeClass(t types.Type, c *java.Class) java.TypeExpr {
	if d.isSelf(t) {
		return c.Type()
	}
	out := java.TypeExpr{Class: c.Name}
	if len(c.Params) == 0 {
		return out
	}
	bound := d.infer(t, c)
	if len(bound) == 0 {
		return out
	}
	for _, p := range c.Params {
		arg, ok := bound[p.Name]
		if !ok {
			arg = java.TypeExpr{Variance: java.Unbounded}
		}
		out.Args = append(out.Args, arg)
	}
	return out
}

// isSelf reports whether t is the class being described with its own parameters.
func (d *describer) isSelf(t types.Type) bool {
	if d.self == nil {
		return false
	}
	if types.Identical(t, d.self) {
		return true
	}
	a, ok := t.(*types.Named)
	b, ok2 := d.self.(*types.Named)
	if !ok || !ok2 || a.Origin() != b.Origin() || a.TypeArgs().Len() != b.TypeParams().Len() {
		return false
	}
	for i := range a.TypeArgs().Len() {
		if !types.Identical(a.TypeArgs().At(i), b.TypeParams().At(i)) {
			return false
		}
	}
	return true
}

// spelling returns t with whole import paths, and aliases as what they stand for.
func spelling(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return "*" + spelling(p.Elem())
	}
	return types.TypeString(t, nil)
}

// opaque reports whether a struct type is one Java value, not a set of fields.
func opaque(t types.Type) bool {
	name := spelling(t)
	_, value := values[name]
	_, pointed := values["*"+name]
	return value || pointed
}

// foreign reports whether t is a stand-in.
func foreign(t types.Type) bool {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	return n.Obj().Pos() == 0
}

func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}
