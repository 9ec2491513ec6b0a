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

func FuzzParseTag(f *testing.F) {
	for _, s := range []string{"", "-", "name", "name,long", "tags,java.util.List<java.lang.String>,omitempty", ",a<b,c<?>>[]", "a,<", "a,b>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, err := ParseTag(text)
		if err != nil || tag.Type.IsZero() {
			return
		}
		again, err := java.ParseType(tag.Type.String())
		if err != nil || !reflect.DeepEqual(again, tag.Type) {
			t.Errorf("%q gave %q, which reads as %v, %v", text, tag.Type, again, err)
		}
	})
}

func TestParseTag(t *testing.T) {
	t.Parallel()
	list := java.TypeExpr{Class: "java.util.Map", Args: []java.TypeExpr{{Class: "a.K"}, {Class: "a.V"}}}
	for text, want := range map[string]Tag{
		"":                                   {},
		"-":                                  {Skip: true},
		"-,":                                 {Name: "-"},
		"name":                               {Name: "name"},
		"name,long":                          {Name: "name", Type: java.TypeExpr{Class: "long"}},
		"m, java.util.Map<a.K, a.V> ":        {Name: "m", Type: list},
		"m,java.util.Map<a.K,a.V>,omitempty": {Name: "m", Type: list, Format: java.FieldFormat{Include: java.IncludeNonEmpty}},
		",,omitempty":                        {Format: java.FieldFormat{Include: java.IncludeNonEmpty}},
		"n,omitempty":                        {Name: "n", Format: java.FieldFormat{Include: java.IncludeNonEmpty}},
		"n,omitempty,zone=+08:00":            {Name: "n", Format: java.FieldFormat{Include: java.IncludeNonEmpty, Zone: "+08:00"}},
	} {
		if got, err := ParseTag(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"two words":             "no Java field name",
		"a,b<c":                 "< without >",
		"a,b>c":                 "> without <",
		"a,b,required":          `unknown flag "required"`,
		"a,b c":                 "unexpected",
		"a,omitempty,omitempty": "twice",
		"a,zone=Z,zone=Z":       "twice",
		"a,zone=":               "needs the name",
		"a,zone=Local":          "needs the name",
		"a,zone=No/Where":       "No/Where",
	} {
		if got, err := ParseTag(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

func TestDefaultName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ID": "id", "OrderID": "orderID", "URLPath": "urlPath", "A": "a", "Remark": "remark", "X1": "x1", "Überfällig": "überfällig",
	} {
		if got := DefaultName(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

type base struct {
	ID      int64 `java:"id,long"`
	Skipped int   `java:"-"`
	hidden  int
}

type derived struct {
	base
	Named base `java:"inner"`
	Time  time.Time
	Tags  []string `java:"tags,java.util.Map<a,b>,omitempty"`
}

func TestFieldsOf(t *testing.T) {
	t.Parallel()
	fields, err := FieldsOf(reflect.TypeFor[*derived](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, len(fields))
	for _, f := range fields {
		text := f.Name + "=" + f.GoName + ":" + f.Type.String()
		if f.Format.OmitsEmpty() {
			text += "?"
		}
		if reflect.TypeFor[derived]().FieldByIndex(f.Index).Type != f.GoType {
			t.Errorf("%s: index %v", f.Name, f.Index)
		}
		got = append(got, text)
	}
	if want := "id=base.ID:long inner=Named: time=Time: tags=Tags:java.util.Map<a,b>?"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestFieldsOfErrors(t *testing.T) {
	t.Parallel()
	type wrong struct {
		base
		Twice  int `java:"id"`
		Bad    int `java:"bad,List<"`
		secret int `java:"secret"`
		*derived
	}
	_ = wrong{secret: 1}.secret + base{}.hidden
	_, err := FieldsOf(reflect.TypeFor[wrong](), codecs.BindOptions{})
	for _, want := range []string{"base.ID", "field Bad", "unexported", "embedded pointer"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	var e *TagError
	if !errors.As(err, &e) || e.Field != "Twice" || e.Type != reflect.TypeFor[wrong]() || e.Tag != "id" {
		t.Errorf("first error %+v", e)
	}
	if _, err := FieldsOf(reflect.TypeFor[int](), codecs.BindOptions{}); err == nil {
		t.Error("int has fields")
	}
}

type classed struct{}

func (*classed) JavaClass() string { return "demo.Classed" }

type panicking struct{ p *int }

func (p panicking) JavaClass() string { return strings.Repeat("x", *p.p) }

func TestClassName(t *testing.T) {
	t.Parallel()
	classes := map[reflect.Type]string{reflect.TypeFor[base](): "demo.Base", reflect.TypeFor[*classed](): "demo.Other"}
	for name, c := range map[string]struct {
		t       reflect.Type
		classes map[reflect.Type]string
		want    string
	}{
		"method":         {reflect.TypeFor[classed](), nil, "demo.Classed"},
		"pointer":        {reflect.TypeFor[**classed](), nil, "demo.Classed"},
		"option":         {reflect.TypeFor[*base](), classes, "demo.Base"},
		"option wins":    {reflect.TypeFor[*classed](), classes, "demo.Other"},
		"none":           {reflect.TypeFor[base](), nil, ""},
		"panic":          {reflect.TypeFor[panicking](), nil, ""},
		"interface":      {reflect.TypeFor[Classer](), nil, ""},
		"map of strings": {reflect.TypeFor[map[string]string](), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ClassName(c.t, c.classes); got != c.want {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
		})
	}
}
