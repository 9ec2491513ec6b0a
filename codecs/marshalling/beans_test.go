package marshalling

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the beans in integration/java/src/vectors/marshalling/River.java.

type color string

func (color) JavaClass() string { return "enum River$Color {RED, GREEN, BLUE}" }

type op string

func (op) JavaClass() string { return "enum River$Op {ADD{River$Op$1}, SUB{River$Op$2}}" }

type item struct {
	SKU   string           `java:"sku"`
	Count int32            `java:"count"`
	Price *java.BigDecimal `java:"price"`
}

func (item) JavaClass() string { return "River$Item serial 11" }

type base struct {
	ID   int64   `java:"id"`
	Name *string `java:"name"`
}

func (base) JavaClass() string { return "River$Base serial 12" }

type order struct {
	base
	Paid      bool      `java:"paid"`
	B         int8      `java:"b"`
	S         int16     `java:"s"`
	C         java.Char `java:"c"`
	Quantity  int32     `java:"quantity"`
	F         float32   `java:"f"`
	D         float64   `java:"d"`
	BoxedFlag *bool     `java:"boxedFlag"`
	BoxedByte *int8     `java:"boxedByte"`

	BoxedShort  *int16              `java:"boxedShort"`
	BoxedChar   *java.Char          `java:"boxedChar"`
	BoxedInt    *int32              `java:"boxedInt"`
	BoxedLong   *int64              `java:"boxedLong"`
	BoxedFloat  *float32            `java:"boxedFloat"`
	BoxedDouble *float64            `java:"boxedDouble"`
	Created     time.Time           `java:"created"`
	Total       *java.BigDecimal    `java:"total"`
	Big         *big.Int            `java:"big"`
	Key         *java.UUID          `java:"key"`
	Color       *color              `java:"color"`
	Op          *op                 `java:"op"`
	Day         *java.LocalDate     `java:"day"`
	At          *java.LocalDateTime `java:"at"`
	Instant     *java.Instant       `java:"instant"`
	Wait        *java.Duration      `java:"wait"`
	Bytes       []byte              `java:"bytes"`
	Ints        []int32             `java:"ints,int[]"`
	Names       []*string           `java:"names,java.lang.String[]"`
	Items       []*item             `java:"items,River$Item[]"`
	Colors      []color             `java:"colors,River$Color[]"`
	Tags        []string            `java:"tags"`
	Lines       []item              `java:"lines"`
	Stock       map[string]int32    `java:"stock"`
	Nested      map[string][]int64  `java:"nested"`
	Labels      []string            `java:"labels,java.util.Set<java.lang.String>"`
	Any         any                 `java:"any"`
	Next        *order              `java:"next"`
}

func (order) JavaClass() string { return "River$Order serial 13" }

type ringNode struct {
	Label    string      `java:"label"`
	Next     *ringNode   `java:"next"`
	Children []*ringNode `java:"children"`
}

func (ringNode) JavaClass() string { return "River$Node serial 14" }

type two struct {
	First  *item  `java:"first"`
	Second *item  `java:"second"`
	One    color  `java:"one"`
	Other  color  `java:"other"`
	Left   string `java:"left"`
	Right  string `java:"right"`
}

func (two) JavaClass() string { return "River$Two serial 15" }

func ptr[T any](v T) *T { return &v }

func decimal(unscaled int64, scale int32) *java.BigDecimal {
	return &java.BigDecimal{Unscaled: big.NewInt(unscaled), Scale: scale}
}

func fullOrder() order {
	large, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	return order{
		base: base{ID: 42, Name: ptr("张三 \U0001F600")},
		Paid: true, B: -7, S: 300, C: '中', Quantity: 3, F: 1.5, D: -2.25,
		BoxedFlag: ptr(true), BoxedByte: ptr(int8(1)), BoxedShort: ptr(int16(2)), BoxedChar: ptr(java.Char('x')), BoxedInt: ptr(int32(1000)),
		BoxedLong: ptr(int64(1) << 40), BoxedFloat: ptr(float32(0.5)), BoxedDouble: ptr(1e300),
		Created: time.UnixMilli(1700000000123).UTC(), Total: decimal(129900, 2), Big: large,
		Key:   &java.UUID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10},
		Color: ptr(color("GREEN")), Op: ptr(op("SUB")),
		Day:     &java.LocalDate{Year: 2024, Month: 2, Day: 29},
		At:      &java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 1, Day: 2}, Time: java.LocalTime{Hour: 3, Minute: 4, Second: 5, Nano: 600}},
		Instant: &java.Instant{Seconds: 1700000000, Nanos: 5}, Wait: &java.Duration{Seconds: 90, Nanos: 1},
		Bytes: []byte{1, 254, 3}, Ints: []int32{1, -1, 1 << 20}, Names: []*string{ptr("n1"), nil, ptr("n2")},
		Items: []*item{{SKU: "i1", Count: 1, Price: decimal(5, 2)}, nil}, Colors: []color{"RED", "GREEN"},
		Tags: []string{"t1", "t2"}, Lines: []item{{SKU: "l1", Count: 2, Price: decimal(5, 0)}, {SKU: "l2", Count: 3, Price: decimal(1, -3)}},
		Stock: map[string]int32{"k1": 1, "k2": 2}, Nested: map[string][]int64{"n": {1, 2}}, Labels: []string{"s1"},
		Any:  []any{int32(1), "x", nil, 2.5},
		Next: &order{base: base{Name: ptr("second")}},
	}
}

func sharedTwo() two {
	text, same := "one string", &item{SKU: "same", Count: 1, Price: decimal(7, 0)}
	return two{First: same, Second: same, One: "BLUE", Other: "BLUE", Left: text, Right: text}
}

func ring() *ringNode {
	a, b := &ringNode{Label: "a1", Children: []*ringNode{}}, &ringNode{Label: "b1"}
	a.Next, b.Next, b.Children = b, a, []*ringNode{a, b}
	return a
}
