package bridge_test

import (
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

func p[T any](v T) *T { return &v }

func list(elements ...any) *java.List { return &java.List{Elements: elements} }

func object(class string, value ...any) *java.Object {
	o := &java.Object{Class: class}
	for _, v := range value {
		o.Fields = append(o.Fields, java.Field{Name: "value", Value: v})
	}
	return o
}

type textUUID [16]byte

func TestAssignNewValues(t *testing.T) {
	t.Parallel()
	u, _ := java.ParseUUID("123e4567-e89b-12d3-a456-426614174000")
	assigns(t, u, u)
	assigns(t, u, textUUID(u))
	assigns(t, u.String(), textUUID(u))
	assigns(t, object("java.util.UUID"), object("java.util.UUID"))
	assigns(t, &java.Object{Class: "java.util.UUID", Fields: []java.Field{{Value: u.String()}}}, textUUID(u))
	assigns(t, java.Text{Class: "java.lang.StringBuilder", Value: "x"}, "x")
	assigns(t, []int32{1, -1}, []int32{1, -1})
	assigns(t, []int32{1, -1}, []int{1, -1})
	assigns(t, []byte{1, 255}, []int8{1, -1})
	assigns(t, []bool{true}, []any{true})
	assigns(t, []java.Char{'a'}, []java.Char{'a'})
	assigns(t, java.Char('a'), 'a')
	assigns(t, []java.Char{0xffff}, []uint16{0xffff})
	assigns(t, []float32{0.5}, []float64{0.5})
	assigns(t, []float64(nil), []float64(nil))
	assigns(t, list(int32(5)), []int32{5})
	assigns(t, list([]int64{1}, nil), [][]int64{{1}, nil})
	assigns(t, java.OffsetDateTime{Date: java.LocalDate{Year: 2024, Month: 2, Day: 29}, Time: java.LocalTime{Hour: 9, Minute: 30, Second: 0, Nano: 5}, Offset: 0}, time.Date(2024, 2, 29, 9, 30, 0, 5, time.UTC))
	assigns(t, java.Date{Class: "java.sql.Timestamp", Millis: 1, Nanos: 999_999}, time.Unix(0, 1_999_999).UTC())
	assigns[time.Time](t, nil, time.Time{})
	assigns(t, java.Duration{Seconds: -2, Nanos: 500_000_000}, -1500*time.Millisecond)
	assigns(t, int64(5), 5*time.Nanosecond)
	assigns(t, object("java.util.Optional", "x"), "x")
	assigns(t, object("java.util.Optional", "x"), p("x"))
	assigns[*string](t, object("java.util.Optional"), nil)
	assigns(t, object("java.util.OptionalLong", int64(7)), int64(7))
	assigns(t, object("java.util.concurrent.atomic.AtomicReference", object("java.util.Optional", int32(3))), p(3))
	assigns(t, list(object("java.util.concurrent.atomic.AtomicInteger", int32(4))), []int32{4})
	assigns[any](t, object("java.util.Optional", "x"), object("java.util.Optional", "x"))
	assigns(t, java.Enum{Class: "demo.Color", Name: "GREEN", Ordinal: -1}, color("GREEN"))
	assigns(t, java.Enum{Class: "demo.Color", Ordinal: 1}, color("GREEN"))
	assigns(t, java.Enum{Class: "demo.Level", Name: "HIGH", Ordinal: -1}, level(1))
	assigns(t, "RED", color("RED"))
	assigns[color](t, nil, "")
	assigns(t, list(java.Enum{Class: "demo.Level", Ordinal: 1}, nil), []*level{p(level(1)), nil})
	assigns(t, &java.Map{Entries: []java.Entry{{Key: java.Enum{Class: "demo.Color", Name: "RED"}, Value: int32(1)}}}, map[color]int{"RED": 1})

	refuses[textUUID](t, "123", "", "the kinds differ")
	refuses[textUUID](t, nil, "", "null needs")
	refuses[[]int8](t, []int32{1, 300}, "[1]", "the number does not fit")
	refuses[float64](t, java.Char('a'), "", "the kinds differ")
	refuses[int8](t, java.Char('é'), "", "the number does not fit")
	refuses[[]string](t, []int32{1}, "[0]", "the kinds differ")
	refuses[string](t, u, "", "the kinds differ")
	refuses[time.Duration](t, java.Duration{Seconds: math.MaxInt64, Nanos: 0}, "", "does not fit")
	refuses[time.Time](t, java.ZonedDateTime{Zone: "Asia/Tokyo"}, "", "java.ZonedDateTime")
	refuses[string](t, object("java.util.Optional"), "", "null needs")
	refuses[color](t, java.Enum{Class: "demo.Color", Name: "BLUE"}, "", "no constant of that name, which has 4 bytes")
	refuses[color](t, java.Enum{Class: "demo.Color", Ordinal: 2}, "", "no constant with the ordinal 2")
	refuses[color](t, java.Enum{Class: "demo.Color", Ordinal: -1}, "", "no constant")
	refuses[color](t, java.Enum{Class: "demo.Level", Name: "LOW"}, "", "the kinds differ")
	refuses[color](t, "BLUE", "", "no constant of that name, which has 4 bytes")
	refuses[level](t, nil, "", "null needs")
}

func TestLowerDeclaredNewValues(t *testing.T) {
	t.Parallel()
	u, _ := java.ParseUUID("123e4567-e89b-12d3-a456-426614174000")
	at := time.Date(2024, 2, 29, 9, 30, 0, 123456789, time.FixedZone("", 8*3600))
	lowers(t, struct {
		A textUUID        `java:"a"`
		B string          `java:"b,java.util.UUID"`
		C []int           `java:"c,int[]"`
		D [][]int16       `java:"d,short[][]"`
		E []int8          `java:"e,byte[]"`
		F time.Time       `java:"f,java.sql.Timestamp"`
		G time.Time       `java:"g,java.time.OffsetDateTime"`
		H time.Time       `java:"h"`
		I time.Duration   `java:"i,java.time.Duration"`
		J *string         `java:"j,java.util.Optional<java.lang.String>"`
		K *int            `java:"k,java.util.concurrent.atomic.AtomicLong"`
		L string          `java:"l,java.lang.StringBuilder"`
		M string          `java:"m,java.time.ZoneId"`
		N string          `java:"n,java.math.BigDecimal"`
		O []color         `java:"o,java.util.EnumSet<demo.Color>"`
		P map[color]int   `java:"p,java.util.EnumMap<demo.Color,java.lang.Long>"`
		Q []int           `java:"q,java.util.PriorityQueue<java.lang.Integer>"`
		R map[string]bool `java:"r,java.util.concurrent.ConcurrentHashMap<java.lang.String,?>"`
		S [][]string      `java:"s,java.util.List<? extends java.lang.CharSequence>[]"`
		T string          `java:"t,java.nio.charset.Charset"`
		U *int32          `java:"u,java.util.OptionalInt"`
		V java.LocalDate  `java:"v"`
		W []float64       `java:"w,double[]"`
		X []java.Char     `java:"x,char[]"`
		Y rune            `java:"y,char"`
		Z []rune          `java:"z,char[]"`
	}{
		A: textUUID(u), B: u.String(), C: []int{1}, D: [][]int16{{2}, nil}, E: []int8{-1}, F: at, G: at, I: -time.Millisecond, K: p(5),
		L: "sb", M: "+08:00", N: "12.30", O: []color{"GREEN", "RED"}, P: map[color]int{"GREEN": 2, "RED": 1}, Q: []int{3, 1, 3},
		R: map[string]bool{"y": true, "x": false}, S: [][]string{{"s"}}, T: "UTF-8", U: p(int32(7)), W: []float64{1}, X: []java.Char{'x', 0xd800}, Y: 'y', Z: []rune{'z'},
	}, `{"class":"java.util.HashMap","value":{`+
		`"a":{"class":"java.util.UUID","value":"123e4567-e89b-12d3-a456-426614174000"},`+
		`"b":{"class":"java.util.UUID","value":"123e4567-e89b-12d3-a456-426614174000"},`+
		`"c":{"class":"[I","value":[1]},`+
		`"d":{"class":"[[S","value":[{"class":"[S","value":[2]},null]},`+
		`"e":{"class":"[B","value":"/w=="},`+
		`"f":{"class":"java.sql.Timestamp","value":"2024-02-29T01:30:00.123456789Z"},`+
		`"g":{"class":"java.time.OffsetDateTime","value":"2024-02-29T09:30:00.123456789+08:00"},`+
		`"h":null,`+
		`"i":{"class":"java.time.Duration","value":"PT-0.001S"},`+
		`"j":{"class":"java.util.Optional","value":{}},`+
		`"k":{"class":"java.util.concurrent.atomic.AtomicLong","value":{"value":{"class":"java.lang.Long","value":5}}},`+
		`"l":{"class":"java.lang.StringBuilder","value":"sb"},`+
		`"m":{"class":"java.time.ZoneOffset","value":"+08:00"},`+
		`"n":{"class":"java.math.BigDecimal","value":"12.30"},`+
		`"o":{"class":"java.util.RegularEnumSet","value":[{"class":"demo.Color","value":"RED"},{"class":"demo.Color","value":"GREEN"}],"of":"demo.Color"},`+
		`"p":{"class":"java.util.EnumMap","value":[[{"class":"demo.Color","value":"RED"},{"class":"java.lang.Long","value":1}],[{"class":"demo.Color","value":"GREEN"},{"class":"java.lang.Long","value":2}]],"of":"demo.Color"},`+
		`"q":{"class":"java.util.PriorityQueue","value":[1,3,3]},`+
		`"r":{"class":"java.util.concurrent.ConcurrentHashMap","value":{"x":false,"y":true}},`+
		`"s":{"class":"[Ljava.util.List;","value":[{"class":"java.util.ArrayList","value":["s"]}]},`+
		`"t":{"class":"sun.nio.cs.UTF_8","value":"UTF-8"},`+
		`"u":{"class":"java.util.OptionalInt","value":{"value":7}},`+
		`"v":null,`+
		`"w":{"class":"[D","value":[1]},`+
		`"x":{"class":"[C","value":["x",55296]},"y":{"class":"java.lang.Character","value":"y"},"z":{"class":"[C","value":["z"]}}}`)
}

func TestLowerNewErrors(t *testing.T) {
	t.Parallel()
	cannotLower(t, []color{"RED", "PINK"}, "[1]", "no constant PINK")
	cannotLower(t, level(5), "", "ordinal 5")
	cannotLower(t, map[struct{ A int }]int{{A: 1}: 1}, "[key]", "hash code")
	cannotLower(t, struct {
		A string `java:"a,java.util.UUID"`
	}{"x"}, "a", "no UUID")
	cannotLower(t, struct {
		A []*int `java:"a,int[]"`
	}{[]*int{nil}}, "a[0]", "cannot hold null")
	cannotLower(t, struct {
		A []color `java:"a,java.util.EnumSet<demo.Color>"`
	}{[]color{"RED", "RED"}}, "a", "one in Java")
	cannotLower(t, struct {
		A []color `java:"a,java.util.EnumSet<demo.Color>"`
	}{[]color{"RED", ""}}, "a", "no constant")
	cannotLower(t, struct {
		A []java.BigDecimal `java:"a,java.util.TreeSet"`
	}{[]java.BigDecimal{{Unscaled: big.NewInt(10), Scale: 1}, {Unscaled: big.NewInt(1), Scale: 0}}}, "a", "one in Java")
	cannotLower(t, struct {
		A []string `java:"a,java.util.LinkedHashSet"`
	}{[]string{"b", "a", "b"}}, "a", "one in Java")
	cannotLower(t, struct {
		A time.Time `java:"a,java.time.OffsetDateTime"`
	}{time.Unix(0, 0).In(time.FixedZone("", 20*3600))}, "a", "18 hours")
	for want, typ := range map[string]reflect.Type{
		"needs a Go type with an enum declaration": reflect.TypeFor[struct {
			A []string `java:"a,java.util.EnumSet<demo.Color>"`
		}](),
		"holds another holder": reflect.TypeFor[struct {
			A string `java:"a,java.util.Optional<java.util.Optional<java.lang.String>>"`
		}](),
		"java.util.EnumMap": reflect.TypeFor[struct {
			A struct{ B int } `java:"a,java.util.EnumMap"`
		}](),
		"all its fields are unexported": reflect.TypeFor[[]strings.Builder](),
		"demo.Tags extends java.util.ArrayList<…>": reflect.TypeFor[struct {
			A []string `java:"a,demo.Tags"`
		}](),
		"[8]uint8":         reflect.TypeFor[struct{ A [8]byte }](),
		"not usable":       reflect.TypeFor[promoted](),
		"declare it as":    reflect.TypeFor[[]notEnum](),
		"collection":       reflect.TypeFor[map[string]bareList](),
		"no Java value":    reflect.TypeFor[chan int](),
		"cannot represent": reflect.TypeFor[classedFunc](),
	} {
		_, err := bridge.Compile(typ, codecs.BindOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", typ, err, want)
		}
	}
}

func TestSuperclassLevels(t *testing.T) {
	t.Parallel()
	o := order{entity: entity{ID: 7}, ID: "A1"}
	low := codectest.Must(mustCompile[order](t).Lower(o))(t)
	if got, want := low.(*java.Object).Fields[:2], []java.Field{{Name: "id", Value: int64(7), Level: "demo.Entity"}, {Name: "id", Value: "A1", Level: "demo.Order"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !strings.Contains(string(view.Of(low)), `"demo.Entity.id":{"class":"java.lang.Long","value":7}`) {
		t.Errorf("view %s", view.Of(low))
	}
	var back order
	if err := mustCompile[order](t).Assign(low, &back); err != nil || back.ID != "A1" || back.entity.ID != 7 {
		t.Errorf("%+v, %v", back, err)
	}
	// Without levels the first field of a name is the subclass's, as in Kryo.
	assigns(t, &java.Object{Class: "demo.Order", Fields: []java.Field{{Name: "id", Value: "A2"}, {Name: "id", Value: int64(8)}}}, order{ID: "A2"})
	assigns(t, &java.Map{Entries: []java.Entry{{Key: "id", Value: "A3"}}}, order{ID: "A3"})
	// A struct may name inherited fields as its own; those of its own level win.
	type flat struct{ entity }
	fields := []java.Field{{Name: "id", Value: int64(1), Level: "demo.Entity"}, {Name: "id", Value: int64(2), Level: "demo.Flat"}, {Name: "id", Value: int64(3), Level: "demo.Root"}}
	plan, err := bridge.Compile(reflect.TypeFor[flat](), codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[flat](): "demo.Flat", reflect.TypeFor[entity](): "demo.Flat",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []int64{0, 1, 2, 2} {
		var got flat
		if err := plan.Assign(&java.Object{Class: "demo.Flat", Fields: fields[:n]}, &got); err != nil || got.ID != want {
			t.Errorf("%d fields: %+v, %v", n, got, err)
		}
	}
}

func TestGenericBeans(t *testing.T) {
	t.Parallel()
	lowers(t, page[color]{Rows: []color{"RED"}}, `{"class":"demo.Page","value":{`+
		`"rows":{"class":"java.util.ArrayList","value":[{"class":"demo.Color","value":"RED"}]},"next":null}}`)
	lowers(t, &tree[int64]{Left: &tree[int64]{Value: 1}, Value: 2}, `{"class":"demo.Tree","value":{"left":{"class":"demo.Tree","value":{`+
		`"left":null,"v":{"class":"java.lang.Long","value":1}}},"v":{"class":"java.lang.Long","value":2}}}`)
	lowers(t, stringSet{"b", "a"}, `{"class":"demo.Strings","value":["a","b"]}`)
	assigns(t, list("x"), stringSet{"x"})
}

// TestOptionClasses: what a declaration names holds inside interfaces too.
func TestOptionClasses(t *testing.T) {
	t.Parallel()
	type foreign struct{ A int }
	opts := codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[foreign](): "demo.Foreign"}}
	plan := codectest.Must(bridge.Compile(reflect.TypeFor[[]any](), opts))(t)
	low, err := plan.Lower([]any{foreign{1}, &foreign{2}})
	want := `{"class":"java.util.ArrayList","value":[{"class":"demo.Foreign","value":{"a":1}},{"class":"demo.Foreign","value":{"a":2}}]}`
	if err != nil || string(view.Of(low)) != want {
		t.Errorf("%s, %v", view.Of(low), err)
	}
	pointers, err := bridge.Compile(reflect.TypeFor[*foreign](), codecs.BindOptions{
		Classes: map[reflect.Type]string{reflect.TypeFor[*foreign](): "demo.Pointed"},
	})
	if err != nil || len(pointers.Beans()) != 1 || pointers.Beans()[0].Class != "demo.Pointed" {
		t.Errorf("%v", err)
	}
}
