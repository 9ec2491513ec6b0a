package classfile_test

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

const notedFile = "testdata/noted/Noted.class"

// TestAnnotations reads annotations with elements of all kinds, of a class, a field and a method:
// testdata/Noted.java has them.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	f := codectest.Must(classfile.Parse([]byte(file(t, notedFile))))(t)
	seen := func(text string) classfile.Note {
		return classfile.Note{Class: "noted.Noted$Seen", Values: map[string]any{"value": text}}
	}
	class := map[string]any{
		"text": "订单", "texts": []any{"a", "b,c"}, "inner": seen("x"),
		"size": classfile.EnumValue{Class: "noted.Noted$Size", Name: "BIG"}, "type": classfile.ClassValue{Class: "java.util.List"},
	}
	field := map[string]any{
		"yes": true, "b": int8(-1), "s": int16(-2), "i": int32(-3), "l": int64(1) << 40, "f": float32(1.5), "d": 2.5, "c": java.Char('é'),
		"types": []any{classfile.ClassValue{Class: "[I"}, classfile.ClassValue{Class: "noted.Noted$Size"}},
	}
	all := f.Annotations[0]
	for name, row := range map[string]struct{ got, want any }{
		"class": {f.Annotations, classfile.Notes{{Class: "noted.Noted$All", Values: class}}},
		"field": {f.Field("field").Annotations, classfile.Notes{
			{Class: "noted.Noted$All", Values: field}, {Class: "noted.Noted$Hidden", Values: map[string]any{"value": int32(7)}},
		}},
		"method": {f.Method("getField").Annotations, classfile.Notes{seen("getter")}},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Errorf("%s: %#v, want %#v", name, row.got, row.want)
		}
	}
	if all.Text("text") != "订单" || len(all.Texts("texts")) != 2 || all.Constant("size") != "BIG" || all.OfClass("type") != "java.util.List" || !all.Bool("yes", true) {
		t.Errorf("%+v", all)
	}
}
