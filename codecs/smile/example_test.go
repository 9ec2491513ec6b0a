package smile_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/smile"
)

// Order is the Java class com.acme.Order { long id; String remark; Long paid; }.
type Order struct {
	ID     int64  `java:"id,long"`
	Remark string `java:"remark"`
	Paid   *int64 `java:"paid,java.lang.Long"`
}

// JavaClass names the class in payloads.
func (Order) JavaClass() string { return "com.acme.Order" }

// A bean as SmileJacksonCodec writes it: names in alphabetical order, null fields left
// out.
func ExampleJackson() {
	orders, err := codecs.For[Order](smile.Jackson(jackson.Since("4.7.0")), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := orders.Encode(Order{ID: 7, Remark: "on time"})
	fmt.Printf("%x %v\n", payload, err)
	order, err := orders.Decode(payload)
	fmt.Println(order.ID, order.Remark, order.Paid == nil, err)
	// Output:
	// 3a290a01fa8540636c6173734d636f6d2e61636d652e4f72646572816964ce8572656d61726b466f6e2074696d65fb <nil>
	// 7 on time true <nil>
}

// SmileJackson3Codec names no classes and keeps nulls: it is Smile as anybody writes it.
func ExampleJackson3() {
	orders, err := codecs.For[map[string]any](smile.Jackson3(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := orders.Encode(map[string]any{"id": 7, "tags": []string{"a", "b"}, "paid": nil})
	fmt.Printf("%x %v\n", payload, err)
	order, err := orders.Decode(payload)
	fmt.Println(order, err)
	// Output:
	// 3a290a01fa837061696421816964ce8374616773f840614062f9fb <nil>
	// map[id:7 paid:<nil> tags:[a b]] <nil>
}

// An error says what is wrong, where, and at which byte.
func ExampleJackson_error() {
	_, err := smile.Jackson().Decode([]byte(":)\n\x01\xfa\x85@class\x50java.util.TreeMap\x81id\x27\xfb"))
	fmt.Println(err)
	// Output: decode smilejackson at id at byte 33: byte 27 where a value is due
}
