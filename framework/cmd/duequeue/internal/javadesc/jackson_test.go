package javadesc

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

const annotations = "com.fasterxml.jackson.annotation."

// TestJacksonNotes: what no tag says of Jackson's annotations is said where the field is
// generated.
func TestJacksonNotes(t *testing.T) {
	t.Parallel()
	note := func(class string, values map[string]any) classfile.Notes {
		return classfile.Notes{{Class: class, Values: values}}
	}
	using := classfile.ClassValue{Class: "demo.MoneySerializer"}
	for name, row := range map[string]struct {
		notes     classfile.Notes
		note, tag string
	}{
		"plain":     {},
		"named":     {note(annotations+"JsonProperty", map[string]any{"value": "order-number"}), "", "json=order-number"},
		"unwrapped": {note(annotations+"JsonUnwrapped", nil), "@JsonUnwrapped", ""},
		"readOnly":  {note(annotations+"JsonProperty", map[string]any{"access": classfile.EnumValue{Name: "READ_ONLY"}}), "READ_ONLY", ""},
		"own":       {note("com.fasterxml.jackson.databind.annotation.JsonSerialize", map[string]any{"using": using}), "MoneySerializer", ""},
		"week":      {note(annotations+"JsonFormat", map[string]any{"pattern": "YYYY-ww", "timezone": "UTC"}), `"YYYY-ww"`, ""},
		"day":       {note(annotations+"JsonFormat", map[string]any{"pattern": "yyyy-MM-dd", "timezone": "UTC"}), "", "zone=UTC,format=yyyy-MM-dd"},
	} {
		f := &classfile.File{Name: "demo.Order", Super: "java.lang.Object", Fields: []classfile.Member{
			{Name: name, Descriptor: "Ljava/util/Date;", Annotations: row.notes},
		}}
		c, err := f.Class()
		if err != nil {
			t.Fatal(err)
		}
		k, g := &class{desc: c, file: f}, &generator{}
		if got := g.jacksonNote(k, c.Fields[0]); !strings.Contains(got, row.note) || row.note == "" && got != "" {
			t.Errorf("%s: note %q", name, got)
		}
		if got := strings.TrimLeft(g.tag(k, c.Fields[0], exported(name)), ","); got != row.tag {
			t.Errorf("%s: tag %q, want %q", name, got, row.tag)
		}
	}
}

// TestCheckFormats: check knows the Java name and the one on the wire, and what is written else.
func TestCheckFormats(t *testing.T) {
	t.Parallel()
	field := func(name, flags string) *java.Class {
		tag, err := gotypes.ParseTag("x" + flags)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := java.ParseClass("demo.Order")
		c.Fields = []java.ClassField{{Name: name, Type: java.TypeExpr{Class: "java.time.LocalDateTime"}, Format: tag.Format}}
		return c
	}
	for _, row := range []struct {
		want, got *java.Class
		what      string
	}{
		{field("orderNo", ",json=order_no"), field("orderNo", ",json=order_no"), ""},
		{field("orderNo", ",json=order_no"), field("order_no", ""), ""},
		{field("orderNo", ",json=order_no"), field("orderNo", ""), WhatFormat},
		{field("orderNo", ""), field("orderNo", ",text"), WhatFormat},
		{field("orderNo", ",omitnull"), field("orderNo", ",zone=GMT+8"), ""},
		{field("orderNo", ",format=YYYY"), field("orderNo", ""), ""}, // which is not carried
		{field("orderNo", ",json=order_no"), field("order", ""), WhatMissing},
	} {
		c := &checker{typ: gosource.Type{Class: row.got}}
		c.fields(byWireNames(row.want, row.got), row.got)
		what := ""
		if len(c.list) > 0 {
			what = c.list[0].What
		}
		if what != row.what {
			t.Errorf("%s against %s: %v, want %q", row.want.Fields[0].Format, row.got.Fields[0].Format, c.list, row.what)
		}
	}
}
