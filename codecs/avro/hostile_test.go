package avro_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	lib "github.com/twmb/avro"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// everything has each kind of type once, and itself.
const everything = `{"type":"record","name":"All","fields":[
	{"name":"n","type":"null"},{"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":"long"},
	{"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},{"name":"y","type":"bytes"},
	{"name":"x","type":{"type":"fixed","name":"Two","size":2}},{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
	{"name":"a","type":{"type":"array","items":"int"}},{"name":"m","type":{"type":"map","values":"string"}},
	{"name":"z","type":{"type":"array","items":"null"}},{"name":"u","type":["null","int","string","E"]},
	{"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
	{"name":"txt","type":{"type":"string","java-class":"java.math.BigDecimal"}},
	{"name":"next","type":["null","All"]}]}`

func varint(n int64) string { return string(binary.AppendVarint(nil, n)) }

const (
	tree  = `{"type":"record","name":"T","fields":[{"name":"next","type":["null","T"]}]}`
	nulls = `{"type":"array","items":"null"}`
	ints  = `{"type":"array","items":"int"}`
	lists = `{"type":"array","items":` + ints + `}`
)

// TestHostile: what is malformed, or more than the limits, is a typed error at its
// place. Declared counts and lengths cost nothing.
func TestHostile(t *testing.T) {
	for name, tc := range map[string]struct{ schema, payload, want string }{
		"a string of 2^63-1 bytes":        {`"string"`, varint(math.MaxInt64), "string of 9223372036854775807 bytes, 0 are left"},
		"a string of -1 bytes":            {`"string"`, varint(-1), "string of -1 bytes"},
		"a string of 4 GiB":               {`"string"`, varint(1<<32) + "abc", "string of 4294967296 bytes"},
		"bytes of 4 GiB":                  {`"bytes"`, varint(1<<32) + "abc", "bytes of 4294967296 bytes"},
		"a long string":                   {`"string"`, varint(51) + strings.Repeat("a", 51), "Limits.StringBytes"},
		"a block of 2^63-1 nulls":         {nulls, varint(math.MaxInt64), "Limits.Elements"},
		"a block of -2^63 items":          {nulls, varint(math.MinInt64), "a block of -9223372036854775808 items"},
		"blocks of nulls":                 {nulls, strings.Repeat(varint(99), 3) + varint(0), "Limits.Elements"},
		"a block of -5 nulls, 2^62 bytes": {nulls, varint(-5) + varint(1<<62), "a block of 4611686018427387904 bytes"},
		"a block of -5 nulls, -1 bytes":   {nulls, varint(-5) + varint(-1), "a block of -1 bytes"},
		"a block of 2^31 ints":            {ints, varint(1<<31) + "\x02", "Limits.Elements"},
		"a map of 2^40 entries":           {`{"type":"map","values":"null"}`, varint(1<<40) + "\x00", "Limits.Elements"},
		"nested deeply":                   {tree, strings.Repeat("\x02", 60_000), "Limits.Depth"},
		"a number of 11 bytes":            {`"long"`, strings.Repeat("\xff", 10) + "\x01", "more than 64 bits"},
		"an int of 33 bits":               {`"int"`, varint(1 << 32), "beyond an int"},
		"a byte of 9 bits":                {`{"type":"int","java-class":"java.lang.Byte"}`, varint(128), "beyond a java.lang.Byte"},
		"a constant that is not there":    {`{"type":"enum","name":"E","symbols":["A"]}`, varint(1), "constant 1 of enum E, which has 1"},
		"a constant before the first":     {`{"type":"enum","name":"E","symbols":["A"]}`, varint(-1), "constant -1"},
		"a branch that is not there":      {`["null","int"]`, varint(2), "branch 2 of a union of 2"},
		"a boolean of 2":                  {`"boolean"`, "\x02", "no boolean"},
		"not UTF-8":                       {`"string"`, varint(1) + "\xff", "not UTF-8"},
		"a surrogate":                     {`"string"`, varint(3) + "\xed\xa0\x80", "not UTF-8"},
		"no number":                       {`{"type":"string","java-class":"java.math.BigInteger"}`, varint(1) + "x", "no whole number"},
		"no decimal":                      {`{"type":"string","java-class":"java.math.BigDecimal"}`, varint(1) + "x", "no decimal number"},
		"a decimal without bytes":         {`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, varint(0), "without bytes"},
		"bytes behind the value":          {`"int"`, "\x02\x00", "1 bytes follow the value"},
		"nothing":                         {`"int"`, "", "ends within a number"},
		"half a double":                   {`"double"`, "\x00\x00\x00\x00", "ends in the middle"},
		"too many bytes":                  {`"string"`, strings.Repeat("a", 1<<16+1), "Limits.Bytes"},
		"within a list":                   {lists, varint(1) + varint(2) + "\x02\xff", "at [0][1]"},
	} {
		t.Run(name, func(t *testing.T) {
			codec := avro.Jackson(tc.schema, avro.Limits(codecs.Limits{Elements: 100, Depth: 20, StringBytes: 50, Bytes: 1 << 16}))
			var err error
			codectest.Allocates(t, []byte(tc.payload), func() { _, err = codec.Decode([]byte(tc.payload)) })
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Codec != "avrojackson" || !strings.Contains(err.Error(), tc.want) || e.Offset > len(tc.payload) {
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			}
		})
	}
}

// TestRefusedValues: values that the schema cannot hold are typed errors at their
// place, and what Java would write of them is not written.
func TestRefusedValues(t *testing.T) {
	for name, tc := range map[string]struct {
		schema string
		value  any
		want   string
	}{
		"null":                     {`"int"`, nil, "null is not of the schema's int"},
		"null in a union":          {`["int","string"]`, nil, "which the schema's union does not have"},
		"a long as int":            {`"int"`, int64(1) << 31, "beyond the schema's int"},
		"a double as float":        {`"float"`, 0.1, "no float"},
		"a constant":               {`{"type":"enum","name":"E","symbols":["A"]}`, "B", "no constant B"},
		"no type of a union":       {`["null","int","boolean"]`, "x", "of no type of the schema's union"},
		"a field too many":         {record(`"int"`), map[string]any{"v": int32(1), "w": int32(2)}, `at w (Go type int32): the schema's record demo.R has no such field`},
		"a field that is missing":  {record(`"int"`), map[string]any{}, "at v"},
		"keys that are no strings": {`{"type":"map","values":"int"}`, &java.Map{Entries: []java.Entry{{Key: int32(1), Value: int32(1)}}}, "keys of Avro's maps"},
		"a surrogate":              {`"string"`, "\xed\xa0\x80", "half of a surrogate pair"},
		"a decimal that rounds":    {`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, java.BigDecimal{Unscaled: big12345(), Scale: 3}, "does not fit"},
		"a decimal too large":      {`{"type":"fixed","name":"F","size":1,"logicalType":"decimal","precision":2,"scale":0}`, java.BigDecimal{Unscaled: big12345()}, "does not fit"},
		"a fixed of another size":  {`{"type":"fixed","name":"F","size":2}`, []byte{1}, "1 bytes, the schema's fixed F has 2"},
		"deep":                     {tree, deep(200), "Limits.Depth"},
	} {
		t.Run(name, func(t *testing.T) {
			payload, err := avro.Jackson(tc.schema, avro.Limits(codecs.Limits{Depth: 100})).Encode(tc.value)
			var e *codecs.EncodeError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) || payload != nil {
				t.Errorf("%s: %x, %v, want %q", name, payload, err, tc.want)
			}
		})
	}
}

func deep(n int) any {
	var v any
	for range n {
		v = map[string]any{"next": v}
	}
	return v
}

// FuzzDecode: whatever the bytes, decoding gives a value or a typed error, within
// its memory; what decodes is stable from the first encoding on, and the library
// reads it too.
func FuzzDecode(f *testing.F) {
	orders, rows := rows(f, "4.7.0.tsv")
	for _, r := range rows {
		f.Add(r.payload)
	}
	f.Add([]byte("\x01\x02\x04\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\xf0\x3f\x02a\x02b\x01\x02\x02\x02\x02\x00\x02\x02k\x02v\x00\x04\x00\x02\x04\x02\x05\x061.5\x00"))
	f.Add([]byte(varint(math.MaxInt64)))
	lim := avro.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})
	type pair struct {
		codec   codecs.Codec
		library *lib.Schema
	}
	var all []pair
	for _, schema := range []string{orders, everything, lists, tree, nulls} {
		all = append(all, pair{avro.Jackson(schema, lim), lib.MustParse(schema)})
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, p := range all {
			codectest.Allocates(t, payload, func() { _, _ = p.codec.Decode(payload) })
			if value, _ := codectest.Stable(t, p.codec, payload); value == nil {
				continue
			}
			var v any
			if rest, err := p.library.Decode(payload, &v); err != nil || len(rest) > 0 {
				t.Fatalf("%x: the library has %v, %d bytes left", payload, err, len(rest))
			}
		}
	})
}

// TestTruncated: no cut of a payload reads as a value.
func TestTruncated(t *testing.T) {
	schema, rows := rows(t, "4.7.0.tsv")
	codec := avro.Jackson(schema)
	for _, r := range rows[:12] {
		for n := range codectest.Places(len(r.payload)) {
			var e *codecs.DecodeError
			if _, err := codec.Decode(r.payload[:n]); !errors.As(err, &e) || e.Offset > n {
				t.Fatalf("%s, %d bytes: %v", r.name, n, err)
			}
		}
	}
}

// TestEmptyNested: whether a schema has a value without bytes is known at once, also
// where each record names the one before it twice.
func TestEmptyNested(t *testing.T) {
	t.Parallel()
	nested := func(leaf string) string {
		schema := `"` + leaf + `"`
		for i := range 60 {
			again := fmt.Sprintf(`"N%d"`, i-1)
			if i == 0 {
				again = schema
			}
			schema = fmt.Sprintf(`{"type":"record","name":"N%d","fields":[{"name":"a","type":%s},{"name":"b","type":%s}]}`, i, schema, again)
		}
		return schema
	}
	for schema, want := range map[string]bool{
		nested("null"): true, nested("int"): false, `"null"`: true, `{"type":"fixed","name":"F","size":0}`: true,
		`["null","int"]`: false, `"int"`: false, `{"type":"record","name":"R","fields":[]}`: true, record(`"null"`): true, record(`["null","int"]`): false, `{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}`: false,
	} {
		if got := avro.Jackson(schema).WritesEmpty(); got != want {
			t.Errorf("%.80s: %v", schema, got)
		}
	}
}
