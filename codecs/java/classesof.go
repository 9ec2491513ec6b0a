package java

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// ClassesOf returns every Java class that Go type t names, with the fields and
// their declared types: classes of structs and their embedded superclasses, enums,
// classes of slices and maps, at any depth; and after them the classes of all
// types in opts.Classes, so that a declaration can add what t does not mention:
// subclasses that stand under any, and Go structs for a class as it was before a
// deployment (a second struct with the same class is its next variant).
//
// All mistakes are reported together as joined [*TypeError], [*TagError] and
// [*ClassError] values: declarations that do not read, fields whose type must be
// given in a tag, type parameters that no field uses, two superclasses, an
// inheritance that runs in a circle.
func ClassesOf(t reflect.Type, opts codecs.BindOptions) (*Classes, error) {
	k := newClassCollector(opts)
	if t == nil {
		return nil, &TypeError{Reason: "no type given"}
	}
	k.walk(t, "")
	k.walkOptions()
	return k.classSet()
}

func newClassCollector(opts codecs.BindOptions) *classCollector {
	return &classCollector{opts: opts, seen: map[reflect.Type]bool{}, byType: map[reflect.Type]*Class{}}
}

type classCollector struct {
	opts   codecs.BindOptions
	seen   map[reflect.Type]bool
	byType map[reflect.Type]*Class
	list   []*Class
	errs   []error
}

// classSet returns what was collected as a set.
func (k *classCollector) classSet() (*Classes, error) {
	set, err := NewClasses(k.list...)
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
	if k.seen[t] || t == timeType || isOwnType(t) {
		return
	}
	k.seen[t] = true
	if t.Kind() == reflect.Pointer {
		k.walk(t.Elem(), path)
		if k.opts.Classes[t] == "" {
			return
		}
	}
	if decl := declarationOf(t, k.opts.Classes); decl != "" {
		k.declare(t, decl, path)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		k.walk(t.Elem(), JoinPath(path, "[]"))
	case reflect.Map:
		k.walk(t.Key(), JoinPath(path, "[key]"))
		k.walk(t.Elem(), JoinPath(path, "[]"))
	case reflect.Struct:
		k.walkFields(t, path)
	default:
	}
}

// walkFields visits the fields of a struct, and the embedded ones that stand for
// a superclass. Mistakes in tags are reported once, where the fields are read.
func (k *classCollector) walkFields(t reflect.Type, path string) {
	if opaqueStruct(t) {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, err := ParseTag(f.Tag.Get(TagKey))
		if err == nil && !tag.Skip && (f.IsExported() || lends(f, tag)) {
			k.walk(f.Type, JoinPath(path, f.Name))
		}
	}
}

// declare adds the class of a Go type.
func (k *classCollector) declare(t reflect.Type, decl, path string) {
	c, err := ParseClass(decl)
	if err != nil {
		k.fail(t, path, "its Java class does not read", err)
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		err = k.fillStruct(t, c, path)
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if c.Kind != KindEnum || len(c.Constants) == 0 {
			err = fmt.Errorf("a %s type is an enum: declare it as enum %s {…} with its constants", t.Kind(), c.Name)
		}
	case reflect.Slice, reflect.Map:
		err = fillContainer(t, c)
	default:
		err = fmt.Errorf("a %s type cannot stand for a class", t.Kind())
	}
	if err != nil {
		k.fail(t, path, "it cannot stand for "+c.Name, err)
		return
	}
	k.byType[t] = c
	k.list = append(k.list, c)
}

// fillContainer checks the class of a slice or map type: a collection of its own.
func fillContainer(t reflect.Type, c *Class) error {
	if c.Kind != KindBean {
		return errors.New("a slice or map type is an ordinary class that extends one of the JDK's collections")
	}
	table := listClasses
	if t.Kind() == reflect.Map {
		table = mapClasses
	}
	if table[c.Super.Class] == "" {
		return fmt.Errorf("say which collection it extends: %s extends java.util.ArrayList<…>", c.Name)
	}
	return nil
}

// fillStruct adds superclass and fields to the class of a struct.
func (k *classCollector) fillStruct(t reflect.Type, c *Class, path string) error {
	if c.Kind == KindEnum {
		return errors.New("an enum is a named string or integer type")
	}
	if from := k.promotedFrom(t); from != nil {
		return fmt.Errorf("it takes this class from the embedded %s: give it a JavaClass method of its own, "+
			"or name it in BindOptions.Classes if it stands for that very class", from)
	}
	fields, err := BoundFieldsOf(t, k.opts)
	if err != nil {
		return err
	}
	if err := k.fillSuper(t, c); err != nil {
		return err
	}
	used := c.Super.mentioned(c, nil)
	for _, f := range fields {
		if f.Level != c.Name {
			continue
		}
		if f.Declared.IsZero() {
			_, err := newDescriber(k.opts.Classes).within(t).describe(f.GoType)
			k.fail(f.GoType, JoinPath(path, f.GoName), "its declared type is unknown", err)
			continue
		}
		used = f.Declared.mentioned(c, used)
		c.Fields = append(c.Fields, ClassField{Name: f.Name, Type: f.Declared})
	}
	for _, p := range c.Params {
		if !used[p.Name] {
			return fmt.Errorf("no field uses its type parameter %s: give the field its declared type, such as java:\"data,%s\"", p.Name, p.Name)
		}
	}
	return nil
}

// fillSuper takes the superclass from an embedded struct, or compares it with
// what the declaration says.
func (k *classCollector) fillSuper(t reflect.Type, c *Class) error {
	supers := superTypes(t, c.Name, k.opts.Classes)
	switch {
	case len(supers) == 0:
		return nil
	case len(supers) > 1:
		return fmt.Errorf("%s and %s both stand for its superclass: Java has one; give the others a name in the tag", supers[0], supers[1])
	case c.Kind == KindRecord:
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
		return fmt.Errorf("it is declared to extend %s, but embeds %s, which is %s", c.Super.Class, supers[0], super.Class)
	}
	return nil
}

// promotedFrom returns the embedded struct whose JavaClass method t has for want
// of its own, or nil.
func (k *classCollector) promotedFrom(t reflect.Type) reflect.Type {
	if k.opts.Classes[t] != "" || k.opts.Classes[reflect.PointerTo(t)] != "" {
		return nil
	}
	decl := declarationOf(t, nil)
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && declarationOf(f.Type, nil) == decl {
			return f.Type
		}
	}
	return nil
}

// mentioned adds the type variables of c that t names to used.
func (t TypeExpr) mentioned(c *Class, used map[string]bool) map[string]bool {
	if used == nil {
		used = map[string]bool{}
	}
	if c.Variable(t) {
		used[t.Class] = true
	}
	for _, a := range t.Args {
		a.mentioned(c, used)
	}
	return used
}
