package catalog_test

import (
	"bytes"
	"math/big"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// order is the Go twin of the Java class duequeue.bench.Order. Nothing in it
// speaks of a codec.
type order struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

func (order) JavaClass() string { return "duequeue.bench.Order serial 1" }

var discount = int32(15)

var theOrder = order{
	OrderID: "A-2024-000123", Customer: "张三", Remark: "leave at the door", AmountCents: 129900, Quantity: 3,
	Discount: &discount, Paid: true, CreatedAt: time.UnixMilli(1700000000123).UTC(),
	Total: java.BigDecimal{Unscaled: big.NewInt(129900), Scale: 2}, Tags: []string{"vip", "express"},
}

// jsonOrder is what JsonJacksonCodec writes for it.
const jsonOrder = `{"@class":"duequeue.bench.Order","amountCents":129900,"createdAt":["java.util.Date",1700000000123],` +
	`"customer":"张三","discount":15,"orderId":"A-2024-000123","paid":true,"quantity":3,"remark":"leave at the door",` +
	`"tags":["java.util.ArrayList",["vip","express"]],"total":["java.math.BigDecimal",1299.00]}`

// TestOneStructForAllCodecs: one declaration serves every codec. The struct reads
// what Java wrote by each of them, and gives the bytes of Java again, so that a
// queue can change its codec while the struct stays as it is.
func TestOneStructForAllCodecs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codec    string
		payload  []byte
		readOnly bool
	}{
		{codec: "kryo5", payload: written(t, "kryo5")},
		{codec: "jsonjackson", payload: []byte(jsonOrder)},
		{codec: "marshalling", payload: written(t, "marshalling")},
		{codec: "serialization", payload: written(t, "serialization")},
		{codec: "fst", payload: written(t, "fst"), readOnly: true},
	} {
		t.Run(c.codec, func(t *testing.T) {
			t.Parallel()
			codec := codectest.Must(catalog.Find(c.codec))(t)
			typed := codectest.Typed[order](t, codec)
			got := codectest.Must(typed.Decode(c.payload))(t)
			if !reflect.DeepEqual(got, theOrder) {
				t.Errorf("decoded %+v\nwant    %+v", got, theOrder)
			}
			payload, err := typed.Encode(theOrder)
			switch {
			case c.readOnly && err == nil:
				t.Errorf("encoded, though %s only reads", c.codec)
			case c.readOnly:
			case err != nil:
				t.Fatal(err)
			case !bytes.Equal(payload, c.payload):
				t.Errorf("encoded %x\nJava     %x", payload, c.payload)
			}
		})
	}
}

// written returns what Java wrote for theOrder by a codec.
func written(t *testing.T, codec string) []byte {
	t.Helper()
	text := codectest.Must(os.ReadFile("../" + codec + "/testdata/bench/order.hex"))(t)
	return codectest.FromHex(t, string(text))
}

// reply is a generic class that holds its data by value or by pointer.
type reply[T any] struct {
	Code int32 `java:"code"`
	Data T     `java:"data,T"`
}

func (reply[T]) JavaClass() string { return "demo.Reply<T> serial 1" }

// TestReplyWithoutData: a struct that a generic one holds by value is null where it is zero, as the nil
// pointer is.
func TestReplyWithoutData(t *testing.T) {
	t.Parallel()
	for _, c := range carriers() {
		codec, err := catalog.Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		byValue, byPointer := codectest.Typed[reply[Item]](t, codec), codectest.Typed[reply[*Item]](t, codec)
		for _, data := range []*Item{nil, {SKU: "A"}} {
			value := reply[Item]{Code: 500}
			if data != nil {
				value.Data = *data
			}
			want := codectest.Must(byPointer.Encode(reply[*Item]{500, data}))(t)
			if got, err := byValue.Encode(value); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %x, %v, want %x", c.name, got, err, want)
			}
			if got, err := byValue.Decode(want); err != nil || !reflect.DeepEqual(got.Code, value.Code) || got.Data.SKU != value.Data.SKU {
				t.Errorf("%s: decoded %+v, %v", c.name, got, err)
			}
		}
	}
}
