package serial

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// Classes holds the descriptors of declared classes. It is immutable and safe for
// concurrent use.
type Classes struct {
	descs map[string]*Desc
	decl  *java.Classes
	loose bool
}

// NewClasses makes descriptors of declared classes, where that is possible: a
// class whose serialVersionUID or superclass is not known has none, and
// [Classes.Problem] says why. Of several variants the first one counts.
//
// In a loose format nothing checks a serialVersionUID: one that is not declared is 0, and a
// superclass that is not declared counts as not serializable. Records have no descriptor.
func NewClasses(decl *java.Classes, loose bool) *Classes {
	c := &Classes{descs: map[string]*Desc{}, decl: decl, loose: loose}
	for class := range decl.All() {
		if desc, err := c.build(class.Name); err == nil {
			c.descs[class.Name] = desc
		}
	}
	return c
}

// Find returns the descriptor of a class, or nil.
func (c *Classes) Find(class string) *Desc { return c.descs[class] }

// constant returns the name of an enum's constant, or "".
func (c *Classes) constant(class string, ordinal int) string {
	decl := c.decl.Find(class)
	if decl == nil || ordinal < 0 || ordinal >= len(decl.Constants) {
		return ""
	}
	return decl.Constants[ordinal].Name
}

// Problem returns why a class has no descriptor; nil where it has one.
func (c *Classes) Problem(class string) error {
	if desc := c.Find(class); desc != nil {
		return desc.fieldless()
	}
	_, err := c.build(class)
	return err
}

// NotSerializable reports whether a class is declared not to be Serializable: it
// is no level of any payload.
func (c *Classes) NotSerializable(class string) bool {
	decl := c.decl.Find(class)
	return decl != nil && decl.NotSerializable
}

// Refused returns why instances of a class that has a descriptor cannot be written
// from fields; nil where they can. Reading them is another thing.
func (c *Classes) Refused(class string) error {
	name := class
	for range MaxClassChain {
		decl := c.decl.Find(name)
		if decl == nil {
			return nil
		}
		if decl.Custom {
			what := "it"
			if name != class {
				what = "its superclass " + name
			}
			return errors.New(what + " writes itself in Java (custom: writeObject, writeExternal, writeReplace or " +
				"serialPersistentFields), which fields do not tell: such values are read only")
		}
		name = decl.Super.Class
	}
	return nil
}

func (c *Classes) build(class string) (*Desc, error) {
	if desc := c.descs[class]; desc != nil {
		return desc, nil
	}
	decl := c.decl.Find(class)
	if decl == nil {
		return nil, errors.New("it is not declared")
	}
	s := &java.Serial{Class: decl.Name, Flags: FlagSerializable}
	switch {
	case decl.Kind == java.KindEnum:
		return EnumClass(decl.Name), nil
	case decl.NotSerializable:
		return nil, errors.New("it is not Serializable in Java (serial none)")
	case c.loose && decl.Kind == java.KindRecord:
		return nil, errors.New("it is a record, which River cannot carry")
	case decl.Serial != nil:
		s.UID = *decl.Serial
	case c.loose:
	case decl.Kind != java.KindRecord:
		return nil, errors.New("its serialVersionUID is not known: add it to the class as in \"" + decl.Name +
			" serial 42\"; duequeue javadesc reads it from the .class file")
	}
	if decl.Custom {
		s.Flags |= FlagWriteMethod // read as such, never written: see Refused
	}
	super, err := c.super(decl)
	if err != nil {
		return nil, err
	}
	for _, f := range decl.Fields {
		s.Fields = append(s.Fields, java.SerialField{Name: f.Name, Signature: signature(f.Type, decl.Params)})
	}
	SortFields(s.Fields)
	return NewDesc(s, super)
}

func (c *Classes) super(decl *java.Class) (*Desc, error) {
	switch name := decl.Super.Class; {
	case name == "" || name == "java.lang.Object" || name == "java.lang.Record":
		return nil, nil
	case Known(name) != nil:
		if shapes[name] != nil && !derivable[name] {
			return nil, fmt.Errorf("it extends %s, whose own data cannot be written from fields", name)
		}
		return Known(name), nil
	case c.NotSerializable(name):
		return nil, nil // and none above it can be
	case c.decl.Find(name) == nil && c.loose:
		return nil, nil
	case c.decl.Find(name) == nil:
		return nil, fmt.Errorf("its superclass %s is not declared", name)
	default:
		super, err := c.build(name)
		if err != nil {
			return nil, fmt.Errorf("its superclass %s: %w; where that is not Serializable in Java, declare it \"%s serial none\"", name, err, name)
		}
		return super, nil
	}
}

// SortFields puts fields into the order of java.io: primitives first, each group by
// name.
func SortFields(fields []java.SerialField) {
	slices.SortStableFunc(fields, func(a, b java.SerialField) int {
		if p, q := len(a.Signature) == 1, len(b.Signature) == 1; p != q {
			if p {
				return -1
			}
			return 1
		}
		return javatext.Compare(a.Name, b.Name)
	})
}

// Erase replaces a type variable by what bounds it, and drops type arguments.
func Erase(t java.TypeExpr, params []java.TypeParam) java.TypeExpr {
	for range params { // a variable may be bounded by another one
		i := slices.IndexFunc(params, func(p java.TypeParam) bool { return p.Name == t.Class })
		if i < 0 {
			break
		}
		dims := t.Dims
		if t = params[i].Bound; t.IsZero() {
			t = java.TypeExpr{Class: "java.lang.Object"}
		}
		t.Dims += dims
	}
	return java.TypeExpr{Class: t.Class, Dims: t.Dims}
}

// signature returns the JVM's signature of a declared type.
func signature(t java.TypeExpr, params []java.TypeParam) string {
	t = Erase(t, params)
	if letter := jdk.Primitives[t.Class]; letter != "" && t.Dims == 0 {
		return letter
	}
	name := jdk.ArrayName(t.Class, t.Dims)
	if t.Dims == 0 {
		name = "L" + name + ";"
	}
	return strings.ReplaceAll(name, ".", "/")
}
