package java

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the declaration of c as [ParseClass] reads it, in one canonical
// spelling. Fields are not part of it.
func (c *Class) String() string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	if c.Custom {
		b.WriteString("custom ")
	}
	switch {
	case c.Kind == KindRecord:
		b.WriteString("record ")
	case c.Kind == KindEnum:
		b.WriteString("enum ")
	case c.Final:
		b.WriteString("final ")
	}
	b.WriteString(c.Name)
	for i, p := range c.Params {
		b.WriteByte(",<"[boolInt(i == 0)])
		b.WriteString(p.Name)
		if !p.Bound.IsZero() {
			b.WriteString(" extends " + p.Bound.String())
		}
	}
	if len(c.Params) > 0 {
		b.WriteByte('>')
	}
	if !c.Super.IsZero() {
		b.WriteString(" extends " + c.Super.String())
	}
	if len(c.Interfaces) > 0 {
		b.WriteString(" implements " + strings.Join(c.Interfaces, ","))
	}
	c.writeConstants(&b)
	switch {
	case c.NotSerializable:
		b.WriteString(" serial " + serialNone)
	case c.Serial != nil:
		b.WriteString(" serial " + strconv.FormatInt(*c.Serial, 10))
	}
	if len(c.Order) > 0 {
		b.WriteString(" order " + strings.Join(c.Order, ","))
	}
	if c.JSON.Form != TypeUsual {
		b.WriteString(" json " + c.JSON.String())
	}
	return b.String()
}

func (c *Class) writeConstants(b *strings.Builder) {
	if c.Kind != KindEnum || c.Constants == nil {
		return
	}
	b.WriteString(" {")
	for i, k := range c.Constants {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(k.Name)
		if k.Body != "" {
			b.WriteString("{" + k.Body + "}")
		}
		if k.JSON != "" {
			b.WriteString("=" + k.JSON)
		}
	}
	b.WriteByte('}')
}

// Type returns the type that names c with its own parameters as arguments, as
// its declaration does: demo.Box<T>.
func (c *Class) Type() TypeExpr {
	t := TypeExpr{Class: c.Name}
	for _, p := range c.Params {
		t.Args = append(t.Args, TypeExpr{Class: p.Name})
	}
	return t
}

// param returns the type parameter of that name and whether c declares it.
func (c *Class) param(name string) (TypeParam, bool) {
	if c != nil {
		for _, p := range c.Params {
			if p.Name == name {
				return p, true
			}
		}
	}
	return TypeParam{}, false
}

// Variable reports whether t is a type variable of c, or an array of one. The
// type variables of an enclosing class or of a method do not count.
func (c *Class) Variable(t TypeExpr) bool {
	_, ok := c.param(t.Class)
	return ok && len(t.Args) == 0
}

// Field returns the field of that name that c itself declares, and whether there
// is one.
func (c *Class) Field(name string) (ClassField, bool) {
	if c != nil {
		for _, f := range c.Fields {
			if f.Name == name {
				return f, true
			}
		}
	}
	return ClassField{}, false
}

// Ordinal returns the ordinal of the enum constant of that name, -1 where c has
// none.
func (c *Class) Ordinal(name string) int {
	if c != nil {
		for i, k := range c.Constants {
			if k.Name == name {
				return i
			}
		}
	}
	return -1
}

// Enum returns the constant with that ordinal as a value, with name and body, and
// whether there is one.
func (c *Class) Enum(ordinal int) (Enum, bool) {
	if c == nil || ordinal < 0 || ordinal >= len(c.Constants) {
		return Enum{}, false
	}
	k := c.Constants[ordinal]
	return Enum{Class: c.Name, Name: k.Name, Ordinal: ordinal, Body: k.Body}, true
}

func (c *Class) hasBodies() bool {
	for _, k := range c.Constants {
		if k.Body != "" {
			return true
		}
	}
	return false
}

// check finds what cannot be within one class.
func (c *Class) check() error {
	if c.Name == "" {
		return &ClassError{Reason: "it has no name"}
	}
	var mistakes []string
	twice := func(what string, n int, name func(i int) string) {
		seen := make(map[string]bool, n)
		for i := range n {
			if seen[name(i)] {
				mistakes = append(mistakes, fmt.Sprintf("%s %s is there twice", what, name(i)))
			}
			seen[name(i)] = true
		}
	}
	twice("type parameter", len(c.Params), func(i int) string { return c.Params[i].Name })
	twice("field", len(c.Fields), func(i int) string { return c.Fields[i].Name })
	twice("constant", len(c.Constants), func(i int) string { return c.Constants[i].Name })
	for _, f := range c.Fields {
		if f.Name == "" || f.Type.IsZero() {
			mistakes = append(mistakes, fmt.Sprintf("field %q needs a name and a type", f.Name))
		}
	}
	if c.Kind != KindEnum && len(c.Constants) > 0 {
		mistakes = append(mistakes, "only enums have constants")
	}
	if c.Kind != KindBean && !c.Super.IsZero() {
		mistakes = append(mistakes, "records and enums extend no class of yours")
	}
	if c.NotSerializable && c.Serial != nil {
		mistakes = append(mistakes, "a class that is not Serializable has no serialVersionUID")
	}
	if c.Kind == KindEnum && (c.NotSerializable || c.Custom) {
		mistakes = append(mistakes, "an enum is always Serializable, and never writes itself")
	}
	seen := map[string]bool{}
	for _, k := range c.Constants {
		if k.JSON != "" && seen[k.JSON] {
			mistakes = append(mistakes, fmt.Sprintf("two constants are %s in JSON", k.JSON))
		}
		seen[k.JSON] = true
	}
	if c.Super.Class == c.Name {
		mistakes = append(mistakes, "it extends itself")
	}
	if mistakes == nil {
		return nil
	}
	return &ClassError{Class: c.Name, Reason: strings.Join(mistakes, "; ")}
}
