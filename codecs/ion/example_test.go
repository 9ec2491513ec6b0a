package ion_test

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// Order is the Java class com.acme.Order { long id; String remark; Date due; Long paid; }.
type Order struct {
	ID     int64     `java:"id,long"`
	Remark string    `java:"remark"`
	Due    time.Time `java:"due"`
	Paid   *int64    `java:"paid,java.lang.Long"`
}

// JavaClass names the class in payloads.
func (Order) JavaClass() string { return "com.acme.Order" }

// A bean as IonJacksonCodec writes it: names in alphabetical order, null fields left
// out.
func ExampleJackson() {
	orders, err := codecs.For[Order](ion.Jackson(jackson.Since("4.7.0")), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	paid := int64(5)
	payload, err := orders.Encode(Order{ID: 7, Remark: "on time", Due: time.UnixMilli(1700000000123), Paid: &paid})
	fmt.Printf("%s %v\n", payload, err)
	order, err := orders.Decode(payload)
	fmt.Println(order.ID, order.Remark, *order.Paid, err)
	// Output:
	// 'com.acme.Order'::{due:'java.util.Date'::1700000000123,id:7,paid:'java.lang.Long'::5,remark:"on time"} <nil>
	// 7 on time 5 <nil>
}

// IonJackson3Codec names no classes, keeps nulls and has timestamps.
func ExampleJackson3() {
	orders, err := codecs.For[Order](ion.Jackson3(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := orders.Encode(Order{ID: 7, Remark: "on time", Due: time.UnixMilli(1700000000123)})
	fmt.Printf("%s %v\n", payload, err)
	order, err := orders.Decode(payload)
	fmt.Println(order.ID, order.Due.UnixMilli(), order.Paid == nil, err)
	// Output:
	// {due:2023-11-14T22:13:20.123Z,id:7,paid:null,remark:"on time"} <nil>
	// 7 1700000000123 true <nil>
}

// JSON is Ion too, and an error says what is wrong, where, and at which byte.
func ExampleJackson_json() {
	codec := ion.Jackson()
	maps, _ := codecs.For[map[string]any](codec, codecs.BindOptions{})
	m, err := maps.Decode([]byte(`{"@class": "java.util.HashMap", "n": 1, "l": ["java.lang.Long", 5]}`))
	fmt.Println(m, err)
	_, err = codec.Decode([]byte(`'java.util.HashMap'::{a:[1,2;3]}`))
	fmt.Println(err)
	// Output:
	// map[l:5 n:1] <nil>
	// decode ionjackson at a[1] at byte 28: ';' right behind a number
}
