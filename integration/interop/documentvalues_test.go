package interop_test

import (
	"math"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// someUUID is the one that the documents have.
var someUUID = java.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}

// later is a date of the documents as a value that no type declares.
func later(ms int64) java.Date {
	return java.Date{Class: "java.util.Date", Millis: createdAt.UnixMilli() + ms}
}

func ledger() Ledger {
	return Ledger{
		ID: 1 << 40, BoxedID: ptr(int64(2)), Count: -70000, BoxedCount: ptr(int32(70000)), Small: -300, BoxedSmall: ptr(int16(300)),
		Tiny: -2, BoxedTiny: ptr(int8(2)), Price: -2.25, BoxedPrice: ptr(1e21), Rate: 1.5, BoxedRate: ptr(float32(-0.25)),
		Letter: '张', BoxedLetter: ptr(java.Char('A')), Open: true, BoxedOpen: ptr(false),
		Text: ptr("text \"其他\" \\ / <&> \n \U0001F600"), Huge: big.NewInt(-12345678901234), At: createdAt, UUID: &someUUID,
		Level: ptr(Level("GOLD")), Blob: []byte{0, 1, 255, 127}, AnyLong: int64(5), AnyInt: int32(6), AnyText: "any", AnyDate: later(1),
	}
}

func price() Price {
	return Price{decimal("1230", 2), decimal("1", -3), decimal("-1", 9), decimal("1234567890123456789050", 2)}
}

func shelves() Shelves {
	level := func(name string) *Level { return ptr(Level(name)) }
	return Shelves{
		Texts: []*string{ptr("a1"), nil, ptr("")}, Longs: []*int64{ptr(int64(1)), nil, ptr(int64(1 << 40))},
		Ints: []*int32{ptr(int32(1)), nil, ptr(int32(-1))}, Dates: []*time.Time{ptr(createdAt.Add(2 * time.Millisecond)), nil},
		IDs: []java.UUID{someUUID}, Levels: []*Level{level("BASIC"), nil, level("GOLD")}, Blobs: [][]byte{{1}, {}},
		Table: [][]int64{{1, 2}, {}, {3}}, Counts: map[string]int64{"one": 1, "two": 2},
		Days: map[string]time.Time{"first": createdAt.Add(3 * time.Millisecond)}, Series: map[string][]int64{"s1": {1, 2}},
		Nested: map[string]map[string]string{"outer": {"inner": "text"}}, ByNumber: map[int64]string{7: "seven", 1 << 40: "large"},
		Names: []string{"y", "z"},
		Mixed: []any{
			int32(1), int64(2), "three", 4.5, true, nil, later(4),
			java.Enum{Class: "duequeue.beans.Level", Name: "SILVER", Ordinal: 1},
			list("deep", int64(5)), hashMap("k", int64(6)),
		},
		Attributes: map[string]any{
			"k": int32(1), "l": int64(2), "list": list("x", int64(3)), "map": hashMap("y", int64(4)), "spot": &Spot{ptr("Berlin"), 1},
		},
		Empty: []string{},
	}
}

func hashMap(key string, value any) *java.Map {
	return &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: key, Value: value}}}
}

func picks() Picks {
	level := func(ordinal int) java.Enum {
		return java.Enum{Class: "duequeue.beans.Level", Name: []string{"BASIC", "SILVER", "GOLD"}[ordinal], Ordinal: ordinal}
	}
	return Picks{
		Level: ptr(Level("SILVER")), Step: 1, Levels: []*Level{ptr(Level("BASIC")), nil, ptr(Level("GOLD"))}, Steps: []Step{0, 1},
		ByLevel: &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: level(2), Value: int64(1)}}},
		Set:     &java.List{Class: "java.util.RegularEnumSet", Of: "duequeue.beans.Level", Elements: []any{level(1), level(2)}},
		Any:     Level("BASIC"), AnyStep: Step(0),
	}
}

func circle(name string, radius float64) *Circle { return &Circle{Shape{&name}, radius} }

func shape(name string) *Shape { return &Shape{&name} }

func drawing() Drawing {
	return Drawing{
		Main: circle("c1", 1.5), All: []any{&Square{Shape{ptr("s1")}, ptr(int64(5))}, circle("c2", 0), shape("plain"), nil},
		Named: map[string]any{"first": &Square{Shape{ptr("s2")}, nil}}, Any: circle("c3", -1), Corner: &Spot{ptr("上海"), 8},
		Corners: []*Spot{{nil, -1}, {ptr("Berlin"), 0}},
	}
}

func sketch() Sketch {
	return Sketch{
		Main: *circle("c1", 1.5), All: []figure{Square{Shape{ptr("s1")}, ptr(int64(5))}, *circle("c2", 0), *shape("plain"), nil},
		Named: map[string]figure{"first": Square{Shape{ptr("s2")}, nil}}, Any: *circle("c3", -1), Corner: &Spot{ptr("上海"), 8},
		Corners: []*Spot{{nil, -1}, {ptr("Berlin"), 0}},
	}
}

func route() Route {
	l := line()
	return Route{From: &Point{Y: 1, X: 2}, Stops: []Point{{3, 4}, {5, 6}}, Line: &l}
}

func replies() Replies {
	return Replies{
		Words: &Result[[]string]{200, "code 200", []string{"word one", "word two"}}, Counts: &Result[map[string]int64]{200, "code 200", map[string]int64{"count": 1}},
		Shape: &Result[any]{200, "code 200", circle("c4", 2)}, Pair: &Pair[string, *int64]{"left one", ptr(int64(2))},
		Number: &Box[int64]{42, []int64{42}}, Numbers: []Result[int64]{{200, "code 200", 7}},
		Boxes: []Box[string]{{"a1", []string{"a1"}}, {"b2", []string{"b2"}}},
	}
}

func grid() Grid {
	return Grid{
		Flags: []bool{true, false, true}, Bytes: []byte{1, 255}, Shorts: []int16{2, -2}, Chars: []java.Char{'a', '中'}, Ints: []int32{3, -3},
		Longs: []int64{4, -4}, Floats: []float32{1.5}, Doubles: []float64{2.5, math.Copysign(0, -1)}, Strings: []*string{ptr("ab"), nil, ptr("")},
		Boxes: []*int32{ptr(int32(5)), nil}, BoxedLongs: []*int64{ptr(int64(6)), nil}, Objects: []any{int32(1), int64(2), "x1", nil, list("deep", int64(3))},
		Table: [][]int32{{1, 2}, nil, {}}, Levels: []*Level{ptr(Level("GOLD")), nil}, Spots: []*Spot{{ptr("c1"), 1}, nil},
		Shapes: []any{circle("c5", 1), nil, shape("p2")},
	}
}

func account() Account { return Account{ptr(int64(7)), "张三", true} }

func reading() Reading {
	return Reading{
		ID: 7, Count: ptr(int32(-3)), Sensor: "温度 1", Value: 20.5, Error: 0.25, Valid: true, Level: "SILVER", At: createdAt,
		Raw: []byte{1, 2, 255}, Tags: []string{"a", "b"}, Totals: map[string]int64{"all": 5}, Place: &Spot{ptr("上海"), 8},
		Places: []Spot{{ptr("Berlin"), 1}, {ptr("Paris"), 2}},
	}
}
