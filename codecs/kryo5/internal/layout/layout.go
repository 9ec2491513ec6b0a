package layout

import (
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxSupers bounds a chain of superclasses, so that a circle ends.
const maxSupers = 64

const (
	objectClass = "java.lang.Object"
	stringClass = "java.lang.String"
)

// Form says how the value of a field is written.
type Form uint8

// The forms.
const (
	// Primitive values have no class and no null; Field.Class names the primitive.
	Primitive Form = iota
	// Text is a String without class; its null is 0x80. With references on it is
	// written like Known.
	Text
	// Known values have the class Field.Class and may be null.
	Known
	// Open values are written with their class, unless Field.Type is a type
	// variable that Scope.Field resolves to a final class.
	Open
)

// Field is one field of a bean or component of a record.
type Field struct {
	Name  string
	Level string // the class that declares it
	Form  Form
	Class string // declared class as Class.getName gives it, type variables resolved where they are static: as Kryo does for Known values, as Java does for Open ones
	Type  *Type  // context of the value; nil in records
}

// Bean is the layout of one class. It is immutable.
type Bean struct {
	Class  *java.Class
	Fields []Field // in wire order, with those of the superclasses

	params int      // type parameters of the class itself
	vars   []string // variables that arguments bind, in groups
	counts []int    // size of the group of each type parameter of the class and its superclasses
}

// Finder finds the description of a class by its binary name, nil where there is
// none, as the Find method of a set of classes does.
type Finder func(name string) *java.Class

// Generic reports whether type arguments can bind anything in b.
func (b *Bean) Generic() bool { return len(b.vars) > 0 }

// Of returns the layout of class c, a bean or a record, whose superclasses and
// field types find describes. The error names a superclass that is unknown or a
// chain of them that does not end.
func Of(c *java.Class, find Finder) (*Bean, error) {
	chain, err := superclasses(c, find)
	if err != nil {
		return nil, err
	}
	b := &Bean{Class: c}
	if c.Kind == java.KindRecord {
		b.Fields = records(c, find)
	} else {
		r := resolver{chain: chain, find: find}
		for i, level := range chain {
			for _, f := range level.Fields {
				b.Fields = append(b.Fields, r.field(i, f))
			}
		}
		b.params = len(c.Params)
		b.vars, b.counts = r.groups()
	}
	slices.SortStableFunc(b.Fields, func(x, y Field) int { return javatext.Compare(x.Name, y.Name) })
	return b, nil
}

// superclasses returns c and its superclasses up to, without, java.lang.Object.
func superclasses(c *java.Class, find Finder) ([]*java.Class, error) {
	chain := []*java.Class{c}
	for at := c; c.Kind == java.KindBean && !at.Super.IsZero() && at.Super.Class != objectClass; {
		super := find(at.Super.Class)
		switch {
		case super == nil:
			return nil, fmt.Errorf("the superclass %s of %s is not described: embed its Go struct or declare its class", at.Super.Class, at.Name)
		case len(chain) == maxSupers:
			return nil, fmt.Errorf("%s has more than %d superclasses, or is its own", c.Name, maxSupers)
		}
		chain = append(chain, super)
		at = super
	}
	return chain, nil
}

// records returns the components of a record. Kryo looks at their erased types
// alone.
func records(c *java.Class, find Finder) []Field {
	r := resolver{chain: []*java.Class{c}, find: find}
	fields := make([]Field, len(c.Fields))
	for i, f := range c.Fields {
		class := r.erasure(0, f.Type)
		fields[i] = Field{Name: f.Name, Level: c.Name, Class: class, Form: formOf(class, find)}
	}
	return fields
}

func formOf(class string, find Finder) Form {
	switch {
	case jdk.Primitives[class] != "":
		return Primitive
	case class == stringClass:
		return Text
	case Final(class, find):
		return Known
	}
	return Open
}

// field returns the layout of a field that level i of the chain declares.
func (r *resolver) field(i int, f java.ClassField) Field {
	t := r.typeOf(i, f.Type)
	class := t.Class
	if class == "" {
		class = r.erasure(i, f.Type)
		t.Array = f.Type.Dims > 0
	}
	form := formOf(class, r.find)
	if form == Open {
		class = r.declared(i, f.Type)
	}
	return Field{Name: f.Name, Level: r.chain[i].Name, Class: class, Type: t, Form: form}
}
