package view

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

func TestOf(t *testing.T) {
	t.Parallel()
	checkViews(t, map[string]viewCase{
		"null":             {nil, `null`},
		"string":           {"a\"\\\n\t\x01张😀", `"a\"\\\n\t\u0001张😀"`},
		"lone surrogate":   {"a\xed\xa0\xbd", `"a\ud83d"`},
		"boolean":          {true, `true`},
		"integer":          {int32(-5), `-5`},
		"double":           {2.0, `2.0`},
		"huge double":      {1e300, `1e+300`},
		"negative zero":    {math.Copysign(0, -1), `-0.0`},
		"NaN":              {math.NaN(), `{"class":"java.lang.Double","value":"NaN"}`},
		"infinity":         {float32(math.Inf(-1)), `{"class":"java.lang.Float","value":"-Infinity"}`},
		"float":            {float32(0.1), `{"class":"java.lang.Float","value":0.1}`},
		"byte":             {int8(-1), `{"class":"java.lang.Byte","value":-1}`},
		"long":             {int64(1) << 53, `{"class":"java.lang.Long","value":9007199254740992}`},
		"long beyond 2^53": {int64(1)<<53 + 1, `{"class":"java.lang.Long","value":"9007199254740993"}`},
		"char":             {java.Char('A'), `{"class":"java.lang.Character","value":"A"}`},
		"surrogate char":   {java.Char(0xd83d), `{"class":"java.lang.Character","value":55357}`},
		"bytes":            {[]byte{1, 255}, `{"class":"[B","value":"Af8="}`},
		"big integer":      {big.NewInt(-7), `{"class":"java.math.BigInteger","value":"-7"}`},
		"big decimal":      {java.BigDecimal{Unscaled: big.NewInt(1234), Scale: 2}, `{"class":"java.math.BigDecimal","value":"12.34"}`},
		"date":             {java.Date{Millis: 1700000000123}, `{"class":"java.util.Date","value":"2023-11-14T22:13:20.123Z"}`},
		"far date":         {java.Date{Millis: math.MaxInt64}, `{"class":"java.util.Date","value":9223372036854775807}`},
		"instant":          {java.Instant{Seconds: 1700000000, Nanos: 5}, `{"class":"java.time.Instant","value":"2023-11-14T22:13:20.000000005Z"}`},
		"local date":       {java.LocalDate{Year: -1, Month: 2, Day: 3}, `{"class":"java.time.LocalDate","value":"-0001-02-03"}`},
		"local date time": {
			java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 2, Day: 29}, Time: java.LocalTime{Hour: 9, Minute: 30, Second: 0, Nano: 500_000_000}},
			`{"class":"java.time.LocalDateTime","value":"2024-02-29T09:30:00.5"}`,
		},
		"duration": {java.Duration{Seconds: -2, Nanos: 500_000_000}, `{"class":"java.time.Duration","value":"PT-1.5S"}`},
	})
}

func TestContainers(t *testing.T) {
	t.Parallel()
	type order struct {
		ID string `java:"orderId"`
	}
	checkViews(t, map[string]viewCase{
		"enum":         {java.Enum{Class: "demo.Color", Name: "RED"}, `{"class":"demo.Color","value":"RED"}`},
		"enum ordinal": {java.Enum{Class: "demo.Color", Ordinal: 2}, `{"class":"demo.Color","value":2}`},
		"map": {
			&java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: "b", Value: int32(1)}, {Key: "a", Value: nil}}},
			`{"class":"java.util.LinkedHashMap","value":{"b":1,"a":null}}`,
		},
		"other keys": {
			&java.Map{Entries: []java.Entry{{Key: int64(1), Value: "x"}, {Key: "1", Value: "y"}}},
			`{"class":"java.util.HashMap","value":[[{"class":"java.lang.Long","value":1},"x"],["1","y"]]}`,
		},
		"repeated key": {&java.Map{Entries: []java.Entry{{Key: "k", Value: true}, {Key: "k", Value: false}}}, `{"class":"java.util.HashMap","value":[["k",true],["k",false]]}`},
		"list":         {&java.List{Elements: []any{"x", &java.List{Class: "java.util.HashSet"}}}, `{"class":"java.util.ArrayList","value":["x",{"class":"java.util.HashSet","value":[]}]}`},
		"bean":         {&java.Object{Class: "demo.Order", Fields: []java.Field{{Name: "id", Value: int32(1)}}}, `{"class":"demo.Order","value":{"id":1}}`},
		"scalar of a class without Go value": {
			&java.Object{Class: "java.util.UUID", Fields: []java.Field{{Name: "", Value: "6b1f"}}}, `{"class":"java.util.UUID","value":"6b1f"}`,
		},
		"Go map":    {map[string]any{"a": 1}, `{"class":"java.util.HashMap","value":{"a":1}}`},
		"Go struct": {order{"100"}, `{"class":"java.util.HashMap","value":{"orderId":"100"}}`},
		"no Java":   {struct{ C complex64 }{1}, `{"class":"","value":"{(1+0i)}"}`},
	})
}

type viewCase struct {
	value any
	want  string
}

func checkViews(t *testing.T, cases map[string]viewCase) {
	t.Helper()
	for name, c := range cases {
		got := Of(c.value)
		if string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if b, err := json.Marshal(map[string]any{"v": got}); err != nil || !json.Valid(b) {
			t.Errorf("%s: not marshalable: %v", name, err)
		}
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"class":"java.lang.String","value":"demo"}`: "demo",
		`{"class":"java.lang.Integer","value":1}`:     int32(1),
		`{"class":"java.lang.Double","value":1.0}`:    1.0,
		`{"class":"java.lang.Double","value":"NaN"}`:  math.NaN(),
		`{"class":"java.lang.Boolean","value":true}`:  true,
		`{"class":null,"value":null}`:                 nil,
		`{"class":"java.lang.Long","value":1}`:        int64(1),
	} {
		if got := string(Typed(v)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	self := &java.List{}
	self.Elements = []any{self}
	wide := &java.List{}
	for range 20 {
		wide = &java.List{Elements: []any{wide, wide, wide}}
	}
	for name, v := range map[string]any{
		"cycle":       self,
		"shared":      wide,
		"huge number": new(big.Int).Lsh(big.NewInt(1), 1<<20),
		"huge scale":  java.BigDecimal{Unscaled: big.NewInt(1), Scale: math.MinInt32},
	} {
		t.Run(name, func(t *testing.T) {
			w := newViewer(1 << 12)
			w.value(v, 0)
			got := w.out
			if !json.Valid(got) || len(got) > 1<<20 {
				t.Errorf("%s: %d bytes", name, len(got))
			}
			if name == "huge number" && !strings.Contains(string(got), `"truncated":true`) {
				t.Errorf("%s: nothing was cut", name)
			}
		})
	}
}

// TestViewNamesWhatIsShared: a few bytes of a payload with shared references stay a few bytes.
func TestViewNamesWhatIsShared(t *testing.T) {
	t.Parallel()
	twice := &java.List{Elements: []any{int32(1)}}
	none := &java.List{}
	v := &java.List{Elements: []any{
		&java.Object{Class: "demo.A", Fields: []java.Field{{Name: "items", Value: twice}, {Name: "none", Value: none}}},
		&java.Map{Entries: []java.Entry{{Key: "again", Value: twice}, {Key: "none", Value: none}}},
	}}
	const want = `{"class":"java.util.ArrayList","value":[` +
		`{"class":"demo.A","value":{"items":{"class":"java.util.ArrayList","value":[1]},"none":{"class":"java.util.ArrayList","value":[]}}},` +
		`{"class":"java.util.HashMap","value":{"again":{"class":"java.util.ArrayList","ref":"[0].items"},"none":{"class":"java.util.ArrayList","value":[]}}}]}`
	if got := string(Of(v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	full, whole := Unfolded(v)
	if !whole || strings.Contains(string(full), "ref") || strings.Count(string(full), "[1]") != 2 {
		t.Errorf("unfolded %v: %s", whole, full)
	}
	if got := Of(laughs(60)); len(got) > 20_000 {
		t.Errorf("%d bytes", len(got))
	}
	if _, whole := Unfolded(laughs(60)); whole {
		t.Error("2^60 values were shown")
	}
}

func TestScalarText(t *testing.T) {
	t.Parallel()
	checkViews(t, map[string]viewCase{
		"uuid":            {java.UUIDOf(-1, 1), `{"class":"java.util.UUID","value":"ffffffff-ffff-ffff-0000-000000000001"}`},
		"text":            {java.Text{Class: "java.net.URI", Value: "a:b"}, `{"class":"java.net.URI","value":"a:b"}`},
		"class":           {java.ClassRef("int"), `{"class":"java.lang.Class","value":"int"}`},
		"locale":          {java.Locale{Language: "zh", Country: "TW", Script: "Hant"}, `{"class":"java.util.Locale","value":"zh_TW_#Hant"}`},
		"variant":         {java.Locale{Language: "th", Country: "TH", Variant: "TH", Extensions: "u-nu-thai"}, `{"class":"java.util.Locale","value":"th_TH_TH_#u-nu-thai"}`},
		"language":        {java.Locale{Language: "de"}, `{"class":"java.util.Locale","value":"de"}`},
		"pattern":         {java.Pattern{Regex: "a+", Flags: 2}, `{"class":"java.util.regex.Pattern","value":"a+","flags":2}`},
		"bits":            {&java.BitSet{Words: []uint64{5, 0, 1 << 63}}, `{"class":"java.util.BitSet","value":[0,2,191]}`},
		"calendar":        {&java.Calendar{Zone: "Asia/Tokyo"}, `{"class":"java.util.GregorianCalendar","value":"1970-01-01T00:00:00.000Z[Asia/Tokyo]"}`},
		"offset":          {java.ZoneOffset(-3*3600 - 30*60 - 15), `{"class":"java.time.ZoneOffset","value":"-03:30:15"}`},
		"offset time":     {java.OffsetTime{Time: java.LocalTime{Hour: 9, Minute: 0, Second: 0, Nano: 0}, Offset: 0}, `{"class":"java.time.OffsetTime","value":"09:00:00Z"}`},
		"zoned":           {java.ZonedDateTime{Date: java.LocalDate{Year: 2024, Month: 2, Day: 29}, Time: java.LocalTime{}, Zone: "Asia/Tokyo", Offset: 9 * 3600, HasOffset: true}, `{"class":"java.time.ZonedDateTime","value":"2024-02-29T00:00:00+09:00[Asia/Tokyo]"}`},
		"zoned by offset": {java.ZonedDateTime{Date: java.LocalDate{Year: 2024, Month: 2, Day: 29}, Zone: "+08:00"}, `{"class":"java.time.ZonedDateTime","value":"2024-02-29T00:00:00+08:00"}`},
		"year":            {java.Year(-5), `{"class":"java.time.Year","value":"-5"}`},
		"month":           {java.YearMonth{Year: 2024, Month: 2}, `{"class":"java.time.YearMonth","value":"2024-02"}`},
		"day":             {java.MonthDay{Month: 2, Day: 29}, `{"class":"java.time.MonthDay","value":"--02-29"}`},
		"period":          {java.Period{Years: 1, Months: 0, Days: -3}, `{"class":"java.time.Period","value":"P1Y-3D"}`},
		"no period":       {java.Period{}, `{"class":"java.time.Period","value":"P0D"}`},
		"longs":           {[]int64{1, 1<<53 + 1}, `{"class":"[J","value":[1,"9007199254740993"]}`},
		"doubles":         {[]float64{0.5, math.NaN()}, `{"class":"[D","value":[0.5,"NaN"]}`},
		"booleans":        {[]bool{true}, `{"class":"[Z","value":[true]}`},
		"sorted":          {&java.List{Class: "java.util.TreeSet", Elements: []any{"b", "a"}, Comparator: &java.Object{Class: "demo.Reverse"}}, `{"class":"java.util.TreeSet","value":["b","a"],"comparator":{"class":"demo.Reverse","value":{}}}`},
		"custom":          {&java.Object{Class: "demo.E", Custom: []java.Custom{{Level: "demo.E", Items: []any{java.Block{1}, "x", []byte{1}}}}}, `{"class":"demo.E","value":{},"custom":[{"class":"demo.E","items":["AQ==","x",{"class":"[B","value":"AQ=="}]}]}`},
		"Go pointer":      {new(*int), `{"class":"","value":"**int"}`},
	})
}

func TestReferences(t *testing.T) {
	t.Parallel()
	a := nodeObject("a", nil)
	inner := nodeObject("b", a)
	m := &java.Map{Class: "java.util.TreeMap"}
	m.Set("two words", &java.List{Elements: []any{inner}})
	set(inner, "up", m)
	set(a, "map", m)
	want := `{"class":"demo.Node","value":{"name":"a","next":null,"map":{"class":"java.util.TreeMap","value":{"two words":{"class":"java.util.ArrayList","value":[` +
		`{"class":"demo.Node","value":{"name":"b","next":{"class":"demo.Node","ref":""},"up":{"class":"java.util.TreeMap","ref":"map"}}}]}}}}}`
	if got := string(Of(a)); got != want {
		t.Errorf("got %s", got)
	}
	l := &java.List{}
	l.Elements = []any{&java.Map{Entries: []java.Entry{{Key: int32(1), Value: &java.Map{Entries: []java.Entry{{Key: "x y", Value: l}}}}}}}
	first := l.Elements[0].(*java.Map)
	first.Entries[0].Value.(*java.Map).Set("deep", &java.List{Elements: []any{first.Entries[0].Value}})
	want = `{"class":"java.util.ArrayList","value":[{"class":"java.util.HashMap","value":[[1,{"class":"java.util.HashMap","value":{` +
		`"x y":{"class":"java.util.ArrayList","ref":""},"deep":{"class":"java.util.ArrayList","value":[{"class":"java.util.HashMap","ref":"[0][1]"}]}}}]]}]}`
	if got := string(Of(l)); got != want {
		t.Errorf("got %s", got)
	}
}

// nodeObject is a bean of a graph.
func nodeObject(name string, next any) *java.Object {
	return &java.Object{Class: "demo.Node", Fields: []java.Field{{Name: "name", Value: name}, {Name: "next", Value: next}}}
}

func set(o *java.Object, name string, value any) {
	o.Fields = append(o.Fields, java.Field{Name: name, Value: value})
}

// laughs shares each level twice: 2^depth when unfolded.
func laughs(depth int) any {
	v := any("ha")
	for range depth {
		v = &java.List{Elements: []any{v, v}}
	}
	return v
}
