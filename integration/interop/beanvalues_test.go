package interop_test

import (
	"fmt"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// createdAt is the time that the beans of both sides have.
var createdAt = time.UnixMilli(1700000000123).UTC()

func ptr[T any](v T) *T { return &v }

func list(elements ...any) *java.List {
	return &java.List{Class: java.ClassArrayList, Elements: elements}
}

func decimal(unscaled string, scale int32) java.BigDecimal {
	n, _ := new(big.Int).SetString(unscaled, 10)
	return java.BigDecimal{Unscaled: n, Scale: scale}
}

func order() Order {
	return Order{
		OrderID: "A-2024-000123", Customer: "张三", Remark: "leave at the door", AmountCents: 129900, Quantity: 3,
		Discount: ptr[int32](15), Paid: true, CreatedAt: createdAt, Total: decimal("129900", 2), Tags: []string{"vip", "express"},
	}
}

func customer(id int) *Customer {
	text := func(s string) *string { return ptr(fmt.Sprintf("%s %d", s, id)) }
	return &Customer{
		Entity: Entity{ID: ptr(int64(id)), Name: fmt.Sprintf("base-%d", id), Version: 1},
		Name:   fmt.Sprintf("customer-%d", id), Level: ptr(Level("SILVER")), Since: &java.LocalDate{Year: 2024, Month: 2, Day: 29},
		Home:   &Address{text("Nanjing Road"), text("上海"), 8},
		Others: []Address{{text("Main Street"), nil, -1}, {nil, text("Berlin"), 0}},
	}
}

func vip() Vip {
	return Vip{
		Customer: Customer{
			Entity: Entity{ID: ptr(int64(7)), Name: "base", Version: 1},
			Name:   "Zhang San", Level: ptr(Level("GOLD")), Since: &java.LocalDate{Year: 1999, Month: 12, Day: 31},
			Home:   &Address{ptr("Nanjing Road"), ptr("上海"), 8},
			Others: []Address{{ptr("Main Street"), nil, -1}},
		},
		Limit: ptr(decimal("1234567890123456789050", 2)), Version: 3,
	}
}

func choices() Choices {
	level := func(ordinal int) java.Enum {
		return java.Enum{Class: "duequeue.beans.Level", Name: []string{"BASIC", "SILVER", "GOLD"}[ordinal], Ordinal: ordinal}
	}
	return Choices{
		Level: "SILVER", Step: 1, Levels: []*Level{ptr(Level("BASIC")), nil, ptr(Level("GOLD"))}, Steps: []Step{0, 1},
		Counts: &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{
			{Key: level(2), Value: int32(1)}, {Key: level(0), Value: nil},
		}},
		Set: &java.List{Class: "java.util.RegularEnumSet", Of: "duequeue.beans.Level", Elements: []any{level(1), level(2)}},
	}
}

func answers() Answers {
	return Answers{
		Words:  &Result[[]string]{200, "code 200", []string{"word one", "word two"}},
		Counts: &Result[map[string]int32]{200, fmt.Sprintf("code %d", 200), map[string]int32{"count": 1}},
		One:    &Result[*Customer]{200, fmt.Sprintf("code %d", 200), customer(1)},
		Page:   &Page[Customer]{[]Customer{*customer(2), *customer(3)}, 2},
		Pair:   &Pair[string, *int64]{"left one", ptr(int64(2))},
		Text:   &Box[string]{"boxed", []string{"boxed"}},
		Number: &Box[int32]{42, []int32{42}},
		Wild:   &Box[any]{"anything", []any{"anything"}},
		Boxes:  []Box[string]{{"a1", []string{"a1"}}, {"b2", []string{"b2"}}},
	}
}

func bound() Bound {
	return Bound{
		&StringBox{Box[string]{"string box", []string{"string box"}}, 10},
		&java.List{Class: "java.util.LinkedHashSet", Elements: []any{int32(3), int32(1), int32(2)}},
	}
}

func line() Line {
	return Line{
		From: &Point{Y: 1, X: 2}, Labels: []string{"a1", "b2"}, Level: ptr(Level("GOLD")), Weight: ptr(int32(7)),
		Extra: list(int32(1), "x1"), Length: 1 << 40,
	}
}

func nested() Nested {
	return Nested{
		Matrix: [][]*int32{{ptr(int32(1)), ptr(int32(2))}, {}, {ptr(int32(3)), nil}},
		Series: map[string][]int64{"s1": {1, 2}, "s2": nil},
		Texts:  map[string]map[string]string{"outer": {"inner": "text"}},
		Rows:   []map[string]any{{"k1": int32(1)}, {"k2": list("deep")}},
		Sorted: &java.Map{Class: "java.util.TreeMap", Entries: []java.Entry{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}}},
		Names:  &java.List{Class: "java.util.TreeSet", Elements: []any{"y", "z"}},
		Any:    &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "mixed", Value: list(1.5, true)}}},
	}
}

func filled() Everything {
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	return Everything{
		Flag: ptr(true), Tiny: ptr(int8(-2)), Small: ptr(int16(-300)), Whole: ptr(int32(70000)), Large: ptr(int64(1) << 40),
		Single: ptr(float32(1.5)), Exact: ptr(-2.25), Letter: ptr(java.Char('张')), Text: ptr("text 其他 \U0001F600"), Date: createdAt,
		Amount: ptr(decimal("-12340", 3)), Huge: huge, List: []*string{ptr("a1"), nil, ptr("c3")}, Map: map[string]int32{"key": 1},
		Ints: []int32{1, -1, 1 << 30}, Objects: []any{int32(1), "two", nil}, Address: &Address{ptr("Street"), ptr("City"), 1},
		Customer: customer(9), Level: ptr(Level("BASIC")), Day: &java.LocalDate{Year: 2024, Month: 1, Day: 2}, Any: int64(5),
	}
}

func primitives() Primitives {
	negativeZero := float32(0)
	negativeZero = -negativeZero
	return Primitives{true, -128, -32768, -1 << 31, -1 << 63, negativeZero, 5e-324, 'A'}
}

func rows() Rows {
	zero := 0.0
	return Rows{
		Flags: []bool{true, false, true}, Bytes: []byte{1, 255}, Shorts: []int16{2, -2}, Chars: []java.Char{'a', '中'},
		Ints: []int32{3, -3}, Longs: []int64{4, -4}, Floats: []float32{1.5}, Doubles: []float64{2.5, -zero},
		Strings: []*string{ptr("ab"), nil, ptr("")}, Boxes: []*int32{ptr(int32(5)), nil},
		Objects: []any{int32(1), "x1", nil, list("deep")}, Table: [][]int32{{1, 2}, nil, {}},
		Levels: []*Level{ptr(Level("GOLD")), nil}, Addresses: []*Address{{ptr("s1"), ptr("c1"), 1}, nil},
		Entities: []any{&Entity{ptr(int64(1)), "plain", 2}, customer(4)},
	}
}

func chain() Node {
	node := func(name string, next *Node, children ...*Node) *Node {
		return &Node{name, next, append([]*Node{}, children...)}
	}
	return *node("first", node("second", nil, node("leaf", nil)), node("child1", nil), node("child2", nil))
}

func ring() *Node {
	a, b := &Node{Name: "a1"}, &Node{Name: "b2", Children: []*Node{}}
	a.Next, b.Next = b, a
	a.Children = []*Node{a, b}
	return a
}

func shared() Shared {
	node, names := &Node{Name: "same", Children: []*Node{}}, list("x1", "y2")
	return Shared{Left: node, Right: node, Names: names, SameNames: names, At: &createdAt}
}

func times() Times {
	day, clock := java.LocalDate{Year: 2024, Month: 1, Day: 2}, java.LocalTime{Hour: 3, Minute: 4, Second: 5}
	exact := clock
	exact.Nano = 6
	return Times{
		Day: java.LocalDate{Year: 2024, Month: 2, Day: 29}, Time: java.LocalTime{Hour: 9, Minute: 30, Second: 15, Nano: 1_000_000},
		At: java.LocalDateTime{Date: day, Time: java.LocalTime{Hour: 3, Minute: 4}}, Instant: java.Instant{Seconds: 1_700_000_000, Nanos: 5},
		Took: java.Duration{Seconds: -2, Nanos: 500_000_000}, Offset: java.OffsetDateTime{Date: day, Time: clock, Offset: 8 * 3600},
		Zoned: java.ZonedDateTime{Date: day, Time: exact, Zone: "Asia/Shanghai", Offset: 8 * 3600, HasOffset: true},
		UUID:  java.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff},
	}
}

func maybe() Maybe { return Maybe{Some: ptr("some"), Number: ptr(int32(-5)), Name: "name"} }
