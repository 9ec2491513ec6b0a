package java_test

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
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
func ExampleCompile() {
	type Order struct {
		ID    string   `java:"orderId"`
		Cents int64    `java:"amountCents,java.lang.Long"`
		Tags  []string `java:"tags,java.util.LinkedList<java.lang.String>"`
	}
	plan, err := java.Compile(reflect.TypeFor[Order](), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := plan.Lower(Order{ID: "100", Cents: 5, Tags: []string{"vip"}})
	fmt.Println(string(java.View(v)), err)

	var back Order
	err = plan.Assign(v, &back)
	fmt.Printf("%+v %v\n", back, err)
	err = plan.Assign(&java.Map{Entries: []java.Entry{{Key: "tags", Value: "vip"}}}, &back)
	fmt.Println(err)
	// Output:
	// {"class":"java.util.HashMap","value":{"amountCents":{"class":"java.lang.Long","value":5},"orderId":"100","tags":{"class":"java.util.LinkedList","value":["vip"]}}} <nil>
	// {ID:100 Cents:5 Tags:[vip]} <nil>
	// tags: java.lang.String into Go type []string: the kinds differ
}

// The JSON view shows the class wherever JSON alone would not.
func ExampleView() {
	fmt.Println(string(java.View(&java.List{Class: "java.util.LinkedList", Elements: []any{"a", int32(1), int64(1), 1.0, nil}})))
	// Output: {"class":"java.util.LinkedList","value":["a",1,{"class":"java.lang.Long","value":1},1.0,null]}
}
