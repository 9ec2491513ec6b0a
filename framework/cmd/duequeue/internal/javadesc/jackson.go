package javadesc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// Annotations of Jackson that no tag says.
var (
	classAnnotations = []string{"JsonTypeInfo", "JsonFilter", "JsonIdentityInfo"}
	fieldAnnotations = []string{
		"JsonUnwrapped", "JsonRawValue", "JsonTypeInfo", "JsonManagedReference", "JsonBackReference", "JsonIdentityInfo", "JsonFilter",
	}
)

// format returns the format of a field as its tag says it: what the class file has, as far as the
// codecs carry it.
func (g *generator) format(f java.ClassField) java.FieldFormat {
	out := carried(f)
	if k := g.classes[out.Class(f.Type).Class]; out.Shape != java.ShapeUsual && k != nil && k.role != roleEnum {
		out.Shape = java.ShapeUsual
	}
	return out
}

// carried returns a format without a pattern that Jackson's codecs do not carry.
func carried(f java.ClassField) java.FieldFormat {
	out := f.Format
	if out.Pattern == "" {
		return out
	}
	m := jackson.Mapper{DateFormat: out.Pattern, TimeZone: "GMT"}
	switch out.Class(f.Type).Class {
	case "java.time.LocalDateTime":
		m = jackson.Mapper{LocalDateTime: out.Pattern}
	case "java.time.LocalDate":
		m = jackson.Mapper{LocalDate: out.Pattern}
	case "java.time.LocalTime":
		m = jackson.Mapper{LocalTime: out.Pattern}
	}
	if _, err := jackson.ParseMapper(m.Text()); err != nil {
		out.Pattern, out.Zone = "", ""
	}
	return out
}

// jacksonNotes tell what Jackson's annotations make of a class beside what its tags and declaration say.
func (g *generator) jacksonNotes(k *class) (notes []string) {
	f := k.file
	if k.desc.Kind == java.KindEnum && writesTexts(f) && !slices.ContainsFunc(k.desc.Constants, func(c java.Constant) bool { return c.JSON != "" }) {
		notes = append(notes, "Jackson writes its constants by annotations: jackson.EnumTexts says which texts these are.")
	}
	for _, name := range []string{"JsonNaming", "JsonAutoDetect"} {
		if super := g.classes[k.desc.Super.Class]; super != nil && f.Annotations.Jackson(name) != nil && super.file.Annotations.Jackson(name) == nil {
			notes = append(notes, fmt.Sprintf("Its @%s counts for the fields of %s too, and the tags there do not say so.", name, super.desc.Name))
		}
	}
	if more := f.Computed(k.desc); g.opts.Text == "" && len(more) > 0 && k.role == roleStruct {
		notes = append(notes, fmt.Sprintf("Jackson also writes %s, which no field here has.", strings.Join(more, ", ")))
	}
	for _, name := range classAnnotations {
		if f.Annotations.Jackson(name) != nil && k.role == roleStruct && (name != "JsonTypeInfo" || k.desc.JSON.Form == java.TypeUsual) {
			notes = append(notes, fmt.Sprintf("It has @%s, which Jackson's codecs do not follow.", name))
		}
	}
	return notes
}

// jacksonNote says what Jackson's annotations make of a field beside what its tag says, "" for
// nothing.
func (g *generator) jacksonNote(k *class, f java.ClassField) string {
	notes, format := k.file.Property(f.Name), g.format(f)
	for _, name := range fieldAnnotations {
		if notes.Jackson(name) != nil {
			return "it has @" + name + ", which Jackson's codecs do not follow"
		}
	}
	if a := notes.Jackson("JsonFormat"); a != nil && (a.Values["with"] != nil || a.Values["without"] != nil) {
		return "it has @JsonFormat with features of its own, which Jackson's codecs do not follow"
	}
	if serializer := ownSerializer(notes, format); serializer != "" {
		return fmt.Sprintf("Java writes it by %s, which Jackson's codecs do not know", serializer)
	}
	a := notes.Jackson("JsonFormat")
	if a != nil && a.Text("pattern") != "" && format.Pattern == "" && (java.FieldFormat{Pattern: "y", Zone: "GMT"}).Check(f.Type, nil) == nil {
		return fmt.Sprintf("Java writes it by the pattern %q, in the time zone %q, which Jackson's codecs do not carry", a.Text("pattern"), a.Text("timezone"))
	}
	if a = notes.Jackson("JsonProperty"); a != nil {
		switch a.Constant("access") {
		case "READ_ONLY":
			return "Jackson does not read it: access = READ_ONLY"
		case "WRITE_ONLY":
			return "Jackson does not write it: access = WRITE_ONLY"
		}
	}
	return ""
}

// ownSerializer returns the serializer that annotations name for a field, "" for none and for one that
// its format says.
func ownSerializer(notes classfile.Notes, format java.FieldFormat) string {
	a := notes.Jackson("JsonSerialize")
	if a == nil || format.Shape != java.ShapeUsual {
		return ""
	}
	of := cmp.Or(a.OfClass("using"), a.OfClass("contentUsing"))
	return of[strings.LastIndexByte(of, '.')+1:]
}

// writesTexts reports whether annotations say what the constants of an enum are in JSON.
func writesTexts(f *classfile.File) bool {
	annotated := func(members []classfile.Member, name string) bool {
		return slices.ContainsFunc(members, func(m classfile.Member) bool { return m.Annotations.Jackson(name) != nil })
	}
	return annotated(f.Fields, "JsonProperty") || annotated(f.Fields, "JsonValue") || annotated(f.Methods, "JsonValue")
}
