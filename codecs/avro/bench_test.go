package avro_test

import (
	"testing"

	lib "github.com/twmb/avro"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
)

const benchSchema = `{"type":"record","name":"Order","fields":[
	{"name":"amountCents","type":"long"},{"name":"createdAt","type":["null","long"]},{"name":"customer","type":["null","string"]},
	{"name":"discount","type":["null","int"]},{"name":"orderId","type":["null","string"]},{"name":"paid","type":"boolean"},
	{"name":"quantity","type":"int"},{"name":"remark","type":["null","string"]},
	{"name":"tags","type":["null",{"type":"array","items":"string"}]},{"name":"price","type":"double"}]}`

// benchOrder has the names for both.
type benchOrder struct {
	AmountCents int64    `avro:"amountCents"`
	CreatedAt   int64    `avro:"createdAt"`
	Customer    string   `avro:"customer"`
	Discount    *int32   `avro:"discount"`
	OrderID     string   `avro:"orderId" java:"orderId"`
	Paid        bool     `avro:"paid"`
	Quantity    int32    `avro:"quantity"`
	Remark      string   `avro:"remark"`
	Tags        []string `avro:"tags"`
	Price       float64  `avro:"price"`
}

// BenchmarkOrder compares with the library alone.
func BenchmarkOrder(b *testing.B) {
	orders, err := codecs.For[benchOrder](avro.Jackson(benchSchema), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	library := lib.MustParse(benchSchema)
	discount := int32(15)
	order := benchOrder{129900, 1700000000123, "张三", &discount, "A-2024-000123", true, 3, "leave at the door", []string{"vip", "express"}, 12.5}
	payload, err := orders.Encode(order)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Decode(payload)
		}
	})
	b.Run("decode/library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var o benchOrder
			_, _ = library.Decode(payload, &o)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Encode(order)
		}
	})
	b.Run("encode/library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = library.Encode(&order)
		}
	})
}
