package jackson_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// guarded is duequeue.guard.Order of the interop tests, whose Java bytes stand below.
type guarded struct {
	OrderID   string           `java:"orderId"`
	UserID    *int64           `java:"userId"`
	Cents     int64            `java:"cents"`
	Paid      bool             `java:"paid"`
	Amount    java.BigDecimal  `java:"amount"`
	CreatedAt time.Time        `java:"createdAt"`
	Level     grade            `java:"level"`
	Tags      []string         `java:"tags"`
	Extra     map[string]int64 `java:"extra,java.util.Map<java.lang.String,java.lang.Long>"`
}

func (guarded) JavaClass() string { return "duequeue.guard.Order" }

type grade string

func (grade) JavaClass() string { return "enum duequeue.beans.Level {BASIC, SILVER, GOLD}" }

// nested is duequeue.beans.Nested.
type nested struct {
	Any    any                          `java:"any"`
	Matrix [][]*int32                   `java:"matrix,java.util.List<java.util.List<java.lang.Integer>>"`
	Names  *java.List                   `java:"names,java.util.Set<java.lang.String>"`
	Rows   []map[string]any             `java:"rows,java.util.List<java.util.Map<java.lang.String,java.lang.Object>>"`
	Series map[string][]int64           `java:"series,java.util.Map<java.lang.String,java.util.List<java.lang.Long>>"`
	Sorted map[string]int32             `java:"sorted,java.util.TreeMap<java.lang.String,java.lang.Integer>"`
	Texts  map[string]map[string]string `java:"texts,java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.String>>"`
}

func (nested) JavaClass() string { return "duequeue.beans.Nested" }

// typingRow is what Redisson 4.7.0 writes with a mapper.
type typingRow struct {
	mapper string
	bean   string
	nested string // empty: not asked
	list   string
	long   string
	date   string
	enum   string
}

var typingRows = []typingRow{
	{
		"typing=JAVA_LANG_OBJECT",
		`{"amount":0.50,"cents":0,"createdAt":1700000000000,"extra":{"n":0},"level":"SILVER","orderId":"A-0","paid":true,"tags":["t0"],"userId":9007199254740992}`,
		`{"any":["java.util.HashMap",{"mixed":["java.util.ArrayList",[1.5,true]]}],"matrix":[[1,2],[],[3,null]],"names":["y","z"],"rows":[{"k1":1},{"k2":["java.util.ArrayList",["deep"]]}],"series":{"s1":[1,2]},"sorted":{"a":1,"b":2},"texts":{"outer":{"inner":"text"}}}`,
		`["t0",["java.lang.Long",0],0]`, `0`, `1700000000000`, `"BASIC"`,
	},
	{
		"typing=OBJECT_AND_NON_CONCRETE",
		`{"amount":0.50,"cents":0,"createdAt":1700000000000,"extra":["java.util.HashMap",{"n":0}],"level":"SILVER","orderId":"A-0","paid":true,"tags":["java.util.ArrayList",["t0"]],"userId":9007199254740992}`,
		`{"any":["java.util.HashMap",{"mixed":["java.util.ArrayList",[1.5,true]]}],"matrix":["java.util.ArrayList",[["java.util.ArrayList",[1,2]],["java.util.ArrayList",[]],["java.util.ArrayList",[3,null]]]],"names":["java.util.TreeSet",["y","z"]],"rows":["java.util.ArrayList",[["java.util.HashMap",{"k1":1}],["java.util.HashMap",{"k2":["java.util.ArrayList",["deep"]]}]]],"series":["java.util.HashMap",{"s1":["java.util.ArrayList",[1,2]]}],"sorted":{"a":1,"b":2},"texts":["java.util.HashMap",{"outer":["java.util.HashMap",{"inner":"text"}]}]}`,
		`["t0",["java.lang.Long",0],0]`, `0`, `1700000000000`, `"BASIC"`,
	},
	{
		"typing=OBJECT_AND_NON_CONCRETE+as=PROPERTY",
		`{"amount":0.50,"cents":0,"createdAt":1700000000000,"extra":{"@class":"java.util.HashMap","n":0},"level":"SILVER","orderId":"A-0","paid":true,"tags":["java.util.ArrayList",["t0"]],"userId":9007199254740992}`,
		`{"any":{"@class":"java.util.HashMap","mixed":["java.util.ArrayList",[1.5,true]]},"matrix":["java.util.ArrayList",[["java.util.ArrayList",[1,2]],["java.util.ArrayList",[]],["java.util.ArrayList",[3,null]]]],"names":["java.util.TreeSet",["y","z"]],"rows":["java.util.ArrayList",[{"@class":"java.util.HashMap","k1":1},{"@class":"java.util.HashMap","k2":["java.util.ArrayList",["deep"]]}]],"series":{"@class":"java.util.HashMap","s1":["java.util.ArrayList",[1,2]]},"sorted":{"a":1,"b":2},"texts":{"@class":"java.util.HashMap","outer":{"@class":"java.util.HashMap","inner":"text"}}}`,
		`["t0",["java.lang.Long",0],0]`, `0`, `1700000000000`, `"BASIC"`,
	},
	{
		"typing=OBJECT_AND_NON_CONCRETE+as=WRAPPER_OBJECT",
		`{"amount":0.50,"cents":0,"createdAt":1700000000000,"extra":{"java.util.HashMap":{"n":0}},"level":"SILVER","orderId":"A-0","paid":true,"tags":{"java.util.ArrayList":["t0"]},"userId":9007199254740992}`,
		`{"any":{"java.util.HashMap":{"mixed":{"java.util.ArrayList":[1.5,true]}}},"matrix":{"java.util.ArrayList":[{"java.util.ArrayList":[1,2]},{"java.util.ArrayList":[]},{"java.util.ArrayList":[3,null]}]},"names":{"java.util.TreeSet":["y","z"]},"rows":{"java.util.ArrayList":[{"java.util.HashMap":{"k1":1}},{"java.util.HashMap":{"k2":{"java.util.ArrayList":["deep"]}}}]},"series":{"java.util.HashMap":{"s1":{"java.util.ArrayList":[1,2]}}},"sorted":{"a":1,"b":2},"texts":{"java.util.HashMap":{"outer":{"java.util.HashMap":{"inner":"text"}}}}}`,
		`["t0",{"java.lang.Long":0},0]`, `0`, `1700000000000`, `"BASIC"`,
	},
	{
		"typing=NON_CONCRETE_AND_ARRAYS",
		`{"amount":0.50,"cents":0,"createdAt":1700000000000,"extra":["java.util.HashMap",{"n":0}],"level":"SILVER","orderId":"A-0","paid":true,"tags":["java.util.ArrayList",["t0"]],"userId":9007199254740992}`,
		"", `["t0",["java.lang.Long",0],0]`, `0`, `1700000000000`, `"BASIC"`,
	},
	{
		"typing=EVERYTHING",
		`["duequeue.guard.Order",{"amount":["java.math.BigDecimal",0.50],"cents":0,"createdAt":["java.util.Date",1700000000000],"extra":["java.util.HashMap",{"n":["java.lang.Long",0]}],"level":["duequeue.beans.Level","SILVER"],"orderId":"A-0","paid":true,"tags":["java.util.ArrayList",["t0"]],"userId":["java.lang.Long",9007199254740992]}]`,
		`["duequeue.beans.Nested",{"any":["java.util.HashMap",{"mixed":["java.util.ArrayList",[1.5,true]]}],"matrix":["java.util.ArrayList",[["java.util.ArrayList",[1,2]],["java.util.ArrayList",[]],["java.util.ArrayList",[3,null]]]],"names":["java.util.TreeSet",["y","z"]],"rows":["java.util.ArrayList",[["java.util.HashMap",{"k1":1}],["java.util.HashMap",{"k2":["java.util.ArrayList",["deep"]]}]]],"series":["java.util.HashMap",{"s1":["java.util.ArrayList",[["java.lang.Long",1],["java.lang.Long",2]]]}],"sorted":["java.util.TreeMap",{"a":1,"b":2}],"texts":["java.util.HashMap",{"outer":["java.util.HashMap",{"inner":"text"}]}]}]`,
		`["java.util.ArrayList",["t0",["java.lang.Long",0],0]]`, `["java.lang.Long",0]`, `["java.util.Date",1700000000000]`, `["duequeue.beans.Level","BASIC"]`,
	},
	{
		"typing=EVERYTHING+as=PROPERTY",
		`{"@class":"duequeue.guard.Order","amount":["java.math.BigDecimal",0.50],"cents":0,"createdAt":["java.util.Date",1700000000000],"extra":{"@class":"java.util.HashMap","n":["java.lang.Long",0]},"level":["duequeue.beans.Level","SILVER"],"orderId":"A-0","paid":true,"tags":["java.util.ArrayList",["t0"]],"userId":["java.lang.Long",9007199254740992]}`,
		"", `["java.util.ArrayList",["t0",["java.lang.Long",0],0]]`, `["java.lang.Long",0]`, `["java.util.Date",1700000000000]`, `["duequeue.beans.Level","BASIC"]`,
	},
	{
		"typing=EVERYTHING+as=WRAPPER_OBJECT",
		`{"duequeue.guard.Order":{"amount":{"java.math.BigDecimal":0.50},"cents":0,"createdAt":{"java.util.Date":1700000000000},"extra":{"java.util.HashMap":{"n":{"java.lang.Long":0}}},"level":{"duequeue.beans.Level":"SILVER"},"orderId":"A-0","paid":true,"tags":{"java.util.ArrayList":["t0"]},"userId":{"java.lang.Long":9007199254740992}}}`,
		"", `{"java.util.ArrayList":["t0",{"java.lang.Long":0},0]}`, `{"java.lang.Long":0}`, `{"java.util.Date":1700000000000}`, `{"duequeue.beans.Level":"BASIC"}`,
	},
	{
		"typing=NON_FINAL+as=WRAPPER_OBJECT",
		`{"duequeue.guard.Order":{"amount":{"java.math.BigDecimal":0.50},"cents":0,"createdAt":{"java.util.Date":1700000000000},"extra":{"java.util.HashMap":{"n":0}},"level":"SILVER","orderId":"A-0","paid":true,"tags":{"java.util.ArrayList":["t0"]},"userId":9007199254740992}}`,
		`{"duequeue.beans.Nested":{"any":{"java.util.HashMap":{"mixed":{"java.util.ArrayList":[1.5,true]}}},"matrix":{"java.util.ArrayList":[{"java.util.ArrayList":[1,2]},{"java.util.ArrayList":[]},{"java.util.ArrayList":[3,null]}]},"names":{"java.util.TreeSet":["y","z"]},"rows":{"java.util.ArrayList":[{"java.util.HashMap":{"k1":1}},{"java.util.HashMap":{"k2":{"java.util.ArrayList":["deep"]}}}]},"series":{"java.util.HashMap":{"s1":{"java.util.ArrayList":[1,2]}}},"sorted":{"java.util.TreeMap":{"a":1,"b":2}},"texts":{"java.util.HashMap":{"outer":{"java.util.HashMap":{"inner":"text"}}}}}}`,
		`{"java.util.ArrayList":["t0",{"java.lang.Long":0},0]}`, `0`, `{"java.util.Date":1700000000000}`, `"BASIC"`,
	},
}

// Each default typing names the classes that Java's names, in all its places, and is read back:
// into the Go type, and without one to the byte.
func TestTypings(t *testing.T) {
	t.Parallel()
	user, one, two, three := int64(1)<<53, int32(1), int32(2), int32(3)
	order := guarded{
		OrderID: "A-0", UserID: &user, Paid: true, Amount: codectest.Must(java.ParseBigDecimal("0.50"))(t),
		CreatedAt: time.UnixMilli(1700000000000).UTC(), Level: "SILVER", Tags: []string{"t0"}, Extra: map[string]int64{"n": 0},
	}
	deep := nested{
		Any: map[string]any{"mixed": []any{1.5, true}}, Matrix: [][]*int32{{&one, &two}, {}, {&three, nil}}, Names: &java.List{Class: "java.util.TreeSet", Elements: []any{"y", "z"}},
		Rows: []map[string]any{{"k1": int32(1)}, {"k2": []any{"deep"}}}, Series: map[string][]int64{"s1": {1, 2}},
		Sorted: map[string]int32{"b": 2, "a": 1}, Texts: map[string]map[string]string{"outer": {"inner": "text"}},
	}
	for _, row := range typingRows {
		t.Run(row.mapper, func(t *testing.T) {
			t.Parallel()
			c := jackson.TypedJsonJackson(codectest.Must(jackson.ParseMapper(row.mapper))(t))
			typing(t, c, order, row.bean)
			typing(t, c, []any{"t0", int64(0), int32(0)}, row.list)
			typing(t, c, int64(0), row.long)
			typing(t, c, time.UnixMilli(1700000000000).UTC(), row.date)
			typing(t, c, grade("BASIC"), row.enum)
			if row.nested != "" {
				typing(t, c, deep, row.nested)
			}
		})
	}
}

func typing[T any](t *testing.T, c codecs.Codec, value T, want string) {
	t.Helper()
	b := codectest.Must(c.Bind(reflect.TypeFor[T](), codecs.BindOptions{}))(t)
	got, err := b.Append(nil, value)
	if err != nil || string(got) != want {
		t.Errorf("%s %v\nwant %s", got, err, want)
	}
	var back T
	if err := b.Decode([]byte(want), &back); err != nil {
		t.Error(err)
	}
	if again, err := b.Append(nil, back); err != nil || string(again) != want {
		t.Errorf("again: %s %v\nwant %s", again, err, want)
	}
	v, err := c.Decode([]byte(want))
	if err != nil {
		t.Error(err)
	}
	if again, err := c.Encode(v); err != nil || string(again) != want {
		t.Errorf("without a Go type: %s %v\nwant %s", again, err, want)
	}
	var plain any
	if err := codectest.Must(c.Bind(reflect.TypeFor[any](), codecs.BindOptions{}))(t).Decode([]byte(want), &plain); err != nil {
		t.Error(err)
	}
}

// Go says so where it cannot know whether a declared class is an interface or abstract.
func TestTypingsNeedTheKindOfAClass(t *testing.T) {
	t.Parallel()
	type drawing struct {
		Main any `java:"main,demo.Shape"`
	}
	circle := func(declaration string) codecs.BindOptions {
		return codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[circleOf](): declaration, reflect.TypeFor[drawing](): "demo.Drawing"}}
	}
	c := jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.ObjectAndNonConcrete})
	if _, err := c.Bind(reflect.TypeFor[drawing](), circle("demo.Circle")); err == nil || !strings.Contains(err.Error(), "demo.Circle implements demo.Shape") {
		t.Errorf("%v", err)
	}
	b := codectest.Must(c.Bind(reflect.TypeFor[drawing](), circle("demo.Circle implements demo.Shape")))(t)
	got, err := b.Append(nil, drawing{circleOf{2}})
	if want := `{"main":["demo.Circle",{"radius":2}]}`; err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	var back drawing
	if err := b.Decode(got, &back); err != nil || back.Main != (circleOf{2}) {
		t.Errorf("%v %v", back, err)
	}
	if _, err := jackson.ParseMapper("typing=NON_FINAL+as=EXTERNAL_PROPERTY"); err == nil || !strings.Contains(err.Error(), "activateDefaultTyping refuses") {
		t.Error(err)
	}
}

type circleOf struct {
	Radius int32 `java:"radius"`
}
