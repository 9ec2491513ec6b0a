package javadesc

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
	"github.com/duequeue/duequeue/framework/internal/decoding"
)

// WhatPayload is a payload that the Go types do not read, or write otherwise.
const WhatPayload = "payload"

// Payloads are messages to compare with Go types.
type Payloads struct {
	Codec  string // by its name; empty where each payload tells
	Class  string // of the messages, where the codec names none
	Bodies [][]byte
}

// CheckPayloads compares the Go types of packages with what payloads hold: they are read with the classes that
// the types declare, compared with these field by field, and written again. Where several types
// declare one class, one of them must fit. The error is that of the codec's name or of the declarations.
func CheckPayloads(packages []*gosource.Package, p Payloads) (Report, error) {
	c := &payloadChecker{types: map[string][]gosource.Type{}, report: Report{Differences: []Difference{}}}
	var classes []*java.Class
	for _, pkg := range packages {
		for _, t := range pkg.Types() {
			c.report.Checked++
			if t.Class != nil {
				classes = append(classes, t.Class)
				c.types[t.Class.Name] = append(c.types[t.Class.Name], t)
			}
		}
	}
	set, err := java.NewClasses(classes...)
	if err != nil {
		return c.report, err
	}
	reader, err := decoding.New(decoding.Settings{Codec: p.Codec, Options: catalog.Options{Classes: set}})
	if err != nil {
		return c.report, err
	}
	for _, body := range p.Bodies {
		c.payload(reader.Read(body), p.Class)
	}
	c.report.Payloads = len(p.Bodies)
	return c.report, nil
}

func undeclared(class string) Difference {
	return Difference{What: WhatClass, Class: class, Got: "no Go type declares this class"}
}

// payloadChecker compares payloads.
type payloadChecker struct {
	types  map[string][]gosource.Type
	report Report
}

// add adds a difference, once however many payloads have it.
func (c *payloadChecker) add(d Difference) {
	if types := c.types[d.Class]; len(types) > 0 {
		t := types[0]
		d.File, d.Line, d.Go = t.Pos.Filename, t.Pos.Line, t.Go
		if at, ok := t.Fields[d.Field]; ok && d.Field != "" {
			d.File, d.Line = at.Filename, at.Line
		}
	}
	if !slices.Contains(c.report.Differences, d) {
		c.report.Differences = append(c.report.Differences, d)
	}
}

func (c *payloadChecker) payload(p decoding.Payload, root string) {
	err := cmp.Or(p.Err, p.Rest())
	if err == nil && root == "" && strings.Contains(p.Codec.Name(), "typedjsonjackson") {
		err = errors.New("the bytes name no class: name that of the messages")
	}
	if err != nil {
		d := Difference{What: WhatPayload, Got: err.Error()}
		blamed := append(view.Blamed(err), view.Class(p.Value, nil), root)
		d.Class = append(slices.DeleteFunc(blamed, classfile.OfJDK), "")[0]
		if len(c.types[d.Class]) == 0 && d.Class != "" {
			d = undeclared(d.Class)
		}
		c.add(d)
		return
	}
	before := len(c.report.Differences)
	c.value(p.Value, java.TypeExpr{Class: root})
	if len(c.report.Differences) > before {
		return
	}
	same, err := p.Again()
	d := Difference{What: WhatPayload, Class: view.Class(p.Value, nil)}
	switch {
	case err != nil:
		d.Got = "cannot be written again: " + err.Error()
		c.add(d)
	case !same:
		d.Got = "is written again with other bytes by codec " + p.Codec.Name()
		c.add(d)
	}
}

// value looks into a value in a place of a declared type.
func (c *payloadChecker) value(v any, declared java.TypeExpr) {
	switch v := v.(type) {
	case *java.Object:
		if !classfile.OfJDK(v.Class) {
			c.object(v.Class, v.Fields, v.Serial != nil)
			return
		}
		for _, f := range v.Fields {
			c.value(f.Value, argument(declared, 0))
		}
	case *java.List:
		elem, array := declared.Elem()
		if !array {
			elem = argument(declared, 0)
		}
		for _, e := range v.Elements {
			c.value(e, elem)
		}
	case *java.Map:
		if len(c.types[declared.Class]) > 0 { // of a codec that names no classes
			var fields []java.Field
			for _, e := range v.Entries {
				name, _ := e.Key.(string)
				fields = append(fields, java.Field{Name: name, Value: e.Value})
			}
			c.object(declared.Class, fields, false)
			return
		}
		for _, e := range v.Entries {
			c.value(e.Key, argument(declared, 0))
			c.value(e.Value, argument(declared, 1))
		}
	case java.Enum:
		c.constant(v)
	}
}

// object compares the fields of an object with the type of its class that fits best. all says that
// the payload has each field of the class.
func (c *payloadChecker) object(class string, fields []java.Field, all bool) {
	if len(c.types[class]) == 0 {
		c.add(undeclared(class))
		return
	}
	var best []Difference
	for i, t := range c.types[class] {
		if found := c.fields(t, fields, all); i == 0 || len(found) < len(best) {
			best = found
		}
	}
	for _, d := range best {
		c.add(d)
	}
	for _, f := range fields {
		declared, _ := c.field(class, f.Name)
		c.value(f.Value, declared)
	}
}

func (c *payloadChecker) fields(t gosource.Type, fields []java.Field, all bool) (found []Difference) {
	for _, f := range fields {
		declared, ok := c.fieldOf(t.Class, f.Name)
		switch got := java.ClassOf(f.Value); {
		case !ok:
			found = append(found, Difference{What: WhatMissing, Class: t.Class.Name, Field: f.Name, Want: cmp.Or(got, "null"), Got: noneValue})
		case !fits(got, declared):
			found = append(found, Difference{What: WhatRetyped, Class: t.Class.Name, Field: f.Name, Want: got, Got: declared.String()})
		}
	}
	for _, f := range t.Class.Fields {
		if all && !slices.ContainsFunc(fields, func(g java.Field) bool { return g.Name == f.Name }) {
			found = append(found, Difference{What: WhatExtra, Class: t.Class.Name, Field: f.Name, Want: noneValue, Got: f.Type.String()})
		}
	}
	return found
}

// field returns the declared type of a field of a class or of its superclasses.
func (c *payloadChecker) field(class, name string) (java.TypeExpr, bool) {
	for _, t := range c.types[class] {
		if declared, ok := c.fieldOf(t.Class, name); ok {
			return declared, true
		}
	}
	return java.TypeExpr{}, false
}

func (c *payloadChecker) fieldOf(class *java.Class, name string) (java.TypeExpr, bool) {
	for range 64 {
		for _, f := range class.Fields {
			if cmp.Or(f.Format.Name, f.Name) == name || f.Name == name {
				if class.Variable(f.Type) {
					return java.TypeExpr{}, true
				}
				return f.Type.Bounds(class), true
			}
		}
		supers := c.types[class.Super.Class]
		if len(supers) == 0 {
			break
		}
		class = supers[0].Class
	}
	return java.TypeExpr{}, false
}

// fits reports whether a value of a class may stand in a place of a declared type, as far as both are
// known: what is a class of the service is not judged.
func fits(class string, declared java.TypeExpr) bool {
	t := java.TypeOf(class)
	if class == "" || declared.IsZero() || !classfile.OfJDK(t.Class) || t.Dims > 0 || declared.Dims > 0 {
		return true
	}
	is := declared.Boxed().Class
	return !classfile.OfJDK(is) || is == "java.lang.Object" || classfile.Subtype(class, is)
}

func (c *payloadChecker) constant(v java.Enum) {
	if classfile.OfJDK(v.Class) {
		return
	}
	types := c.types[v.Class]
	if len(types) == 0 {
		c.add(undeclared(v.Class))
		return
	}
	if v.Name != "" && !slices.ContainsFunc(types, func(t gosource.Type) bool { return t.Class.Ordinal(v.Name) >= 0 }) {
		c.add(Difference{What: WhatConstants, Class: v.Class, Want: v.Name, Got: strings.TrimSpace(constants(types[0].Class))})
	}
}
