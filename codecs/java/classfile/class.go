package classfile

import (
	"cmp"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

const (
	enumClass   = "java.lang.Enum"
	recordClass = "java.lang.Record"
)

func (f *File) isEnum() bool   { return f.Access.Is(Enum) && f.Super == enumClass }
func (f *File) isRecord() bool { return f.Record && f.Super == recordClass }

// isBody reports whether f is the class of an enum constant with a body.
func (f *File) isBody() bool { return f.Access.Is(Enum) && f.Super != enumClass }

// Class returns the descriptor that this file alone gives: Interfaces are only
// those it names itself, and Serial is set whether or not the class turns out to
// be serializable. [Source.Class] knows more. The error is a [*FormatError].
func (f *File) Class() (*java.Class, error) {
	c := &java.Class{Name: f.Name, Final: f.Access.Is(Final), Interfaces: f.Interfaces}
	if err := f.generics(c); err != nil {
		return nil, err
	}
	switch {
	case f.isEnum():
		c.Kind, c.Super = java.KindEnum, java.TypeExpr{}
		c.Constants = f.constants()
		return c, nil
	case f.isRecord():
		c.Kind, c.Super = java.KindRecord, java.TypeExpr{}
	}
	if serial, ok := f.SerialVersionUID(); ok {
		c.Serial = &serial
	}
	types := map[string]java.TypeExpr{} // a type that many fields share is read once
	for i := range f.Fields {
		m := &f.Fields[i]
		if m.Access&(Static|Transient|Synthetic) != 0 {
			continue
		}
		text := cmp.Or(m.Signature, m.Descriptor)
		t, known := types[text]
		if !known {
			var err error
			if t, err = fieldType(text); err != nil {
				return nil, f.wrap("field "+m.Name, err)
			}
			types[text] = t
		}
		c.Fields = append(c.Fields, java.ClassField{Name: m.Name, Type: t})
	}
	f.setFormats(c, nil)
	return c, nil
}

// generics sets the type parameters and the superclass.
func (f *File) generics(c *java.Class) error {
	if f.Super != objectClass {
		c.Super = java.TypeExpr{Class: f.Super}
	}
	if f.Signature == "" {
		return nil
	}
	params, super, err := classTypes(f.Signature)
	if err != nil {
		return f.wrap("", err)
	}
	c.Params = params
	if super.Class == f.Super && f.Super != objectClass {
		c.Super = super
	}
	return nil
}

func (f *File) wrap(reason string, err error) error {
	return &FormatError{Class: f.Name, Offset: -1, Reason: reason, Err: err}
}

// constants returns the enum constants in order of declaration, which is that of
// their ordinals.
func (f *File) constants() []java.Constant {
	var list []java.Constant
	made, json := f.constantClasses(), f.constantJSON()
	for _, m := range f.Fields {
		if !m.Access.Is(Enum | Static) {
			continue
		}
		c := java.Constant{Name: m.Name, JSON: json[m.Name]}
		if body := made[m.Name]; body != f.Name {
			c.Body = body
		}
		list = append(list, c)
	}
	return list
}

// custom reports whether java.io and River write something else of c, the class of
// f, than its fields: Java Object Serialization Specification 1.5, 2.3 and 2.5. Of
// a class that is not serializable, subclasses still inherit writeReplace.
func (f *File) custom(c *java.Class, external bool) bool {
	if c.Kind == java.KindEnum || f.Access.Is(Interface) {
		return false
	}
	for i := range f.Methods {
		m := &f.Methods[i]
		switch {
		case m.Access&(Static|Abstract) != 0:
		case m.Name == "writeReplace" && m.Descriptor == "()Ljava/lang/Object;":
			if !c.NotSerializable || !m.Access.Is(Private) {
				return true
			}
		case m.Name == "writeObject" && m.Descriptor == "(Ljava/io/ObjectOutputStream;)V":
			if m.Access.Is(Private) && c.Kind == java.KindBean && !c.NotSerializable {
				return true
			}
		}
	}
	if external {
		return true
	}
	m := f.Field("serialPersistentFields")
	return m != nil && m.Access.Is(Private|Static|Final) && m.Descriptor == "[Ljava/io/ObjectStreamField;" &&
		c.Kind == java.KindBean && !c.NotSerializable
}

func slashed(name string) string { return strings.ReplaceAll(name, ".", "/") }
