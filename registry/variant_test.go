package registry_test

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/registry"
)

type orderBefore struct {
	OrderID string `java:"orderId"`
}

type orderAfter struct {
	OrderID string `java:"orderId"`
	Region  int32  `java:"region"`
}

func (orderAfter) JavaClass() string { return "demo.Order" }

// TestVariant: while Java services are being deployed, one queue has messages of
// the class as it was and as it will be.
func TestVariant(t *testing.T) {
	t.Parallel()
	queue := registry.Define[orderAfter]("ROLLING_DEPLOY", "", registry.JavaClass[orderBefore]("demo.Order"))
	if _, err := registry.New(queue); err != nil {
		t.Fatal(err)
	}
	before, err := codecs.For[orderBefore](kryo5.New(), codecs.BindOptions{
		Classes: map[reflect.Type]string{reflect.TypeFor[orderBefore](): "demo.Order"},
	})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := before.Encode(orderBefore{"100"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := queue.Decode(payload)
	if err != nil || got != (orderAfter{OrderID: "100"}) {
		t.Errorf("decoded %+v, %v", got, err)
	}
}
