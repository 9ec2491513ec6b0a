package classfile_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

const (
	annotation = "com.fasterxml.jackson.annotation."
	bound      = "com.fasterxml.jackson.databind.annotation."
)

func note(class string, values ...any) classfile.Note {
	n := classfile.Note{Class: class, Values: map[string]any{}}
	for i := 0; i < len(values); i += 2 {
		n.Values[values[i].(string)] = values[i+1]
	}
	return n
}

func constant(name string) classfile.EnumValue { return classfile.EnumValue{Name: name} }

func ofClass(name string) classfile.ClassValue { return classfile.ClassValue{Class: name} }

// annotatedField is a field with its annotations, and the flags of the tag that says the same.
type annotatedField struct {
	name, descriptor, signature string
	notes                       classfile.Notes
	want                        string
}

func annotatedFields() []annotatedField {
	const date, text, long = "Ljava/util/Date;", "Ljava/lang/String;", "Ljava/lang/Long;"
	format := func(values ...any) classfile.Notes { return classfile.Notes{note(annotation+"JsonFormat", values...)} }
	return []annotatedField{
		{name: "plain", descriptor: text, want: ",omitempty"},
		{name: "userId", descriptor: "J", want: ",json=user_id"},
		{name: "orderNo", descriptor: text, notes: classfile.Notes{note(annotation+"JsonProperty", "value", "order-number")}, want: ",json=order-number,omitempty"},
		{name: "viaGetter", descriptor: text, want: ",json=got,omitempty"},
		{name: "secret", descriptor: text, notes: classfile.Notes{note(annotation + "JsonIgnore")}, want: ",json=-,omitempty"},
		{name: "shown", descriptor: text, notes: classfile.Notes{note(annotation+"JsonIgnore", "value", false)}, want: ",omitempty"},
		{name: "left", descriptor: text, want: ",json=-,omitempty"},
		{name: "always", descriptor: long, notes: classfile.Notes{note(annotation + "JsonInclude")}, want: ",always"},
		{name: "text", descriptor: long, notes: classfile.Notes{note(bound+"JsonSerialize", "using", ofClass(bound+"ToStringSerializer"))}, want: ",text,omitempty"},
		{
			name: "list", descriptor: "Ljava/util/List;", signature: "Ljava/util/List<Ljava/lang/Long;>;",
			notes: classfile.Notes{note(bound+"JsonSerialize", "using", ofClass(bound+"ToStringSerializer"))}, want: ",omitempty", // it is the text of a list
		},
		{
			name: "items", descriptor: "Ljava/util/List;", signature: "Ljava/util/List<Ljava/lang/Long;>;",
			notes: classfile.Notes{note(bound+"JsonSerialize", "contentUsing", ofClass(bound+"ToStringSerializer"))}, want: ",text,omitempty",
		},
		{name: "at", descriptor: date, notes: format("pattern", "yyyy-MM-dd", "timezone", "GMT+8"), want: ",omitempty,zone=GMT+8,format=yyyy-MM-dd"},
		{name: "offset", descriptor: date, notes: format("timezone", "+08:00"), want: ",text,omitempty,zone=GMT"},
		{name: "nowhere", descriptor: date, notes: format("pattern", "yyyy", "timezone", "No/Where"), want: ",omitempty"},
		{name: "word", descriptor: text, notes: format("pattern", "yyyy"), want: ",omitempty"},
		{name: "number", descriptor: date, notes: format("shape", constant("NUMBER_INT")), want: ",number,omitempty"},
		{name: "day", descriptor: "Ljava/time/LocalDate;", notes: format("shape", constant("NUMBER_INT")), want: ",omitempty"},
		{name: "local", descriptor: "Ljava/time/LocalDateTime;", notes: format("pattern", "yyyy-MM-dd HH:mm", "timezone", "GMT+8"), want: ",omitempty,format=yyyy-MM-dd HH:mm"},
		{name: "instant", descriptor: "Ljava/time/Instant;", notes: format("pattern", "yyyy"), want: ",omitempty"}, // Java fails
		{name: "comma", descriptor: text, notes: classfile.Notes{note(annotation+"JsonProperty", "value", "a,b")}, want: ",omitempty"},
	}
}

// TestJacksonFormats: what the annotations of a class, its fields and getters say.
func TestJacksonFormats(t *testing.T) {
	t.Parallel()
	f := &classfile.File{Name: "demo.Order", Super: "java.lang.Object", Annotations: classfile.Notes{
		note(bound+"JsonNaming", "value", ofClass("com.fasterxml.jackson.databind.PropertyNamingStrategies$SnakeCaseStrategy")),
		note(annotation+"JsonInclude", "value", constant("NON_EMPTY")),
		note(annotation+"JsonIgnoreProperties", "value", []any{"left", "other"}),
	}}
	f.Methods = []classfile.Member{{Name: "getViaGetter", Descriptor: "()V", Annotations: classfile.Notes{note(annotation+"JsonProperty", "value", "got")}}}
	fields := annotatedFields()
	for _, field := range fields {
		f.Fields = append(f.Fields, classfile.Member{Name: field.name, Descriptor: field.descriptor, Signature: field.signature, Annotations: field.notes})
	}
	c, err := f.Class()
	if err != nil {
		t.Fatal(err)
	}
	for i, field := range fields {
		if got := c.Fields[i].Format.String(); got != field.want {
			t.Errorf("%s: %s, want %s", field.name, got, field.want)
		}
	}
	f.Annotations, f.Methods = nil, nil
	f.Fields = f.Fields[:1]
	if c, err = f.Class(); err != nil || c.Fields[0].Format != (java.FieldFormat{}) {
		t.Errorf("without annotations: %+v %v", c, err)
	}
}
