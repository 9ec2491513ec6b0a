package gotypes

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// DescribeType returns the declared Java type of a field of Go type t: the one
// of its tag, or else what the Go type implies:
//
//	bool int8 int16 int32 int64 float32 float64 Char    boolean byte short int long float double char
//	int, uint8 uint16 uint32 uint uint64                int, short int long int long
//	pointers to those                                   the wrappers: java.lang.Integer …
//	string, *string                                     java.lang.String
//	time.Time, *time.Time                               java.util.Date
//	types of this package, *big.Int                     their class
//	decimals: Coefficient, Exponent and UnmarshalText   java.math.BigDecimal
//	time.Duration                                       long
//	[16]byte types                                      java.util.UUID
//	[]byte                                              byte[]
//	[]T                                                 java.util.List<T>, with wrappers for primitives
//	map[K]V                                             java.util.Map<K,V>, the same way
//	types with a Java class                             that class, with type arguments where it has parameters
//	other structs                                       java.util.Map
//	any                                                 java.lang.Object
//
// Type arguments are found by comparing the tags of the type's fields with their
// Go types: where demo.Result<T> says java:"data,T" of a field of type Order, T is
// the class of Order. The result is zero where the Go type leaves the Java type
// open, as Enum, *Object and Text do, and where it has none.
func DescribeType(t reflect.Type, tag java.TypeExpr, opts codecs.BindOptions) java.TypeExpr {
	if !tag.IsZero() {
		return tag
	}
	described, err := newDescriber(opts.Classes).describe(t)
	if err != nil {
		return java.TypeExpr{}
	}
	return described
}

const objectClass = "java.lang.Object"

// describer finds what Go types imply. It is used for one call.
type describer struct {
	classes map[reflect.Type]string
	known   map[reflect.Type]java.TypeExpr
	active  []reflect.Type
	self    reflect.Type // the class whose fields are described
}

func newDescriber(classes map[reflect.Type]string) *describer {
	return &describer{classes: classes, known: map[reflect.Type]java.TypeExpr{}}
}

// within returns d for the fields of the class that Go type self represents: there
// the type itself is meant with its own parameters, as in Tree<T> { Tree<T> left; }.
func (d *describer) within(self reflect.Type) *describer {
	if d.self == self {
		return d
	}
	return &describer{classes: d.classes, known: map[reflect.Type]java.TypeExpr{}, self: self}
}

func (d *describer) describe(t reflect.Type) (java.TypeExpr, error) {
	if known, ok := d.known[t]; ok {
		return known, nil
	}
	if slices.Contains(d.active, t) {
		if c := d.class(t); c != nil {
			return java.TypeExpr{Class: c.Name}, nil
		}
		return java.TypeExpr{}, fmt.Errorf("%s contains itself: give the declared type in a tag", t)
	}
	d.active = append(d.active, t)
	described, err := d.describeNew(t)
	d.active = d.active[:len(d.active)-1]
	if err == nil {
		d.known[t] = described
	}
	return described, err
}

// class returns the declared class of t itself, nil where there is none or its
// declaration does not read.
func (d *describer) class(t reflect.Type) *java.Class {
	decl := declarationOf(t, d.classes)
	if decl == "" {
		return nil
	}
	c, err := java.ParseClass(decl)
	if err != nil {
		return nil
	}
	return c
}

func (d *describer) describeNew(t reflect.Type) (java.TypeExpr, error) {
	if v := jdk.OfType(t); v != nil {
		if v.Declared == "" {
			return java.TypeExpr{}, fmt.Errorf("%s represents any class of its kind: give the declared type in a tag", t)
		}
		return java.TypeExpr{Class: v.Declared}, nil
	}
	if t == reflect.TypeFor[any]() {
		return java.TypeExpr{Class: objectClass}, nil
	}
	if t.Kind() == reflect.Pointer {
		return d.describePointer(t)
	}
	if c := d.class(t); c != nil {
		return d.describeClass(t, c), nil
	}
	if gotype.IsDecimal(t) {
		return java.TypeExpr{Class: "java.math.BigDecimal"}, nil
	}
	if scalar := ScalarType(t.Kind()); !scalar.IsZero() {
		return scalar, nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return java.TypeExpr{Class: "byte", Dims: 1}, nil
		}
		return d.describeGeneric("java.util.List", t.Elem())
	case reflect.Map:
		return d.describeGeneric("java.util.Map", t.Key(), t.Elem())
	case reflect.Struct:
		return java.TypeExpr{Class: "java.util.Map"}, nil
	case reflect.Interface:
		if gotype.Implemented(t, d.classes) {
			return java.TypeExpr{Class: objectClass}, nil
		}
	case reflect.Array:
		if gotype.IsUUID(t) {
			return java.TypeExpr{Class: "java.util.UUID"}, nil
		}
	default:
	}
	return java.TypeExpr{}, fmt.Errorf("no Java type corresponds to %s", t)
}

func (d *describer) describePointer(t reflect.Type) (java.TypeExpr, error) {
	if t.Elem().Kind() == reflect.Pointer {
		return java.TypeExpr{}, errors.New(gotype.PointerToPointer)
	}
	if c := d.class(t); c != nil && d.classes[t] != "" {
		return d.describeClass(t.Elem(), c), nil
	}
	elem, err := d.describe(t.Elem())
	return elem.Boxed(), err
}

func (d *describer) describeGeneric(class string, args ...reflect.Type) (java.TypeExpr, error) {
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

// describeClass returns the type of a Go type with class c: with its arguments
// as far as they are known, ? for others, and none where all are unknown.
func (d *describer) describeClass(t reflect.Type, c *java.Class) java.TypeExpr {
	if t == d.self {
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
