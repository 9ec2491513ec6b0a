package java_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// A Go map becomes what Java's HashMap would iterate, whatever its own order.
func ExampleHashOrder() {
	keys, err := java.HashOrder([]any{"remark", "orderId", "amount", "tags"})
	fmt.Println(keys, err)
	// Output: [amount orderId remark tags] <nil>
}

// Struct tags name the Java field and, where Go's type leaves a choice, its Java
// type.
func Example_tags() {
	type Order struct {
		ID    string   `java:"orderId"`
		Cents int64    `java:"amountCents,java.lang.Long"`
		Tags  []string `java:"tags,java.util.LinkedList<java.lang.String>"`
	}
	orders, err := codecs.For[Order](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := orders.Encode(Order{ID: "100", Cents: 5, Tags: []string{"vip"}})
	fmt.Println(string(payload), err)
	back, err := orders.Decode(payload)
	fmt.Printf("%+v %v\n", back, err)
	// Output:
	// {"@class":"java.util.HashMap","amountCents":["java.lang.Long",5],"orderId":"100","tags":["java.util.LinkedList",["vip"]]} <nil>
	// {ID:100 Cents:5 Tags:[vip]} <nil>
}

// A declaration reads as in Java. All of its mistakes are found before a queue is
// used.
func ExampleParseClass() {
	op, err := java.ParseClass("enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}}")
	fmt.Println(op, op.Ordinal("SUB"), err)
	_, err = java.ParseClass("demo.Order extends")
	fmt.Println(err)
	// Output:
	// enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}} 1 <nil>
	// Java class "demo.Order extends": at character 12: unexpected "extends"
}
