package jackson_test

import (
	"fmt"

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
