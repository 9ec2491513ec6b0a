package java

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// FieldDesc describes one Java field of a Go struct.
type FieldDesc struct {
	Name      string       // Java field name
	Type      TypeExpr     // Java type from the tag; zero when it gives none
	OmitEmpty bool         // flag omitempty
	GoName    string       // Go field path, for example "Base.ID"
	GoType    reflect.Type // type of the Go field
	Index     []int        // for reflect.Value.FieldByIndex
}

// FieldsOf returns the Java fields of struct type t (or of the struct that t
// points to) in the order of declaration.
//
// Unexported fields and those tagged "-" are left out. An embedded struct
// without a name in its tag stands for its own fields, as a Java superclass
// does; with one it is a field like any other. An embedded pointer without a
// name is an error, and so are two fields with one Java name and a tag on an
// unexported field.
// All mistakes are reported together as joined [*TagError] values.
func FieldsOf(t reflect.Type) ([]FieldDesc, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	c := fieldCollector{root: t, names: map[string]string{}}
	c.collect(t, nil, "")
	return c.fields, errors.Join(c.errs...)
}

type fieldCollector struct {
	root   reflect.Type
	names  map[string]string // Java name to Go path
	fields []FieldDesc
	errs   []error
}

func (c *fieldCollector) collect(t reflect.Type, index []int, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if err := c.add(f, at, path+f.Name); err != nil {
			err.Type, err.Field, err.Tag = c.root, path+f.Name, f.Tag.Get(TagKey)
			c.errs = append(c.errs, err)
		}
	}
}

func (c *fieldCollector) add(f reflect.StructField, index []int, path string) *TagError {
	text, tagged := f.Tag.Lookup(TagKey)
	tag, err := ParseTag(text)
	switch {
	case err != nil:
		return &TagError{Reason: "bad tag", Err: err}
	case tag.Skip:
		return nil
	case f.Anonymous && tag.Name == "" && f.Type.Kind() == reflect.Struct && !opaqueStruct(f.Type):
		c.collect(f.Type, index, path+".")
		return nil
	case f.Anonymous && tag.Name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
		return &TagError{Reason: "an embedded pointer stands for no fields: embed the struct itself, or give the field a name"}
	case !f.IsExported() && tagged:
		return &TagError{Reason: "an unexported field cannot be set: export it or drop the tag"}
	case !f.IsExported():
		return nil
	}
	name := tag.Name
	if name == "" {
		name = DefaultName(f.Name)
	}
	if other, taken := c.names[name]; taken {
		return &TagError{Reason: fmt.Sprintf("the Java name %q is already that of field %s", name, other)}
	}
	c.names[name] = path
	c.fields = append(c.fields, FieldDesc{
		Name: name, Type: tag.Type, OmitEmpty: tag.OmitEmpty,
		GoName: path, GoType: f.Type, Index: index,
	})
	return nil
}
