package foreign

import (
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// Each payload is read by the codec. Where Java's ObjectMapper is configured otherwise, the
// codec writes another form for the same value.
func TestOtherForm(t *testing.T) {
	t.Parallel()
	plain, typed := jackson.JsonJackson(), jackson.TypedJsonJackson()
	objects := jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal, As: jackson.WrapperObject})
	inside := jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.ObjectAndNonConcrete, As: jackson.Property})
	for name, c := range map[string]struct {
		codec   codecs.Codec
		payload string
		want    string // "" where the forms agree
	}{
		"class as a property": {plain, `{"@class":"demo.Order","id":5,"paid":["java.util.Date",1700000000000]}`, ""},
		"class in an array": {
			plain, `["demo.Order",{"id":5}]`,
			`the payload is ["demo.Order",{…}], and this program writes {"@class":"demo.Order",…}`,
		},
		"class in an array, in a string": {
			codecs.Text(codecs.String(), plain), `["demo.Order",{"id":5}]`,
			`the payload is ["demo.Order",{…}], and this program writes {"@class":"demo.Order",…}`,
		},
		"map in an array, within": {
			plain, `{"@class":"demo.Order","items":["java.util.ArrayList",[["java.util.HashMap",{"a":1}]]]}`,
			`items[0] is ["java.util.HashMap",{…}], and this program writes {"@class":"java.util.HashMap",…}`,
		},
		"class of a map, which this codec does not name": {
			typed, `{"@class":"java.util.HashMap","a":1}`, `the payload is {"@class":"java.util.HashMap",…}, and this program writes no class`,
		},
		"class of a map in another property": {
			plain, `{"kind":"java.util.HashMap","a":1}`, `the payload is {"kind":"java.util.HashMap",…}, and this program writes the class in another place`,
		},
		"class as the only key": {
			typed, `{"a":{"java.util.ArrayList":[1]}}`, `a is {"java.util.ArrayList":[…]}, and this program writes no class`,
		},
		"class as a key of a number": {typed, `[{"java.lang.Long":5}]`, `[0] is {"java.lang.Long":a number}, and this program writes no class`},
		"wrapper objects":            {objects, `{"java.util.HashMap":{"n":{"java.lang.Long":5}}}`, ""},
		"no wrapper object":          {objects, `["java.util.HashMap",{"a":1}]`, `the payload is ["java.util.HashMap",{…}], and this program writes the class in another place`},
		"class inside":               {inside, `{"a":{"@class":"java.util.HashMap","n":["java.lang.Long",5]}}`, ""},
		"class at the root":          {inside, `{"@class":"java.util.HashMap","a":1}`, `the payload is {"@class":"java.util.HashMap",…}, and this program writes no class`},
		"a map of classes":           {typed, `{"java.lang.String":"x"}`, ""},
		"text with quotes":           {codecs.String(), `"order-1"`, `the payload is "…", and this program writes a text without quotes`},
		"JSON for Ion":               {ion.Jackson(), `{"a":1}`, `the payload is {…}, and this program writes Ion without classes`},
		"list":                       {plain, `["java.util.ArrayList",["a",["java.lang.Long",5]]]`, ""},
		"scalars":                    {plain, `"订单"`, ""},
		"not read":                   {plain, `["demo.Order"`, ""},
		"no classes":                 {typed, `{"id":5,"paid":"2024-01-02 03:04:05"}`, ""},
		"no JSON":                    {codecs.String(), `{"id":5}`, ""},
		"deep nested":                {typed, `{"a":{"b":[1,{"c":null}]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if f := OtherForm(c.codec, []byte(c.payload)); f != nil {
				got = f.String()
			}
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// Two texts for one value differ where a mapper would fail, and not in what a Go
// type leaves out.
func TestFormsDiffer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ there, writes, want string }{
		"a field less":      {`{"a":1,"b":"x"}`, `{"a":1}`, ""},
		"a field more":      {`{"a":1}`, `{"a":1,"b":null}`, ""},
		"null":              {`{"a":null}`, `{"a":5}`, ""},
		"order":             {`{"a":1,"b":2}`, `{"b":2,"a":1}`, ""},
		"text of a number":  {`{"id":"5"}`, `{"id":5}`, `id is "…", and this program writes a number`},
		"date as a number":  {`{"at":1700000000000}`, `{"at":"2023-11-14T22:13:20Z"}`, `at is a number, and this program writes "yyyy-MM-ddTHH:mm:ssX"`},
		"pattern of a date": {`{"at":"2023-11-14 22:13:20"}`, `{"at":"2023-11-14T22:13:20.000+08:00"}`, `at is "yyyy-MM-dd HH:mm:ss", and this program writes "yyyy-MM-ddTHH:mm:ssXXX"`},
		"day":               {`{"at":"2023/11/14"}`, `{"at":"2023-11-14"}`, `at is "yyyy/MM/dd", and this program writes "yyyy-MM-dd"`},
		"other texts":       {`{"a":"x"}`, `{"a":"y"}`, ""},
		"wrapper of a long": {`{"id":["java.lang.Long",5]}`, `{"id":5}`, `id is ["java.lang.Long",a number], and this program writes a number`},
		"other list":        {`["java.util.LinkedList",[1]]`, `["java.util.ArrayList",[1]]`, ""},
		"class is missing":  {`{"@class":"demo.Order","a":1}`, `{"a":1}`, `the payload is {"@class":"demo.Order",…}, and this program writes {…}`},
		"within lists":      {`{"a":[[{"b":true}]]}`, `{"a":[[{"b":1}]]}`, `a[0][0].b is a boolean, and this program writes a number`},
		"naming":            {`{"order_id":"x"}`, `{"orderId":"x"}`, `order_id is "order_id":…, and this program writes "orderId":…`},
		"fewer elements":    {`[1,2,3]`, `[1,2]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if f := compare(jackson.JSON(), []byte(c.there), []byte(c.writes), nil); f != nil {
				got = f.String()
			}
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

type taggedOrder struct {
	ID   *int64    `java:"id,text"`
	Paid time.Time `java:"paid,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
}

func (taggedOrder) JavaClass() string { return "demo.Order" }

type untaggedOrder struct {
	ID *int64 `java:"id"`
}

func (untaggedOrder) JavaClass() string { return "demo.Order" }

// TestFormsOfAnnotations: a field that the Go type writes as it is there, since its tag says what an
// annotation says, is of no other form; where no tag says so, it is.
func TestFormsOfAnnotations(t *testing.T) {
	t.Parallel()
	payload := []byte(`{"@class":"demo.Order","id":["java.lang.Long","5"],"paid":["java.util.Date","2024-01-02 03:04:05"]}`)
	if _, _, form, _ := declaredAs[taggedOrder](t).differs(payload); form != nil {
		t.Error(form)
	}
	if _, _, form, _ := declaredAs[untaggedOrder](t).differs(payload); form == nil || form.Path != "id" {
		t.Errorf("%v", form)
	}
	other := []byte(`{"@class":"demo.Order","other":["java.lang.Long","5"]}`)
	if _, _, form, _ := declaredAs[taggedOrder](t).differs(other); form == nil || form.Path != "other" {
		t.Errorf("%v", form)
	}
}

type libraryOrder struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"`
}

// TestFormsOfLibraries: plain JSON reads the dates of each library, and the mapper says in which
// form Go writes them.
func TestFormsOfLibraries(t *testing.T) {
	t.Parallel()
	const fastjson, fastjson2, gson = `{"id":5,"at":1704164645000}`, `{"id":"5","at":"2024-01-02 11:04:05"}`, `{"id":5,"at":"Jan 2, 2024, 11:04:05 AM"}`
	for _, c := range []struct {
		payload, want string // where the form is another one
		mapper        jackson.Mapper
	}{
		{fastjson, "at", jackson.Mapper{}},
		{fastjson, "", jackson.Mapper{Dates: jackson.Timestamps}},
		{fastjson2, "id", jackson.Mapper{}},
		{fastjson2, "at", jackson.Mapper{LongAsText: true}},
		{fastjson2, "", jackson.Mapper{LongAsText: true, DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "GMT+8"}},
		{gson, "at", jackson.Mapper{}},
		{gson, "", jackson.Mapper{DateFormat: "MMM d, yyyy, h:mm:ss a", TimeZone: "GMT+8"}},
	} {
		got := ""
		if _, _, form, _ := declaredBy[libraryOrder](t, jackson.JSON(c.mapper)).differs([]byte(c.payload)); form != nil {
			got = form.Path
		}
		if got != c.want {
			t.Errorf("%s, %v: %q", c.payload, c.mapper, got)
		}
	}
}

type note struct {
	OrderID *string `java:"orderId"`
	UserID  *int64  `java:"userId"`
}

func (note) JavaClass() string { return "demo.Note" }

// TestFormsOfGoType: what the Go type leaves out, since it finds its fields by no name, and what
// it cannot read.
func TestFormsOfGoType(t *testing.T) {
	t.Parallel()
	typed := jackson.TypedJsonJackson()
	for payload, want := range map[string]string{
		`{"orderId":"A","userId":5}`:               "",
		`{"userId":null,"more":"x"}`:               "",
		`{"order_id":"A","user_id":5}`:             `order_id is "order_id":…, and this program writes "orderId":…`,
		`{"kind":"demo.Note","orderId":"A"}`:       `the payload is {"kind":"demo.Note",…}, and this program writes {…}`,
		`{"demo.Note":{"orderId":"A"}}`:            `the payload is {"demo.Note":{…}}, and this program writes {…}`,
		`["demo.Note",{"orderId":"A"}]`:            "misfit",
		`{"orderId":"A","userId":"five"}`:          "misfit",
		`{"@class":"demo.Note","orderId":"A"}`:     `the payload is {"@class":"demo.Note",…}, and this program writes {…}`,
		`{"orderId":"A","className":"demo.Other"}`: "",
	} {
		_, _, form, misfit := declaredBy[note](t, typed).differs([]byte(payload))
		got := ""
		switch {
		case misfit != nil:
			got = "misfit"
		case form != nil:
			got = form.String()
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s", payload, got, want)
		}
	}
}

func declaredAs[T any](t *testing.T) Declared { return declaredBy[T](t, jackson.JsonJackson()) }

func declaredBy[T any](t *testing.T, c codecs.Codec) Declared {
	t.Helper()
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return Declared{
		Codec: c, Class: "demo.Order", Type: reflect.TypeFor[T](),
		value:   func(payload []byte) (any, error) { return typed.Decode(payload) },
		payload: func(v any) ([]byte, error) { return typed.Encode(v.(T)) },
	}
}
