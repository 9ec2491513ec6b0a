package kryo5

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

const shop = `shop.Base<I>
	I id
shop.Order extends shop.Base<java.lang.Long>
	java.lang.String note
	shop.Status status
	java.util.List<shop.Line> lines
	java.util.Map<java.lang.String,java.lang.Integer> counts
	java.util.Date created
	long cents
final shop.Line
	java.lang.String sku
	int count
enum shop.Status {NEW, PAID}
record shop.Point
	int y
	int x`

// The order in Java's bytes: cents, counts, created, id, lines, note, status.
const (
	orderHead = "\x01\x00shop.Orde\xf2"
)

func orderBytes() string {
	return orderHead + "\xf2\xc0\x01" + // cents 12345
		"\x01\x01java.util.HashMa\xf0\x02k\xb1\x01\x12" + // counts {k1=9}
		"\x01\x02java.util.Dat\xe5\x05" + // created
		"\x01\x0e" + // id: Long 7 without class
		"\x01\x03java.util.ArrayLis\xf4\x02\x04s\xb1" + // lines: one Line without class
		"\x81" + // note ""
		"\x02" // status PAID
}

func TestBean(t *testing.T) {
	t.Parallel()
	codec := New(Classes(describe(t, shop)))
	want := &java.Object{Class: "shop.Order", Fields: []java.Field{
		{Name: "cents", Value: int64(12345), Level: "shop.Order"},
		{Name: "counts", Value: &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "k1", Value: int32(9)}}}, Level: "shop.Order"},
		{Name: "created", Value: java.Date{Class: "java.util.Date", Millis: 5}, Level: "shop.Order"},
		{Name: "id", Value: int64(7), Level: "shop.Base"},
		{Name: "lines", Value: &java.List{Class: "java.util.ArrayList", Elements: []any{
			&java.Object{Class: "shop.Line", Fields: []java.Field{
				{Name: "count", Value: int32(2), Level: "shop.Line"}, {Name: "sku", Value: "s1", Level: "shop.Line"},
			}},
		}}, Level: "shop.Order"},
		{Name: "note", Value: "", Level: "shop.Order"},
		{Name: "status", Value: java.Enum{Class: "shop.Status", Name: "PAID", Ordinal: 1}, Level: "shop.Order"},
	}}
	got, err := codec.Decode([]byte(orderBytes()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s, %v", view.Of(got), err)
	}
	if b, err := codec.Encode(want); err != nil || string(b) != orderBytes() {
		t.Errorf("%q, %v", b, err)
	}
	// Fields in any order, some left out, integers of another size.
	some := &java.Object{Class: "shop.Order", Fields: []java.Field{{Name: "note", Value: "n"}, {Name: "cents", Value: int32(1)}}}
	if b, err := codec.Encode(some); err != nil || string(b) != orderHead+"\x02\x00\x00\x00\x00\x82n\x00" {
		t.Errorf("%q, %v", b, err)
	}
	point := &java.Object{Class: "shop.Point", Fields: []java.Field{{Name: "y", Value: int32(2)}, {Name: "x", Value: int32(1)}}}
	if b, err := codec.Encode(point); err != nil || string(b) != "\x01\x00shop.Poin\xf4\x02\x04" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestBeanDecodeErrors names the field, the class and the offset of what is wrong.
func TestBeanDecodeErrors(t *testing.T) {
	t.Parallel()
	codec := New(Classes(describe(t, shop)))
	whole := orderBytes()
	checkWrong(t, codec, map[string]wrong{
		"cut in lines":      {whole[:len(whole)-4], "lines[0].sku", "shop.Line", len(whole) - 4, "ends"},
		"cut before status": {whole[:len(whole)-1], "status", "shop.Order", len(whole) - 1, "ends"},
		"unknown constant":  {whole[:len(whole)-1] + "\x03", "status", "shop.Status", len(whole) - 1, "ordinal 2"},
		"one byte too many": {whole + "\x00", "", "", len(whole), "1 bytes follow"},
		"varint not short":  {orderHead + "\x82\x00", "cents", "shop.Order", 12, "surplus"},
		"class that does not fit": {
			orderHead + "\x02\x00\x01\x01java.util.HashMa\xf0\x01", "created", "java.util.HashMap", -2, "declared as java.util.Date",
		},
		"list for a map": {orderHead + "\x02\x01\x01java.util.ArrayLis\xf4\x01", "counts", "java.util.ArrayList", -2, "declared as java.util.Map"},
		"bean for a list": {
			orderHead + "\x02\x00\x00\x00\x01\x01shop.Lin\xe5\x02\x81", "lines", "shop.Line", -2, "declared as java.util.List",
		},
		"no flag": {orderHead + "\x02\x00\x00\x02", "id", "shop.Order", 15, "0x02"},
	})
	if v, _ := codec.Decode([]byte(whole[:len(whole)-1])); java.ClassOf(v) != "shop.Order" {
		t.Errorf("what was read before is lost: %v", v)
	}
}

func TestBeanEncodeErrors(t *testing.T) {
	t.Parallel()
	codec := New(Classes(describe(t, shop)))
	order := func(field string, value any) *java.Object {
		return &java.Object{Class: "shop.Order", Fields: []java.Field{{Name: field, Value: value}}}
	}
	for name, c := range map[string]struct {
		value        any
		path, reason string
	}{
		"field that is not there": {order("Cents", int64(1)), "Cents", "no such field"},
		"string for a long":       {order("cents", "1"), "cents", "no long"},
		"null for a long":         {order("cents", nil), "cents", "no long"},
		"long for a string":       {order("note", int64(1)), "note", "java.lang.String"},
		"int for a Long":          {order("id", int32(1)), "id", "java.lang.Long"},
		"map for a list":          {order("lines", &java.Map{}), "lines", "declared as java.util.List"},
		"map in lines":            {order("lines", []any{map[string]any{}}), "lines[0]", "shop.Line"},
		"string in counts":        {order("counts", map[string]any{"a": "b"}), "counts.a", "java.lang.Integer"},
		"constant not there":      {order("status", java.Enum{Class: "shop.Status", Name: "OLD"}), "status", "OLD"},
		"ordinal not there":       {order("status", java.Enum{Class: "shop.Status", Ordinal: 2}), "status", "ordinal 2"},
		"list as bean":            {&java.List{Class: "shop.Order"}, "", "kind"},
		"superclass unknown":      {&java.Object{Class: "shop.Order"}, "", "shop.Missing"},
	} {
		t.Run(name, func(t *testing.T) {
			codec := codec
			if name == "superclass unknown" {
				codec = New(Classes(describe(t, "shop.Order extends shop.Missing")))
			}
			_, err := codec.Encode(c.value)
			var e *codecs.EncodeError
			if !errors.As(err, &e) || e.Path != c.path || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestVariants reads a bean as it was before and after a deployment.
func TestVariants(t *testing.T) {
	t.Parallel()
	codec := New(Classes(describe(t, `shop.Item
	java.lang.String name
	int count
	java.lang.String sku
shop.Cart
	java.util.List<shop.Item> items
	long total`), describe(t, `shop.Item
	java.lang.String name
	int count
shop.Cart
	java.util.List<shop.Item> items`)))
	for name, c := range map[string]struct{ payload, want string }{
		"new":           {"\x01\x00shop.Ite\xed\x02n\xb1s\xb1", `{"count":1,"name":"n1","sku":"s1"}`},
		"old":           {"\x01\x00shop.Ite\xed\x02n\xb1", `{"count":1,"name":"n1"}`},
		"new in a list": {arrayList + "\x83\x01\x01shop.Ite\xed\x00\x02n\xb1s\xb1\x04m\xb1t\xb1", `{"count":2,"name":"m1","sku":"t1"}`},
		"old in a list": {arrayList + "\x83\x01\x01shop.Ite\xed\x00\x02n\xb1\x04m\xb1", `{"count":2,"name":"m1"}`},
		"both old": {
			"\x01\x00shop.Car\xf4\x01\x01java.util.ArrayLis\xf4\x82\x01\x02shop.Ite\xed\x00\x02n\xb1", `{"count":1,"name":"n1"}`,
		},
		"new cart of old items": {
			"\x01\x00shop.Car\xf4\x01\x01java.util.ArrayLis\xf4\x82\x01\x02shop.Ite\xed\x00\x02n\xb1\x0e", `{"count":1,"name":"n1"}`,
		},
	} {
		v, err := codec.Decode([]byte(c.payload))
		if err != nil || !strings.Contains(string(view.Of(v)), c.want) {
			t.Errorf("%s: %s, %v", name, view.Of(v), err)
			continue
		}
		if b, err := codec.Encode(v); err != nil || string(b) != c.payload {
			t.Errorf("%s: encoded as %q, %v", name, b, err)
		}
	}
	_, err := codec.Decode([]byte("\x01\x00shop.Ite\xed\x02n\xb1s\xb1\x00\x00"))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Offset != 16 || !strings.Contains(e.Reason, "2 bytes follow") || !strings.Contains(e.Reason, "1 other combinations") {
		t.Errorf("the first error with a note is wanted: %v", err)
	}
	_, err = codec.Decode([]byte("\x02\x02\x00"))
	if !errors.As(err, &e) || strings.Contains(e.Reason, "combinations") {
		t.Errorf("no class with several descriptions is in this payload: %v", err)
	}
}

// nullOrder is the class of the row "Order nulls".
type nullOrder struct {
	ID    string    `java:"orderId"`
	Cents int64     `java:"amountCents"`
	Qty   *int32    `java:"qty"`
	At    time.Time `java:"createdAt"`
	Tags  []string  `java:"tags"`
}

func (nullOrder) JavaClass() string { return "demo.Order" }

// TestNullsIntoValues: a null of Java is the zero value where the Go type has no nil.
func TestNullsIntoValues(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[nullOrder](t, New())
	got, err := typed.Decode([]byte("\x01\x00demo.Orde\xf2\x00\x00\x80\x00\x00"))
	if err != nil || !reflect.DeepEqual(got, nullOrder{}) {
		t.Errorf("%+v, %v", got, err)
	}
}
