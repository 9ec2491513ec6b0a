package gotypes

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestFieldFormat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]java.FieldFormat{
		"orderId,json=order_id":             {Name: "order_id"},
		"a,json=b,alias=c|d":                {Name: "b", Aliases: "c|d"},
		"a,long,json=-,text":                {Name: "-", Shape: java.ShapeText},
		",number,always":                    {Shape: java.ShapeNumber, Include: java.IncludeAlways},
		"a,omitnull,zone=GMT+8":             {Include: java.IncludeNonNull, Zone: "GMT+8"},
		"a,format=yyyy, MM<'x'>,text ":      {Pattern: "yyyy, MM<'x'>,text "},
		"a,java.util.Date,zone=Z,format=yy": {Zone: "Z", Pattern: "yy"},
		"text":                              {},
	} {
		tag, err := ParseTag(text)
		if err != nil || tag.Format != want {
			t.Errorf("%s: %+v, %v; want %+v", text, tag.Format, err, want)
			continue
		}
		if again, err := ParseTag("a" + want.String()); err != nil || again.Format != want {
			t.Errorf("%s prints as %s, which is %+v, %v", text, want, again.Format, err)
		}
	}
	for text, want := range map[string]string{
		"a,text,number":      "exclude",
		"a,always,omitempty": "exclude",
		"a,text,text":        "twice",
		"a,json=b,json=c":    "twice",
		"a,json=":            "empty",
		"a,format=":          "empty",
		"a,zone=GMT+x":       "GMT+x",
		"json=order_id":      "comma",
		"a,long,txt":         "json=NAME, alias=NAME|NAME, text, number",
	} {
		if tag, err := ParseTag(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, tag, err)
		}
	}
	for zone, want := range map[string]int{"GMT": 0, "GMT+8": 28800, "GMT-08:30": -30600, "GMT+0530": 19800, "+08:00": 28800, "Asia/Shanghai": 28800} {
		at, err := java.FieldFormat{Zone: zone}.Location()
		if err != nil {
			t.Fatal(err)
		}
		if _, offset := time.Unix(1700000000, 0).In(at).Zone(); offset != want {
			t.Errorf("%s is %d seconds", zone, offset)
		}
	}
}

type wronglyTagged struct {
	Name  string           `java:"name,format=yyyy"`
	Flag  bool             `java:"flag,text"`
	Count int32            `java:"count,number"`
	IDs   []int64          `java:"ids,long[],text"`
	At    java.Instant     `java:"at,format=yyyy-MM-dd HH:mm"`
	Day   java.LocalDate   `java:"day,zone=Z"`
	Both  time.Time        `java:"both,number,format=yyyy"`
	Any   any              `java:"any,text"`
	Good  time.Time        `java:"good,zone=GMT+8,format=yyyy"`
	Fine  []java.LocalDate `java:"fine,format=yyyy/MM/dd"`
	Right map[string]int   `java:"right,java.util.Map<java.lang.String,java.lang.Long>,text"`
}

// TestFieldFormatsOfFields: flags that make no sense for a field are errors that name it.
func TestFieldFormatsOfFields(t *testing.T) {
	t.Parallel()
	_, err := FieldsOf(reflect.TypeFor[wronglyTagged](), codecs.BindOptions{})
	for _, field := range []string{"Name", "Flag", "Count", "IDs", "At", "Day", "Both", "Any"} {
		if err == nil || !strings.Contains(err.Error(), "field "+field+" of gotypes.wronglyTagged with tag") {
			t.Errorf("%s is no mistake: %v", field, err)
		}
	}
	if err == nil || strings.Contains(err.Error(), "Good") || strings.Contains(err.Error(), "Fine") || strings.Contains(err.Error(), "Right") {
		t.Error(err)
	}
	if tag := (*TagError)(nil); !errors.As(err, &tag) || tag.Type != reflect.TypeFor[wronglyTagged]() {
		t.Errorf("%#v", tag)
	}
}

// TestFormatsMakeNoVariants: classes that differ in formats alone are one, of which the first counts.
func TestFormatsMakeNoVariants(t *testing.T) {
	t.Parallel()
	class := func(format java.FieldFormat) *java.Class {
		return &java.Class{Name: "demo.A", Fields: []java.ClassField{{Name: "a", Type: java.TypeExpr{Class: "long"}, Format: format}}}
	}
	set, err := java.NewClasses(class(java.FieldFormat{Shape: java.ShapeText}), class(java.FieldFormat{}))
	if err != nil || len(set.Variants("demo.A")) != 1 || set.Find("demo.A").Fields[0].Format.Shape != java.ShapeText {
		t.Errorf("%v %v", set, err)
	}
}
