package avro_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/java"
)

// record returns the schema of a record with one field v.
func record(field string) string {
	return `{"type":"record","name":"R","namespace":"demo","fields":[{"name":"v","type":` + field + `}]}`
}

type with[T any] struct{ V T }

// TestBind: each Avro type goes into the Go types that hold all its values, and into
// no others.
func TestBind(t *testing.T) {
	const decimal = `{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}`
	for name, tc := range map[string]struct {
		schema string
		typ    reflect.Type
		want   string // empty: it binds
	}{
		"int":                  {`"int"`, reflect.TypeFor[with[int32]](), ""},
		"int, small":           {`"int"`, reflect.TypeFor[with[int8]](), ""},
		"int as char":          {`"int"`, reflect.TypeFor[with[java.Char]](), ""},
		"int as int64":         {`"int"`, reflect.TypeFor[with[int64]](), "at V (Go type int64): the schema has the type int here"},
		"long":                 {`"long"`, reflect.TypeFor[with[int64]](), ""},
		"long as int":          {`"long"`, reflect.TypeFor[with[int]](), "int64, time.Time and java.Date take it"},
		"long as time":         {`"long"`, reflect.TypeFor[with[time.Time]](), ""},
		"long as duration":     {`"long"`, reflect.TypeFor[with[time.Duration]](), "the type long"},
		"date as int64":        {`{"type":"long","java-class":"java.util.Date"}`, reflect.TypeFor[with[int64]](), ""},
		"double as float32":    {`"double"`, reflect.TypeFor[with[float32]](), "a float64 takes it"},
		"float as float64":     {`"float"`, reflect.TypeFor[with[float64]](), "a float32 takes it"},
		"boolean":              {`"boolean"`, reflect.TypeFor[with[bool]](), ""},
		"string as int":        {`"string"`, reflect.TypeFor[with[int32]](), "the type string"},
		"string as decimal":    {`"string"`, reflect.TypeFor[with[java.BigDecimal]](), ""},
		"string as UUID":       {`"string"`, reflect.TypeFor[with[java.UUID]](), ""},
		"bytes":                {`"bytes"`, reflect.TypeFor[with[[]byte]](), ""},
		"bytes as string":      {`"bytes"`, reflect.TypeFor[with[string]](), "a []byte takes it"},
		"bytes as decimal":     {`"bytes"`, reflect.TypeFor[with[java.BigDecimal]](), "the type bytes"},
		"decimal":              {decimal, reflect.TypeFor[with[java.BigDecimal]](), ""},
		"fixed as UUID":        {`{"type":"fixed","name":"F","size":16}`, reflect.TypeFor[with[java.UUID]](), ""},
		"fixed of 8 as UUID":   {`{"type":"fixed","name":"F","size":8}`, reflect.TypeFor[with[java.UUID]](), "fixed demo.F"},
		"enum as string":       {`{"type":"enum","name":"E","symbols":["A"]}`, reflect.TypeFor[with[string]](), ""},
		"enum as bool":         {`{"type":"enum","name":"E","symbols":["A"]}`, reflect.TypeFor[with[bool]](), "enum demo.E"},
		"array":                {`{"type":"array","items":"int"}`, reflect.TypeFor[with[[]int32]](), ""},
		"array of other items": {`{"type":"array","items":"int"}`, reflect.TypeFor[with[[]string]](), "at V[] (Go type string)"},
		"array as map":         {`{"type":"array","items":"int"}`, reflect.TypeFor[with[map[string]int32]](), "an array here"},
		"map":                  {`{"type":"map","values":"int"}`, reflect.TypeFor[with[map[string]int32]](), ""},
		"map with other keys":  {`{"type":"map","values":"int"}`, reflect.TypeFor[with[map[int]int32]](), "a map with string keys"},
		"nullable":             {`["null","int"]`, reflect.TypeFor[with[*int32]](), ""},
		"nullable, plain":      {`["null","int"]`, reflect.TypeFor[with[int32]](), ""},
		"nullable, of another": {`["null","int"]`, reflect.TypeFor[with[*string]](), "the type int"},
		"union":                {`["null","int","string"]`, reflect.TypeFor[with[any]](), ""},
		"union into a string":  {`["null","int","string"]`, reflect.TypeFor[with[string]](), "only an interface takes them all"},
		"null":                 {`"null"`, reflect.TypeFor[with[*int32]](), "only an interface takes null"},
		"record as map":        {`"int"`, reflect.TypeFor[map[string]any](), ""},
		"record as object":     {`"int"`, reflect.TypeFor[*java.Object](), ""},
		"record as string":     {`"int"`, reflect.TypeFor[string](), "the record demo.R here"},
		"anything":             {`"int"`, reflect.TypeFor[any](), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := avro.Jackson(record(tc.schema)).Bind(tc.typ, codecs.BindOptions{})
			var bind *codecs.BindError
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case tc.want != "" && (!errors.As(err, &bind) || bind.Codec != "avrojackson" || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			}
		})
	}
}

// TestBindAll: all mistakes of a type come together, with their places.
func TestBindAll(t *testing.T) {
	schema, _ := rows(t, "4.7.0.tsv")
	_, err := avro.Jackson(schema).Bind(reflect.TypeFor[struct {
		Cents int32
		Items []struct{ SKU bool }
		Extra string
		Node  *struct{ Next *int }
	}](), codecs.BindOptions{})
	for _, want := range []string{
		"at Cents (Go type int32): the schema has the type long of java.lang.Long here",
		"at Items[].SKU (Go type bool): the schema has the type string here",
		`at Extra (Go type struct { Cents int32;`, `no field "extra"`,
		"at Node.Next", `no field for "count" of the schema's record AvroRows.Order, which cannot be null`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q", err, want)
		}
	}
}

// TestSchemas: a schema with mistakes and bad options are reported by every use.
func TestSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		``: "the schema", `{`: "the schema", `"nonsense"`: "nonsense", `{"type":"record","name":"R"}`: "the schema",
	} {
		codec := avro.Jackson3(schema, nil, avro.Limits(codecs.Limits{Depth: -1}))
		_, bindErr := codec.Bind(reflect.TypeFor[any](), codecs.BindOptions{})
		_, decodeErr := codec.Decode(nil)
		_, encodeErr := codec.Encode("x")
		for _, err := range []error{bindErr, decodeErr, encodeErr} {
			for _, want := range []string{want, "option 1 is nil", "Depth must be between"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", schema, err, want)
				}
			}
		}
	}
}

// TestNoSchema: a codec without a schema says where to get one.
func TestNoSchema(t *testing.T) {
	t.Parallel()
	_, err := avro.Jackson(" ").Bind(reflect.TypeFor[string](), codecs.BindOptions{})
	if err == nil || !strings.Contains(err.Error(), "schema.getAvroSchema()") {
		t.Error(err)
	}
}
