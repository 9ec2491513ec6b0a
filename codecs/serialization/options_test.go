package serialization

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	codec := New(nil, Limits(codecs.Limits{Depth: 1 << 20}), NoFields(""))
	_, decodeErr := codec.Decode([]byte(magic + "\x70"))
	_, encodeErr := codec.Encode(nil)
	_, bindErr := codec.Bind(reflect.TypeFor[string](), codecs.BindOptions{})
	for _, err := range []error{decodeErr, encodeErr, bindErr} {
		for _, part := range []string{"option 1 is nil", "Depth must be between", "class name is empty"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	nested := &java.List{Elements: []any{&java.List{Elements: []any{&java.List{}}}}}
	for _, c := range []struct {
		name   string
		limits codecs.Limits
		value  any
		reason string
	}{
		{"bytes", codecs.Limits{Bytes: 20}, "a text that is longer", "Limits.Bytes"},
		{"elements", codecs.Limits{Elements: 5}, &java.List{Elements: []any{"a", "b", "c", "d", "e", "f"}}, "Limits.Elements"},
		{"fields", codecs.Limits{Elements: 1}, java.UUID{}, "Limits.Elements"},
		{"depth", codecs.Limits{Depth: 2}, nested, "nested more than 2"},
		{"text", codecs.Limits{StringBytes: 3}, "long", "Limits.StringBytes"},
		{"array", codecs.Limits{Elements: 2}, &java.List{Class: "[Ljava.lang.Object;", Elements: []any{nil, nil, nil}}, "Limits.Elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			payload, err := New().Encode(c.value)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := New().Decode(payload); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			var e *codecs.DecodeError
			if _, err := New(Limits(c.limits)).Decode(payload); !errors.As(err, &e) || !strings.Contains(e.Reason, c.reason) {
				t.Errorf("%s: %v, want %q", c.name, err, c.reason)
			}
		})
	}
	if _, err := New(Limits(codecs.Limits{Depth: 2})).Encode(nested); err == nil {
		t.Error("encoded deeper than the limit")
	}
}

// TestClassesOption writes the object and the enum of another codec.
func TestClassesOption(t *testing.T) {
	t.Parallel()
	bean, err := java.ParseClass("Samples$Base serial 7")
	if err != nil {
		t.Fatal(err)
	}
	bean.Fields = []java.ClassField{{Name: "name", Type: java.TypeExpr{Class: "java.lang.String"}}, {Name: "id", Type: java.TypeExpr{Class: "long"}}}
	enum, err := java.ParseClass("enum Samples$Color {RED, GREEN, BLUE}")
	if err != nil {
		t.Fatal(err)
	}
	set, err := java.NewClasses(bean, enum)
	if err != nil {
		t.Fatal(err)
	}
	object := &java.Object{Class: "Samples$Base", Fields: []java.Field{{Name: "name", Value: "n"}, {Name: "id", Value: int64(5)}}}
	value := &java.List{Elements: []any{object, java.Enum{Class: "Samples$Color", Ordinal: 2}}}
	if _, err := New().Encode(value); err == nil {
		t.Error("written without a declaration")
	}
	payload, err := New(Classes(set), Classes(nil)).Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	back, err := New().Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	got := back.(*java.List).Elements
	if id, _ := got[0].(*java.Object).Get("id"); id != int64(5) || got[1] != any(java.Enum{Class: "Samples$Color", Name: "BLUE", Ordinal: -1}) {
		t.Errorf("got %+v, %+v", got[0], got[1])
	}
}

// TestNoFields reads what the class NoDef wrote with and without the option.
func TestNoFields(t *testing.T) {
	t.Parallel()
	payload := sample(t, "NoDef")
	if v, err := New().Decode(payload); err == nil {
		t.Errorf("decoded without the option: %v", v)
	}
	v, err := vectorCodec().Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*java.Object)
	if len(o.Fields) != 0 || len(o.Custom) != 1 || string(o.Custom[0].Items[0].(java.Block)) != "\x00\x00\x00\x05" {
		t.Errorf("read as %+v, want no field and one block, 00000005", o)
	}
}
