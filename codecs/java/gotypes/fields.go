package gotypes

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/java"
)

// FieldDesc describes one Java field of a Go struct.
type FieldDesc struct {
	Name     string        // Java field name
	Type     java.TypeExpr // Java type from the tag; zero when it gives none
	Declared java.TypeExpr // Type, or else what the Go type implies, see [DescribeType]; zero where that is unknown
	Format   java.FieldFormat
	Zone     *time.Location // that of Format
	// Level is the name of the Java class that declares the field: that of the
	// struct or of an embedded superclass. Empty where the struct has no class.
	Level  string
	GoName string       // Go field path, for example "Base.ID"
	GoType reflect.Type // type of the Go field
	Index  []int        // for reflect.Value.FieldByIndex
	Owner  reflect.Type // the Go struct that represents Level
}

// FieldsOf returns the Java fields of struct type t (or of the struct that t
// points to) in the order of declaration, with the Java classes that a declaration adds.
//
// Unexported fields and those tagged "-" are left out. An embedded struct without
// a name in its tag lends its own fields. Where it and the struct around it
// have Java classes, it is the superclass, and its fields keep that Level; else it
// only lends its fields. With a name in its tag it is a field like any other. An
// embedded pointer without a name is an error, and so are two fields with one Java
// name at one level and a tag on an unexported field.
// All mistakes are reported together as joined [*TagError] values.
func FieldsOf(t reflect.Type, opts codecs.BindOptions) ([]FieldDesc, error) {
	fields, err := rawFields(t, opts.Classes)
	d := newDescriber(opts.Classes)
	for i := range fields {
		f := &fields[i]
		f.Declared = f.Type
		if f.Type.IsZero() {
			d = d.within(f.Owner)
			f.Declared, _ = d.describe(f.GoType)
		}
		if wrong := f.Format.Check(f.Declared, f.GoType); wrong != nil {
			tag := gotype.PointedTo(t).FieldByIndex(f.Index).Tag.Get(TagKey)
			err = errors.Join(err, &TagError{Type: gotype.PointedTo(t), Field: f.GoName, Tag: tag, Reason: "bad tag", Err: wrong})
		}
	}
	return fields, err
}

// rawFields collects the fields without what their Go types imply.
func rawFields(t reflect.Type, classes map[reflect.Type]string) ([]FieldDesc, error) {
	t = gotype.PointedTo(t)
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	c := fieldCollector{root: t, classes: classes, names: map[[2]string]string{}}
	c.collect(structLevel{t, ClassName(t, classes)}, t, nil, "")
	return c.fields, errors.Join(c.errs...)
}

type fieldCollector struct {
	root    reflect.Type
	classes map[reflect.Type]string
	names   map[[2]string]string // level and Java name to Go path
	fields  []FieldDesc
	errs    []error
}

// structLevel is one class of an inheritance and the Go struct that represents it.
type structLevel struct {
	owner reflect.Type
	class string
}

func (c *fieldCollector) collect(level structLevel, t reflect.Type, index []int, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if err := c.add(level, f, at, path+f.Name); err != nil {
			err.Type, err.Field, err.Tag = c.root, path+f.Name, f.Tag.Get(TagKey)
			c.errs = append(c.errs, err)
		}
	}
}

// inner returns the level of the fields of an embedded struct.
func (l structLevel) inner(t reflect.Type, classes map[reflect.Type]string) structLevel {
	if l.class == "" {
		return l
	}
	if class := ClassName(t, classes); class != "" && class != l.class {
		return structLevel{t, class}
	}
	return l
}

func (c *fieldCollector) add(level structLevel, f reflect.StructField, index []int, path string) *TagError {
	text, tagged := f.Tag.Lookup(TagKey)
	tag, err := ParseTag(text)
	switch {
	case err != nil:
		return &TagError{Reason: "bad tag", Err: err}
	case tag.Skip:
		return nil
	case lends(f, tag):
		c.collect(level.inner(f.Type, c.classes), f.Type, index, path+".")
		return nil
	case f.Anonymous && tag.Name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
		return &TagError{Reason: "an embedded pointer lends no fields: embed the struct itself, or give the field a name"}
	case !f.IsExported() && tagged:
		return &TagError{Reason: "an unexported field cannot be set: export it or drop the tag"}
	case !f.IsExported():
		return nil
	}
	name := tag.Name
	if name == "" {
		name = DefaultName(f.Name)
	}
	key := [2]string{level.class, name}
	if other, taken := c.names[key]; taken {
		return &TagError{Reason: fmt.Sprintf("the Java name %q is already that of field %s", name, other)}
	}
	zone, err := tag.Format.Location()
	if err != nil {
		return &TagError{Reason: "bad tag", Err: err}
	}
	c.names[key] = path
	c.fields = append(c.fields, FieldDesc{
		Name: name, Type: tag.Type, Format: tag.Format, Zone: zone, Level: level.class, Owner: level.owner,
		GoName: path, GoType: f.Type, Index: index,
	})
	return nil
}

// lends reports whether an embedded struct lends its own fields.
func lends(f reflect.StructField, tag Tag) bool {
	return f.Anonymous && tag.Name == "" && f.Type.Kind() == reflect.Struct && !IsValue(f.Type)
}
