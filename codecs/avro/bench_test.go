package avro_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

const benchSchema = `{"type":"record","name":"Order","fields":[
	{"name":"amountCents","type":"long"},{"name":"createdAt","type":["null","long"]},{"name":"customer","type":["null","string"]},
	{"name":"discount","type":["null","int"]},{"name":"orderId","type":["null","string"]},{"name":"paid","type":"boolean"},
	{"name":"quantity","type":"int"},{"name":"remark","type":["null","string"]},
	{"name":"tags","type":["null",{"type":"array","items":"string"}]},{"name":"price","type":"double"}]}`

type benchOrder struct {
	AmountCents, CreatedAt int64
	Customer               string
	Discount               *int32
	OrderID                string `java:"orderId"`
	Paid                   bool
	Quantity               int32
	Remark                 string
	Tags                   []string
	Price                  float64
}

func BenchmarkOrder(b *testing.B) {
	orders := codectest.Typed[benchOrder](b, avro.Jackson(benchSchema))
	discount := int32(15)
	order := benchOrder{129900, 1700000000123, "张三", &discount, "A-2024-000123", true, 3, "leave at the door", []string{"vip", "express"}, 12.5}
	payload := codectest.Must(orders.Encode(order))(b)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Decode(payload)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Encode(order)
		}
	})
}
