package serialization_test

import (
	"fmt"
	"log"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// Order is the Go twin of a Java class:
//
//	public class Order implements Serializable {
//	    private static final long serialVersionUID = 42L;
//	    String orderId;
//	    BigDecimal total;
//	    Date created;
//	    List<String> tags;
//	}
type Order struct {
	OrderID string          `java:"orderId"`
	Total   java.BigDecimal `java:"total"`
	Created time.Time       `java:"created"`
	Tags    []string        `java:"tags"`
}

// JavaClass names the class with its serialVersionUID.
func (Order) JavaClass() string { return "demo.Order serial 42" }

func Example() {
	orders, err := codecs.For[Order](serialization.New(), codecs.BindOptions{})
	if err != nil {
		log.Fatal(err)
	}
	payload, err := orders.Encode(Order{OrderID: "A-1", Created: time.UnixMilli(1700000000000), Tags: []string{"vip"}})
	if err != nil {
		log.Fatal(err)
	}
	order, err := orders.Decode(payload)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(payload), "bytes:", order.OrderID, order.Created.Year(), order.Tags)
	// Output: 544 bytes: A-1 2023 [vip]
}

// A class that no Go type describes comes back as an object with its fields.
func ExampleCodec_Decode() {
	orders, err := codecs.For[Order](serialization.New(), codecs.BindOptions{})
	if err != nil {
		log.Fatal(err)
	}
	payload, err := orders.Encode(Order{OrderID: "A-1", Tags: []string{"vip", "express"}})
	if err != nil {
		log.Fatal(err)
	}
	value, err := serialization.New().Decode(payload)
	if err != nil {
		log.Fatal(err)
	}
	order := value.(*java.Object)
	tags, _ := order.Get("tags")
	fmt.Println(order.Class, order.Serial.UID, tags.(*java.List).Class, tags.(*java.List).Elements)
	// Output: demo.Order 42 java.util.ArrayList [vip express]
}

// A bean whose serialVersionUID nobody has told is refused when it is declared.
func ExampleCodec_Bind() {
	_, err := codecs.For[Order](serialization.New(), codecs.BindOptions{})
	fmt.Println(err)
	_, err = codecs.For[struct{ Event Event }](serialization.New(), codecs.BindOptions{})
	fmt.Println(err)
	// Output:
	// <nil>
	// codec serialization cannot carry this type at Event (Go type serialization_test.Event): the Java class demo.Event cannot be written: its serialVersionUID is not known: add it to the class as in "demo.Event serial 42"; duequeue javadesc reads it from the .class file
}

// Event has no serialVersionUID.
type Event struct{ Name string }

// JavaClass names the class only.
func (Event) JavaClass() string { return "demo.Event" }

// Objects of one stream refer to each other.
func ExampleStream() {
	out := serialization.NewStream(codecs.Limits{})
	tags := &java.List{Elements: []any{"vip"}}
	payload, err := out.Append(nil, tags)
	if err != nil {
		log.Fatal(err)
	}
	first := len(payload)
	if payload, err = out.Append(payload, tags); err != nil {
		log.Fatal(err)
	}
	in := serialization.NewStream(codecs.Limits{})
	a, next, err := in.Read(payload, 0)
	if err != nil {
		log.Fatal(err)
	}
	b, _, err := in.Read(payload, next)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(next == first, len(payload)-first, a.(*java.List) == b.(*java.List))
	// Output: true 5 true
}
