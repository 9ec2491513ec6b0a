package javadesc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

// What differs: the value of [Difference.What].
const (
	WhatSource    = "source"           // the Go type does not describe a class
	WhatClass     = "class"            // there is no such class
	WhatKind      = "kind"             // class, record or enum
	WhatFinal     = "final"            // whether the class is final
	WhatParams    = "type parameters"  // their number or a bound
	WhatSuper     = "superclass"       // with its type arguments
	WhatMissing   = "field missing"    // Java has it, Go has not
	WhatExtra     = "field extra"      // Go has it, Java has not
	WhatRetyped   = "field type"       // both have it, with another type
	WhatFormat    = "field format"     // in Jackson's codecs: annotations against the flags of the tag
	WhatNamed     = "JSON class name"  // in Jackson's codecs: @JsonTypeInfo against json of the declaration
	WhatOrder     = "JSON order"       // in Jackson's codecs: @JsonPropertyOrder against order of the declaration
	WhatTexts     = "JSON constants"   // in Jackson's codecs: @JsonValue and @JsonProperty of an enum
	WhatConstants = "enum constants"   // names, order or classes of their own
	WhatSerial    = "serialVersionUID" // the declared one
	WhatNone      = "Serializable"     // serial none: whether the class is Serializable
	WhatCustom    = "custom"           // whether the class writes itself in java.io and River
	noneValue     = "none"
)

// Difference is one thing in which a Go type and its Java class differ.
type Difference struct {
	File  string `json:"file"` // where the Go type or field is declared
	Line  int    `json:"line"`
	Go    string `json:"go"`              // Go type
	Class string `json:"class"`           // Java class
	What  string `json:"what"`            // one of the What constants
	Field string `json:"field,omitempty"` // Java field
	Want  string `json:"want"`            // what Java has
	Got   string `json:"got"`             // what Go has
	// Note says that it matters to codecs that are not in use.
	Note bool `json:"note,omitempty"`
}

// String is one line for people.
func (d Difference) String() string {
	what := d.What
	if d.Field != "" {
		what = strings.Replace(what, "field", "field "+d.Field, 1)
	}
	where := fmt.Sprintf("%s:%d: %s: ", d.File, d.Line, d.Go)
	if d.File == "" { // no Go type is at fault
		where = cmp.Or(d.Class, WhatPayload) + ": "
	} else if d.Class != "" {
		where = fmt.Sprintf("%s:%d: %s (%s): ", d.File, d.Line, d.Go, d.Class)
	}
	switch d.What {
	case WhatSource, WhatClass, WhatPayload:
		return where + d.Got
	case WhatMissing:
		return where + fmt.Sprintf("field %s of type %s is missing", d.Field, d.Want)
	case WhatExtra:
		return where + fmt.Sprintf("field %s is not in Java", d.Field)
	}
	line := where + fmt.Sprintf("%s: Java has %s, Go has %s", what, d.Want, d.Got)
	if d.Note {
		line += " (a note: it matters to Jackson's codecs alone, and nothing here is for one)"
	}
	return line
}

// Failures returns how many differences are not mere notes.
func (r Report) Failures() (n int) {
	for _, d := range r.Differences {
		if !d.Note {
			n++
		}
	}
	return n
}

// JSON says whether types are for a codec of Jackson's family.
type JSON int

// The answers.
const (
	// JSONAsWritten: they are where the packages import such a codec, or a type says something
	// that only these follow.
	JSONAsWritten JSON = iota
	JSONUsed
	JSONUnused
)

// used reports whether what Jackson's annotations say matters to the packages.
func (j JSON) used(packages []*gosource.Package) bool {
	if j != JSONAsWritten {
		return j == JSONUsed
	}
	for _, p := range packages {
		if slices.ContainsFunc(p.Imports(), func(path string) bool { return jacksonImports[strings.TrimPrefix(path, codecsPath)] }) ||
			slices.ContainsFunc(p.Types(), saysJSON) {
			return true
		}
	}
	return false
}

const codecsPath = "github.com/duequeue/duequeue/codecs/"

var jacksonImports = map[string]bool{"jackson": true, "msgpack": true, "cbor": true, "smile": true, "ion": true}

func saysJSON(t gosource.Type) bool {
	return t.Class != nil && (t.Class.JSON.Form != java.TypeUsual || len(t.Class.Order) > 0 || texts(t.Class) != "" ||
		slices.ContainsFunc(t.Class.Fields, func(f java.ClassField) bool {
			f.Format.Zone = "" // where a time.Time is a LocalDateTime
			return f.Format != java.FieldFormat{} && f.Format != java.FieldFormat{Include: java.IncludeNonEmpty}
		}))
}

// Report is what [Check] found.
type Report struct {
	Checked     int          `json:"checked"`            // Go types with a Java class
	Payloads    int          `json:"payloads,omitempty"` // that they were compared with
	Differences []Difference `json:"differences"`
}

// Check compares the Go types of packages with the classes they declare. Where
// several Go types declare one class, as variants of a rolling deployment do, one
// of them must fit. What only Jackson's codecs follow is a note where json says that none is used.
func Check(source *classfile.Source, packages []*gosource.Package, json JSON) Report {
	report := Report{Differences: []Difference{}}
	byClass := map[string][]int{} // to the variants below
	var variants [][]Difference
	var order []string
	inherited := unserialized(source, packages)
	for _, p := range packages {
		for _, t := range p.Types() {
			report.Checked++
			name := t.Go
			if t.Class != nil {
				name = t.Class.Name
			}
			if byClass[name] == nil {
				order = append(order, name)
			}
			byClass[name] = append(byClass[name], len(variants))
			variants = append(variants, checkType(source, t, inherited))
		}
	}
	for _, name := range order {
		best := slices.MinFunc(byClass[name], func(a, b int) int { return len(variants[a]) - len(variants[b]) })
		report.Differences = append(report.Differences, variants[best]...)
	}
	if !json.used(packages) {
		for i := range report.Differences {
			d := &report.Differences[i]
			d.Note = d.What == WhatFormat || d.What == WhatNamed || d.What == WhatOrder || d.What == WhatTexts
		}
	}
	return report
}

// checker compares one type.
type checker struct {
	typ  gosource.Type
	list []Difference
}

func (c *checker) add(what, field, want, got string) {
	d := Difference{File: c.typ.Pos.Filename, Line: c.typ.Pos.Line, Go: c.typ.Go, What: what, Field: field, Want: want, Got: got}
	if c.typ.Class != nil {
		d.Class = c.typ.Class.Name
	}
	if at, ok := c.typ.Fields[field]; ok && field != "" {
		d.File, d.Line = at.Filename, at.Line
	}
	c.list = append(c.list, d)
}

// compare adds a difference unless both are the same.
func (c *checker) compare(what, field, want, got string) {
	if want != got {
		c.add(what, field, or(want), or(got))
	}
}

func or(s string) string {
	if s == "" {
		return noneValue
	}
	return s
}

// unserialized returns the classes that are not Serializable, though a class of the
// packages that is extends them: these are the ones for which it matters that the
// declaration says so.
func unserialized(source *classfile.Source, packages []*gosource.Package) map[string]bool {
	found := map[string]bool{}
	for _, p := range packages {
		for _, t := range p.Types() {
			if t.Class == nil {
				continue
			}
			c, err := source.Class(t.Class.Name)
			if err != nil || c.NotSerializable {
				continue
			}
			for range 1000 {
				if c, err = source.Class(c.Super.Class); err != nil {
					break
				}
				if c.NotSerializable {
					found[c.Name] = true
				}
			}
		}
	}
	return found
}

func checkType(source *classfile.Source, t gosource.Type, inherited map[string]bool) []Difference {
	c := &checker{typ: t}
	if t.Err != nil {
		c.add(WhatSource, "", "", strings.ReplaceAll(t.Err.Error(), "\n", "; "))
	}
	if t.Class == nil {
		return c.list
	}
	want, err := source.Class(t.Class.Name)
	if err != nil {
		c.add(WhatClass, "", "", err.Error())
		return c.list
	}
	got := t.Class
	c.compare(WhatKind, "", kindName(want), kindName(got))
	if want.Kind == java.KindBean {
		c.compare(WhatFinal, "", finalName(want), finalName(got))
	}
	got = c.params(want, got)
	c.compare(WhatSuper, "", plain(want.Super), plain(got.Super))
	if want.Kind == java.KindEnum {
		c.compare(WhatConstants, "", constants(want), constants(got))
		c.compare(WhatTexts, "", texts(want), texts(got))
	} else if !isCollection(want) || len(got.Fields) > 0 {
		c.fields(byWireNames(want, got), got)
	}
	if got.Serial != nil {
		c.compare(WhatSerial, "", serial(want), serial(got))
	} else {
		c.serializable(want, got, inherited[want.Name])
	}
	c.compare(WhatNamed, "", want.JSON.String(), got.JSON.String())
	c.compare(WhatOrder, "", strings.Join(want.Order, ","), strings.Join(got.Order, ","))
	c.compare(WhatCustom, "", customName(want), customName(got))
	return c.list
}

// serializable compares whether the class is Serializable. A declaration need not
// say that it is not, unless a class that is extends it.
func (c *checker) serializable(want, got *java.Class, inherited bool) {
	switch known := slices.Contains(want.Interfaces, "java.io.Serializable"); {
	case want.NotSerializable && !got.NotSerializable && inherited:
		c.add(WhatNone, "", "a class that is not (serial none), below which one is", "one that may be")
	case known && got.NotSerializable:
		c.add(WhatNone, "", "a class that is", "one that is not (serial none)")
	}
}

func customName(c *java.Class) string {
	if c.Custom {
		return "one that writes itself (custom)"
	}
	return "one that does not write itself"
}

// params compares the type parameters and returns got with the names that Java
// has for them.
func (c *checker) params(want, got *java.Class) *java.Class {
	if len(got.Params) == 0 && phantom(want) {
		return got
	}
	if len(want.Params) != len(got.Params) {
		c.add(WhatParams, "", or(paramNames(want)), or(paramNames(got)))
		return got
	}
	args := want.Type().Args
	renamed := *got
	renamed.Params = nil
	for i, p := range got.Params {
		renamed.Params = append(renamed.Params, java.TypeParam{Name: want.Params[i].Name, Bound: p.Bound.Substitute(got, args)})
	}
	renamed.Super = got.Super.Substitute(got, args)
	renamed.Fields = nil
	for _, f := range got.Fields {
		f.Type = f.Type.Substitute(got, args)
		renamed.Fields = append(renamed.Fields, f)
	}
	c.compare(WhatParams, "", paramNames(want), paramNames(&renamed))
	return &renamed
}

// formatOf returns the flags of a field, without those that change nothing: a name that it has
// anyway, and that null is left out, which is so with Redisson's mapper.
func formatOf(f java.ClassField) string {
	format := carried(f)
	if format.Name == f.Name {
		format.Name = ""
	}
	if format.Include == java.IncludeNonNull {
		format.Include = java.IncludeUsual
	}
	if format.Class(f.Type).Class == "java.time.LocalDateTime" {
		format.Zone = "" // where a time.Time is one
	}
	return strings.TrimPrefix(format.String(), ",")
}

// byWireNames returns want with the names that Jackson's annotations give its fields, where got
// has such a name instead of the field's own.
func byWireNames(want, got *java.Class) *java.Class {
	named := *want
	named.Fields = slices.Clone(want.Fields)
	for i, f := range named.Fields {
		wire := f.Format.Name
		_, own := got.Field(f.Name)
		if _, has := got.Field(wire); has && !own {
			named.Fields[i].Name = wire
		}
	}
	return &named
}

func (c *checker) fields(want, got *java.Class) {
	for _, f := range want.Fields {
		g, ok := got.Field(f.Name)
		switch {
		case !ok && c.typ.Fields[f.Name].Line > 0:
			// Its Go type says nothing, which is told already.
		case !ok:
			c.add(WhatMissing, f.Name, f.Type.String(), noneValue)
		default:
			c.compare(WhatRetyped, f.Name, plain(f.Type), plain(g.Type))
			c.compare(WhatFormat, f.Name, formatOf(f), formatOf(g))
		}
	}
	for _, f := range got.Fields {
		if _, ok := want.Field(f.Name); !ok {
			c.add(WhatExtra, f.Name, noneValue, f.Type.String())
		}
	}
}

// plain spells a type without what makes no difference in any format: a wildcard
// is its bound, unless that has arguments of its own, which get lost there.
func plain(t java.TypeExpr) string { return flatten(t).String() }

func flatten(t java.TypeExpr) java.TypeExpr {
	switch {
	case t.Variance == java.Unbounded:
		return java.TypeExpr{Class: "java.lang.Object"}
	case len(t.Args) == 0:
		t.Variance = java.Exact
	}
	out := t
	out.Args = nil
	for _, a := range t.Args {
		out.Args = append(out.Args, flatten(a))
	}
	return out
}

// isCollection reports whether a class is written as a collection or map, so
// that its fields are not.
func isCollection(c *java.Class) bool {
	return slices.Contains(c.Interfaces, "java.util.Collection") || slices.Contains(c.Interfaces, "java.util.Map")
}

func kindName(c *java.Class) string { return [...]string{"class", "record", "enum"}[c.Kind] }

func finalName(c *java.Class) string {
	if c.Final {
		return "a final class"
	}
	return "a class that is not final"
}

func paramNames(c *java.Class) string {
	named := java.Class{Params: c.Params}
	return named.String()
}

func constants(c *java.Class) string {
	named := java.Class{Kind: java.KindEnum, Constants: slices.Clone(c.Constants)}
	for i := range named.Constants {
		named.Constants[i].JSON = ""
	}
	return strings.TrimPrefix(named.String(), "enum  ")
}

// texts are the constants of an enum as they are in JSON, where that is not their names.
func texts(c *java.Class) string {
	var out []string
	for _, k := range c.Constants {
		if k.JSON != "" {
			out = append(out, k.Name+"="+k.JSON)
		}
	}
	return strings.Join(out, ", ")
}

func serial(c *java.Class) string {
	if c.Serial == nil {
		return noneValue
	}
	return strconv.FormatInt(*c.Serial, 10)
}

// ErrNothing is returned where there was no type to check.
var ErrNothing = errors.New("no type there has a JavaClass method, so there is nothing to check")
