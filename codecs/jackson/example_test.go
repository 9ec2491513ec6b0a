package jackson_test

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// A struct is carried as the java.util.HashMap that a Java service would put
// into the queue.
func ExampleJsonJackson() {
	type Order struct {
		ID     int64  `java:"orderId"`
		Remark string `java:"remark"`
	}
	orders, err := codecs.For[Order](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := orders.Encode(Order{ID: 100, Remark: "其他信息"})
	fmt.Println(string(payload))

	back, _ := orders.Decode(payload)
	fmt.Printf("%+v\n", back)
	// Output:
	// {"@class":"java.util.HashMap","orderId":["java.lang.Long",100],"remark":"其他信息"}
	// {ID:100 Remark:其他信息}
}

// Without a Go type, class names and order are kept: written again, the bytes
// are the same.
func ExampleJsonJackson_values() {
	c := jackson.JsonJackson()
	payload := `{"@class":"java.util.TreeMap","a":["java.util.UUID","0-0-0-0-1"],"b":["java.util.HashSet",[1]]}`
	v, err := c.Decode([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	again, _ := c.Encode(v)
	fmt.Println(string(again) == payload)
	// Output: true
}

// An error says what is wrong, where, and at which byte.
func ExampleJsonJackson_error() {
	_, err := jackson.JsonJackson().Decode([]byte(`{"@class":"java.util.HashMap","price":["java.lang.Long",1.5]}`))
	fmt.Println(err)
	// Output: decode jsonjackson at price (class java.lang.Long) at byte 56: not a whole number
}

// A field of an abstract Java class is an interface in Go: the classes that it may hold
// are registered.
func ExampleJsonJackson_interface() {
	type order struct {
		Pay payMethod `java:"pay"`
	}
	orders, err := codecs.For[order](jackson.JsonJackson(), codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[order]():    "demo.Order",
		reflect.TypeFor[byCard]():   "demo.ByCard extends demo.PayMethod",
		reflect.TypeFor[*byPhone](): "demo.ByPhone extends demo.PayMethod",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := orders.Encode(order{Pay: &byPhone{Number: "123"}})
	fmt.Println(string(payload))

	back, _ := orders.Decode([]byte(`{"@class":"demo.Order","pay":{"@class":"demo.ByCard","last4":4242}}`))
	fmt.Printf("%T %v\n", back.Pay, back.Pay)
	// Output:
	// {"@class":"demo.Order","pay":{"@class":"demo.ByPhone","number":"123"}}
	// jackson_test.byCard {4242}
}

type payMethod interface{ pays() }

type byCard struct {
	Last4 int32 `java:"last4"`
}

func (byCard) pays() {}

type byPhone struct {
	Number string `java:"number"`
}

func (*byPhone) pays() {}
