package serialization

import (
	"bytes"
	"testing"
)

func TestOrderBean(t *testing.T) {
	t.Parallel()
	payload, typed := orderPayload(t), bindOrder(t)
	order, err := typed.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if order.OrderID != "A-2024-000123" || order.Customer != "张三" || *order.Discount != 15 || order.CreatedAt.UnixMilli() != 1700000000123 ||
		order.Total.String() != "1299.00" || len(order.Tags) != 2 {
		t.Errorf("%+v", order)
	}
	got, err := typed.Encode(order)
	if err != nil || !bytes.Equal(got, payload) {
		t.Errorf("encoded again: %x, %v\nJava wrote:    %x", got, err, payload)
	}
}
