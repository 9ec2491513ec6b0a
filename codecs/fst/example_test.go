package fst_test

import (
	"encoding/hex"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// Order twins the Java class demo.Order: String id; int quantity; boolean paid.
type Order struct {
	ID       string `java:"id"`
	Quantity int32  `java:"quantity"`
	Paid     bool   `java:"paid"`
}

// JavaClass names the class; the fields with their types describe it.
func (Order) JavaClass() string { return "demo.Order" }

// payload is what FstCodec wrote for such an order.
var payload, _ = hex.DecodeString("00010a64656d6f2e4f726465728003fc03412d3100")

// A Go struct with a Java class is the descriptor that FST needs.
func ExampleNew() {
	orders, err := codecs.For[Order](fst.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := orders.Decode(payload)
	fmt.Printf("%+v %v\n", order, err)
	_, err = orders.Encode(order)
	fmt.Println(err)
	// Output:
	// {ID:A-1 Quantity:3 Paid:true} <nil>
	// encode fst (Go type fst_test.Order): FST is read only: its bytes depend on private fields of the JDK and of FST's own release, and a wrong guess corrupts a Java consumer; let Java take another codec (kryo5, marshalling, jsonjackson) and read the old payloads with AnyOf
}

// Without a Go type, descriptors come as an option; what is not described is an
// error that says so.
func ExampleClasses() {
	_, err := fst.New().Decode(payload)
	fmt.Println(err)

	order, err := java.ParseClass("demo.Order")
	if err != nil {
		fmt.Println(err)
		return
	}
	order.Fields = []java.ClassField{
		{Name: "id", Type: java.TypeExpr{Class: "java.lang.String"}},
		{Name: "quantity", Type: java.TypeExpr{Class: "int"}},
		{Name: "paid", Type: java.TypeExpr{Class: "boolean"}},
	}
	classes, err := java.NewClasses(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := fst.New(fst.Classes(classes)).Decode(payload)
	fmt.Println(string(view.Of(value)), err)
	// Output:
	// decode fst (class demo.Order) at byte 0: its fields are not known, and FST writes neither names nor types: give its descriptor with fst.Classes, or bind to a Go type that declares it: no descriptor
	// {"class":"demo.Order","value":{"paid":true,"quantity":3,"id":"A-1"}} <nil>
}

// The Go twin of a readExternal method.
func ExampleReadExternal() {
	codec := fst.New(fst.ReadExternal("demo.Money", func(in *fst.Input) any {
		return fmt.Sprintf("%d %s", in.Long(), in.UTF())
	}))
	money, _ := hex.DecodeString("00010a64656d6f2e4d6f6e65790503455552")
	value, err := codec.Decode(money)
	fmt.Println(value, err)
	// Output: 5 EUR <nil>
}
