package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the beans in Libraries.java, with what javadesc writes for fields of classes that it
// has, and any for those that it has not.

type fastjsonFields struct {
	Ext  *java.Map  `java:"ext,com.alibaba.fastjson.JSONObject"`
	Arr  *java.List `java:"arr,com.alibaba.fastjson.JSONArray"`
	Map  *java.Map  `java:"map,java.util.Map<java.lang.String,java.lang.Object>"`
	List *java.List `java:"list,java.util.List<java.lang.Object>"`
}

func (fastjsonFields) JavaClass() string { return "Libraries$Fastjson serial 1" }

type fastjsonUnknown struct {
	Ext  any        `java:"ext,com.alibaba.fastjson.JSONObject"`
	Arr  any        `java:"arr,com.alibaba.fastjson.JSONArray"`
	Map  *java.Map  `java:"map,java.util.Map<java.lang.String,java.lang.Object>"`
	List *java.List `java:"list,java.util.List<java.lang.Object>"`
}

func (fastjsonUnknown) JavaClass() string { return "Libraries$Fastjson serial 1" }

type fastjsonPlain struct {
	Map  map[string]any `java:"map"`
	List []any          `java:"list"`
}

func (fastjsonPlain) JavaClass() string { return "Libraries$Fastjson serial 1" }

type hutoolFields struct {
	Ext  *java.Map  `java:"ext,cn.hutool.json.JSONObject"`
	Arr  *java.List `java:"arr,cn.hutool.json.JSONArray"`
	At   any        `java:"at,java.util.Date"`
	More *java.List `java:"more,java.util.List<java.util.Date>"`
}

func (hutoolFields) JavaClass() string { return "Libraries$Hutool serial 1" }

type hutoolTimes struct {
	At   time.Time   `java:"at"`
	More []time.Time `java:"more"`
	Ext  any         `java:"ext,cn.hutool.json.JSONObject"`
	Arr  any         `java:"arr,cn.hutool.json.JSONArray"`
}

func (hutoolTimes) JavaClass() string { return "Libraries$Hutool serial 1" }

type springFields struct {
	Form *java.Map `java:"form,org.springframework.util.LinkedMultiValueMap<java.lang.String,java.lang.String>"`
}

func (springFields) JavaClass() string { return "Libraries$Spring serial 1" }

type guavaFields struct {
	List *java.List `java:"list,com.google.common.collect.ImmutableList<java.lang.String>"`
}

func (guavaFields) JavaClass() string { return "Libraries$Guava serial 1" }

// TestLibraries: what is of a library's class in a field keeps that class, in every format.
func TestLibraries(t *testing.T) {
	t.Parallel()
	for _, row := range codectest.Rows(t, "testdata/libraries.tsv") {
		codec, payload := codectest.Must(catalog.Find(row[0]))(t), codectest.FromHex(t, row[2])
		switch row[1] {
		case "Fastjson":
			keeps[fastjsonFields](t, codec, payload)
			if row[0] != "typedjsonjackson" {
				keeps[fastjsonUnknown](t, codec, payload)
			}
		case "Hutool":
			keeps[hutoolFields](t, codec, payload)
		case "Spring":
			keeps[springFields](t, codec, payload)
		case "Guava":
			if row[0] != "kryo5" { // which Java does not read either
				keeps[guavaFields](t, codec, payload)
			}
		}
	}
}

// keeps reads a payload into a T and writes it again.
func keeps[T any](t *testing.T, codec codecs.Codec, payload []byte) {
	t.Helper()
	typed := codectest.Typed[T](t, codec)
	v, err := typed.Decode(payload)
	if err != nil {
		t.Errorf("%T: %v", v, err)
		return
	}
	if got, err := typed.Encode(v); err != nil || string(got) != string(payload) {
		t.Errorf("%s, %T: %v\n got %q\njava %q", codec.Name(), v, err, got, payload)
	}
}

// TestLibrariesInGoTypes: subclasses of dates, lists and maps go into Go's own types, and are written
// as what the field is declared as.
func TestLibrariesInGoTypes(t *testing.T) {
	t.Parallel()
	for _, row := range codectest.Rows(t, "testdata/libraries.tsv") {
		codec, payload := codectest.Must(catalog.Find(row[0]))(t), codectest.FromHex(t, row[2])
		switch row[1] {
		case "Hutool":
			typed := codectest.Typed[hutoolTimes](t, codec)
			v := codectest.Must(typed.Decode(payload))(t)
			if !v.At.Equal(time.UnixMilli(1700000000123)) || len(v.More) != 2 || !v.More[1].Equal(time.UnixMilli(6)) {
				t.Errorf("%s: %+v", row[0], v)
			}
			out := codectest.Must(typed.Encode(v))(t)
			if strings.Contains(string(out), "DateTime") || !strings.Contains(string(out), "cn.hutool.json.JSONArra") && row[0] != "typedjsonjackson" {
				t.Errorf("%s: %q", row[0], out)
			}
			if again := codectest.Must(typed.Decode(out))(t); !again.At.Equal(v.At) {
				t.Errorf("%s: %+v", row[0], again)
			}
		case "Fastjson":
			if row[0] == "kryo5" {
				continue // it needs all fields
			}
			v := codectest.Must(codectest.Typed[fastjsonPlain](t, codec).Decode(payload))(t)
			if len(v.Map) != 2 || v.Map["large"] != int64(1)<<40 || len(v.List) != 2 || v.List[0] != "x" {
				t.Errorf("%s: %v, %v", row[0], v.Map, v.List)
			}
		}
	}
}

// TestJDKClassForLibrarys: a list or map of the JDK is refused where the field is declared as a
// library's class: Java loses such a message.
func TestJDKClassForLibrarys(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"kryo5", "jsonjackson", "marshalling", "serialization", "cborjackson"} {
		codec := codectest.Must(catalog.Find(name))(t)
		refuse := func(v any, err error) {
			t.Helper()
			var e *codecs.EncodeError
			if !errors.As(err, &e) || !strings.Contains(e.Reason, "does not go into a field declared as com.alibaba.fastjson.JSON") {
				t.Errorf("%s: %+v: %v", name, v, err)
			}
		}
		for _, v := range []fastjsonUnknown{{Ext: map[string]any{"a": 1}}, {Arr: []any{1}}, {Ext: &java.Map{}}, {Arr: &java.List{}}} {
			_, err := codectest.Typed[fastjsonUnknown](t, codec).Encode(v)
			refuse(v, err)
		}
		for _, v := range []fastjsonFields{{Ext: &java.Map{}}, {Arr: &java.List{}}} {
			_, err := codectest.Typed[fastjsonFields](t, codec).Encode(v)
			refuse(v, err)
		}
	}
}
