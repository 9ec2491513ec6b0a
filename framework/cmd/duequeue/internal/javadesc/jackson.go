package javadesc

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

const jacksonPackage = "com.fasterxml.jackson.annotation."

// accessors are the places of a field's annotations: the field, its getter and its setter.
func accessors(f *classfile.File, field string) []*classfile.Member {
	var list []*classfile.Member
	if m := f.Field(field); m != nil {
		list = append(list, m)
	}
	upper := strings.ToUpper(field[:1]) + field[1:]
	for _, name := range []string{"get" + upper, "is" + upper, "set" + upper} {
		if m := f.Method(name); m != nil && !m.Access.Is(classfile.Static) {
			list = append(list, m)
		}
	}
	return list
}

// jacksonName returns the name that a field has on the wire of Jackson's codecs: that of
// JsonProperty, of JsonNaming, or its own.
func jacksonName(f *classfile.File, field string) string {
	for _, m := range accessors(f, field) {
		if a := m.Annotations.Find(jacksonPackage + "JsonProperty"); a != nil && a.Text("value") != "" {
			return a.Text("value")
		}
	}
	if a := f.Annotations.Find("com.fasterxml.jackson.databind.annotation.JsonNaming"); a != nil {
		switch strategy := a.OfClass("value"); strategy[strings.LastIndexAny(strategy, ".$")+1:] {
		case "SnakeCaseStrategy", "LowerCaseWithUnderscoresStrategy":
			return snakeCase(field)
		case "UpperCamelCaseStrategy", "PascalCaseStrategy":
			return strings.ToUpper(field[:1]) + field[1:]
		case "LowerCaseStrategy":
			return strings.ToLower(field)
		}
	}
	return field
}

// snakeCase is the algorithm of Jackson's SnakeCaseStrategy: capitals that follow each other
// are one word.
func snakeCase(name string) string {
	var b strings.Builder
	capital := false
	for i, r := range name {
		if i == 0 && r == '_' {
			continue
		}
		if upper := unicode.IsUpper(r); upper {
			if !capital && b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
			r, capital = unicode.ToLower(r), true
		} else {
			capital = false
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// jacksonNote says what Jackson's annotations make of a field, "" for nothing.
func jacksonNote(f *classfile.File, field string) string {
	for _, m := range accessors(f, field) {
		if a := m.Annotations.Find(jacksonPackage + "JsonIgnore"); a != nil && a.Bool("value", true) {
			return "Jackson's codecs do not write it: @JsonIgnore"
		}
	}
	var notes []string
	if name := jacksonName(f, field); name != field {
		notes = append(notes, fmt.Sprintf("Jackson's codecs call it %q: give it that name in the tag for them", name))
	}
	for _, m := range accessors(f, field) {
		if a := m.Annotations.Find(jacksonPackage + "JsonFormat"); a != nil && a.Text("pattern") != "" {
			notes = append(notes, fmt.Sprintf("Jackson's codecs write it by the pattern %q", a.Text("pattern")))
			break
		}
	}
	return strings.Join(notes, "; ")
}
