package gotypes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// ClassesOf returns every Java class that Go type t names, with the fields and
// their declared types: classes of structs and their embedded superclasses, enums,
// classes of slices and maps, at any depth; and after them the classes of all
// types in opts.Classes, so that a declaration can add what t does not mention:
// subclasses that any holds, and Go structs for a class as it was before a
// deployment (a second struct with the same class is its next variant).
//
// All mistakes are reported together as joined [*TypeError], [*TagError] and
// [*java.ClassError] values: declarations that do not read, fields whose type must be
// given in a tag, type parameters that no field uses, two superclasses, an
// inheritance that runs in a circle. A type parameter that no field uses is taken
// where the tags of all fields of its struct give the declared type, or there are
// none: then none of them can be meant.
func ClassesOf(t reflect.Type, opts codecs.BindOptions) (*java.Classes, error) {
	k := newClassCollector(opts)
	if t == nil {
		return nil, &TypeError{Reason: "no type given"}
	}
	k.walk(t, "")
	k.walkOptions()
	return k.classSet()
}

func newClassCollector(opts codecs.BindOptions) *classCollector {
	return &classCollector{opts: opts, seen: map[reflect.Type]bool{}}
}

type classCollector struct {
	opts codecs.BindOptions
	seen map[reflect.Type]bool
	list []*java.Class
	errs []error
}

// classSet returns what was collected as a set.
func (k *classCollector) classSet() (*java.Classes, error) {
	set, err := java.NewClasses(k.list...)
	if err != nil {
		k.errs = append(k.errs, err)
	}
	if len(k.errs) > 0 {
		return nil, errors.Join(k.errs...)
	}
	return set, nil
}

// walkOptions visits the types that only the options name, in a definite order.
func (k *classCollector) walkOptions() {
	more := slices.SortedFunc(maps.Keys(k.opts.Classes), func(a, b reflect.Type) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.PkgPath(), b.PkgPath()))
	})
	for _, t := range more {
		k.walk(t, "")
	}
}

func (k *classCollector) fail(t reflect.Type, path, reason string, err error) {
	k.errs = append(k.errs, &TypeError{Type: t, Path: path, Reason: reason, Err: err})
}

func (k *classCollector) walk(t reflect.Type, path string) {
	if k.seen[t] || t == reflect.TypeFor[time.Time]() || jdk.Own(t) {
		return
	}
	k.seen[t] = true
	if t.Kind() == reflect.Pointer {
		k.walk(t.Elem(), path)
		if k.opts.Classes[t] == "" {
			return
		}
	}
	if declarationOf(t, k.opts.Classes) != "" {
		k.declare(t, path)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		k.walk(t.Elem(), errpath.Join(path, "[]"))
	case reflect.Map:
		k.walk(t.Key(), errpath.Join(path, "[key]"))
		k.walk(t.Elem(), errpath.Join(path, "[]"))
	case reflect.Struct:
		k.walkFields(t, path)
	default:
	}
}

// walkFields visits the fields of a struct, and the embedded ones that represent
// a superclass. Mistakes in tags are reported once, where the fields are read.
func (k *classCollector) walkFields(t reflect.Type, path string) {
	if IsValue(t) {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, err := ParseTag(f.Tag.Get(TagKey))
		if err == nil && !tag.Skip && (f.IsExported() || lends(f, tag)) {
			k.walk(f.Type, errpath.Join(path, f.Name))
		}
	}
}

// declare adds the class of a Go type.
func (k *classCollector) declare(t reflect.Type, path string) {
	c, err := DeclaredClass(t, k.opts)
	t = gotype.PointedTo(t)
	if err == nil && t.Kind() == reflect.Struct {
		err = k.fillStruct(t, c, path)
	}
	if err != nil {
		k.fail(t, path, "its Java class is not usable", err)
		return
	}
	k.list = append(k.list, c)
}

// fillStruct adds superclass and fields to the class of a struct.
func (k *classCollector) fillStruct(t reflect.Type, c *java.Class, path string) error {
	fields, err := FieldsOf(t, k.opts)
	if err != nil {
		return err
	}
	if err := k.fillSuper(t, c); err != nil {
		return err
	}
	used, explicit := mentioned(c.Super, c, nil), true
	for _, f := range fields {
		if f.Level != c.Name {
			continue
		}
		if f.Declared.IsZero() {
			_, err := newDescriber(k.opts.Classes).within(t).describe(f.GoType)
			k.fail(f.GoType, errpath.Join(path, f.GoName), "its declared type is unknown", err)
			continue
		}
		used = mentioned(f.Declared, c, used)
		explicit = explicit && !f.Type.IsZero()
		c.Fields = append(c.Fields, java.ClassField{Name: f.Name, Type: f.Declared, Format: f.Format})
	}
	for _, p := range c.Params {
		if !used[p.Name] && !explicit {
			return fmt.Errorf("no field uses its type parameter %s: give the field its declared type, such as java:\"data,%s\"; "+
				"where Java's fields do not use it either, give all of them theirs", p.Name, p.Name)
		}
	}
	return nil
}

// fillSuper takes the superclass from an embedded struct, or compares it with
// what the declaration says.
func (k *classCollector) fillSuper(t reflect.Type, c *java.Class) error {
	supers := superTypes(t, c.Name, k.opts.Classes)
	switch {
	case len(supers) == 0:
		return nil
	case len(supers) > 1:
		return fmt.Errorf("%s and %s both represent its superclass: Java has one; give the others a name in the tag", supers[0], supers[1])
	case c.Kind == java.KindRecord:
		return fmt.Errorf("a record has no superclass: give the embedded %s a name in the tag", supers[0])
	}
	super, err := newDescriber(k.opts.Classes).describe(supers[0])
	if err != nil {
		return err
	}
	if c.Super.IsZero() {
		if len(c.Params) > 0 && len(super.Args) > 0 {
			return fmt.Errorf("say which arguments it gives its superclass: %s extends %s<…>", c.Type(), super.Class)
		}
		c.Super = super
	}
	if c.Super.Class != super.Class {
		return fmt.Errorf("its declaration says that it extends %s, but the struct embeds %s (class %s)", c.Super.Class, supers[0], super.Class)
	}
	return nil
}

// mentioned adds the type variables of c that t names to used.
func mentioned(t java.TypeExpr, c *java.Class, used map[string]bool) map[string]bool {
	if used == nil {
		used = map[string]bool{}
	}
	if c.Variable(t) {
		used[t.Class] = true
	}
	for _, a := range t.Args {
		mentioned(a, c, used)
	}
	return used
}
