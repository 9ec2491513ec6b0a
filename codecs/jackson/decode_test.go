package jackson_test

import (
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestDecode: the Java values behind JSON in forms that Java reads but does not
// write.
func TestDecode(t *testing.T) {
	t.Parallel()
	hashMap := func(entries ...java.Entry) *java.Map {
		return &java.Map{Class: "java.util.HashMap", Entries: append([]java.Entry{}, entries...)}
	}
	for name, c := range map[string]struct {
		payload string
		want    any
	}{
		"blanks and mark":      {"\xef\xbb\xbf \t\r\n\"x\"", "x"},
		"trailing":             {`"x" trailing`, "x"},
		"trailing after long":  {"5 6", int32(5)},
		"minus zero":           {"-0", int32(0)},
		"bare Long":            {"12345678901", int64(12345678901)},
		"bare BigInteger":      {"123456789012345678901", bigInt("123456789012345678901")},
		"late class":           {`{"a":1,"@class":"java.util.HashMap"}`, hashMap(java.Entry{Key: "a", Value: int32(1)})},
		"late class of nested": {`{"a":{"b":2,"@class":"java.util.HashMap"},"@class":"java.util.HashMap"}`, hashMap(java.Entry{Key: "a", Value: hashMap(java.Entry{Key: "b", Value: int32(2)})})},
		"repeated key":         {`{"@class":"java.util.HashMap","a":1,"b":2,"a":3}`, hashMap(java.Entry{Key: "a", Value: int32(3)}, java.Entry{Key: "b", Value: int32(2)})},
		"a key @class":         {`{"@class":"java.util.HashMap","@class":"zzz"}`, hashMap(java.Entry{Key: "@class", Value: "zzz"})},
		"object in wrapper":    {`["java.util.HashMap",{"a":1}]`, hashMap(java.Entry{Key: "a", Value: int32(1)})},
		"Long as text":         {`["java.lang.Long"," 7 "]`, int64(7)},
		"null in wrapper":      {`["java.lang.Long",null]`, nil},
		"escapes":              {`"\u00e9\/\b\f\uD83D\uDE00"`, "é/\b\f😀"},
		"lone surrogate":       {`"\uD83Dx"`, "\xed\xa0\xbdx"},
		"CESU-8 pair":          {"\"\xed\xa0\xbd\xed\xb8\x80\"", "😀"},
		"bytes as numbers":     {`["[B",[1,-2]]`, []byte{1, 254}},
		"hosts, no class":      {`["a.example.com","b.example.com"]`, &java.List{Class: jackson.ClassNone, Elements: []any{"a.example.com", "b.example.com"}}},
		"no class":             {`{"v":1}`, &java.Object{Fields: []java.Field{{Name: "v", Value: int32(1)}}}},
		"scalar":               {`["java.util.UUID","0-1"]`, jackson.Scalar("java.util.UUID", "0-1")},
		"enum":                 {`["java.util.ArrayList",[["demo.Status","NEW"]]]`, &java.List{Class: "java.util.ArrayList", Elements: []any{java.Enum{Class: "demo.Status", Name: "NEW", Ordinal: -1}}}},
		"long array":           {`["java.util.ArrayList",[["[J",[1]]]]`, &java.List{Class: "java.util.ArrayList", Elements: []any{[]int64{1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := jackson.JsonJackson().Decode([]byte(c.payload))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %#v, %v", name, got, err)
			}
		})
	}
}

func bigInt(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

// TestDecodeErrors: what is wrong, where, and at which byte.
func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson(jackson.Limits(codecs.Limits{Bytes: 4096, Elements: 20, Depth: 5, StringBytes: 30}))
	in := func(s string) string {
		return `{"@class":"java.util.HashMap","a":["java.util.ArrayList",[1,` + s + `]]}`
	}
	for name, e := range map[string]struct {
		payload string
		offset  int
		path    string
		reason  string
	}{
		"empty":               {"", 0, "", "no JSON value"},
		"blank":               {" \n", 2, "", "no JSON value"},
		"no JSON":             {"abc", 0, "", "JSON value"},
		"single quotes":       {"'x'", 0, "", "JSON value"},
		"NaN":                 {"NaN", 0, "", "JSON value"},
		"truex":               {"truex", 0, "", "JSON value"},
		"cut string":          {`"abc`, 4, "", "begins at byte 0"},
		"cut object":          {`{"@class":"java.util.HashMap"`, 29, "", "ends"},
		"control character":   {"\"a\nb\"", 2, "", "control character 0x0a"},
		"bad escape":          {`"a\x"`, 2, "", "escape"},
		"bad unicode escape":  {`"\u12g4"`, 1, "", "escape"},
		"not UTF-8":           {"\"a\xff\"", 2, "", "UTF-8"},
		"leading zero":        {"012", 0, "", "leading zero"},
		"plus":                {"+1", 0, "", "JSON value"},
		"point":               {"1.", 2, "", "decimal point"},
		"exponent":            {"1e+", 3, "", "exponent"},
		"number and text":     {"5x", 0, "", "right after it"},
		"long number":         {strings.Repeat("1", 1001), 0, "", "1001 characters"},
		"comma at the end":    {in("2,"), 62, "a[2]", "after the comma"},
		"no comma":            {in("2 3"), 62, "a[2]", "','"},
		"array without class": {in("[1]"), 60, "a[1]", "without the name of its class"},
		"object without one":  {in(`{"b":1}`), 60, "a[1]", "without the name of its class"},
		"class no string":     {`{"@class":5}`, 10, "", "not a string"},
		"class empty":         {`{"@class":""}`, 10, "", "empty"},
		"three in a wrapper":  {in(`["java.lang.Long",1,2]`), 60, "a[1]", "one value"},
		"Long out of range":   {in(`["java.lang.Long",9223372036854775808]`), 78, "a[1]", "out of range"},
		"fraction as Long":    {in(`["java.lang.Long",1.5]`), 78, "a[1]", "whole number"},
		"text as Short":       {in(`["java.lang.Short","x"]`), 79, "a[1]", "whole number"},
		"bad base64":          {in(`["[B","_-8="]`), 66, "a[1]", "base64"},
		"bad Boolean":         {in(`["java.lang.Boolean",1.5]`), 81, "a[1]", "class"},
		"bad Character":       {in(`["java.lang.Character","ab"]`), 83, "a[1]", "class"},
		"bad Double":          {in(`["java.lang.Double","inf"]`), 80, "a[1]", "number"},
		"bad BigDecimal":      {in(`["java.math.BigDecimal","1_0"]`), 84, "a[1]", "decimal"},
		"list as number":      {in(`["java.util.ArrayList",2]`), 83, "a[1]", "array is due"},
		"list as object":      {in(`["java.util.HashSet",{}]`), 81, "a[1]", "array is due"},
		"map as array":        {in(`["java.util.TreeMap",[]]`), 81, "a[1]", "object is due"},
		"array as object":     {in(`["[I",{}]`), 66, "a[1]", "array is due"},
		"Date with fraction":  {in(`["java.util.Date",1.5]`), 78, "a[1]", "milliseconds"},
		"too deep":            {in(strings.Repeat(`["java.util.ArrayList",[`, 9) + strings.Repeat("]]", 9)), 179, "a[1][0][0][0][0]", "Limits.Depth"},
		"too deep, no class":  {strings.Repeat(`{"b":`, 40), 60, "b.b.b.b.b.b.b.b.b.b.b.b", "nested deeper than 5 (Limits.Depth"},
		"deep within":         {in(strings.Repeat(`["java.util.ArrayList",[`, 4) + strings.Repeat("]]", 4)), 155, "a[1][0][0][0]", "nested deeper than 5 (Limits.Depth"},
		"too many":            {in(strings.Repeat("1,", 30) + "1"), 96, "a[19]", "Limits.Elements"},
		"long string":         {in(`"` + strings.Repeat("x", 31) + `"`), 60, "a[1]", "Limits.StringBytes"},
		"long escaped":        {in(`"` + strings.Repeat(`\n`, 31) + `"`), 60, "a[1]", "Limits.StringBytes"},
		"too large":           {`"` + strings.Repeat("x", 4096) + `"`, -1, "", "Limits.Bytes"},
		"odd key":             {`{"@class":"java.util.HashMap","a.b":{"c":1}}`, 36, `[text of length 3]`, "class"},
	} {
		_, err := c.Decode([]byte(e.payload))
		var d *codecs.DecodeError
		if !errors.As(err, &d) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Codec != "jsonjackson" || d.Offset != e.offset || d.Path != e.path || !strings.Contains(d.Reason, e.reason) {
			t.Errorf("%s: byte %d, path %q, %q; want %d, %q, %q", name, d.Offset, d.Path, d.Reason, e.offset, e.path, e.reason)
		}
	}
}

// TestWrongGoType: a payload of another shape than the Go type is an error that
// names both and the place.
func TestWrongGoType(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[order](t, jackson.JsonJackson())
	_, err := typed.Decode([]byte(`{"@class":"java.util.HashMap","items":["java.util.ArrayList",[{"@class":"java.util.HashMap","n":"x"}]]}`))
	var d *codecs.DecodeError
	if !errors.As(err, &d) || d.Path != "items[0].n" || d.Class != "java.lang.String" || !strings.Contains(d.Reason, "int") {
		t.Errorf("%#v", err)
	}
	if _, err = typed.Decode([]byte(`"x"`)); !errors.As(err, &d) {
		t.Errorf("string into struct: %v", err)
	}
}
