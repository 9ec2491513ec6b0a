package kryo5_test

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

// Order is the Java class demo.Order. Go types say what the fields are declared
// as: String, long, Integer, Date and List<String>.
type Order struct {
	ID      string    `java:"orderId"`
	Cents   int64     `java:"amountCents"`
	Qty     *int32    `java:"qty"`
	Created time.Time `java:"createdAt"`
	Tags    []string  `java:"tags"`
}

func (Order) JavaClass() string { return "demo.Order" }

// What a Java service wrote comes back as a struct; nobody names the order in which
// Kryo writes the fields.
func Example_bean() {
	payload, _ := hex.DecodeString("010064656d6f2e4f726465f2f2c00101016a6176612e7574696c2e446174e5fbd095ffbc31413130b0010401026a6176612e7574696c2e41727261794c6973f4037669f06e65f7")
	orders, err := codecs.For[Order](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := orders.Decode(payload)
	fmt.Println(o.ID, o.Cents, *o.Qty, o.Created.Format(time.RFC3339), o.Tags, err)

	again, err := orders.Encode(o)
	fmt.Println(string(again) == string(payload), err)
	// Output:
	// A100 12345 2 2023-11-14T22:13:20Z [vip new] <nil>
	// true <nil>
}

// Entity is a superclass; an embedded struct with a class stands for it.
type Entity struct {
	ID      *int64 `java:"id"`
	Version int32  `java:"version"`
}

func (Entity) JavaClass() string { return "demo.Entity" }

// Customer extends it.
type Customer struct {
	Entity
	Name string `java:"name"`
}

func (Customer) JavaClass() string { return "demo.Customer extends demo.Entity" }

func Example_inheritance() {
	customers, err := codecs.For[*Customer](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	id := int64(7)
	payload, _ := customers.Encode(&Customer{Entity{&id, 1}, "Ada"})
	fmt.Printf("%q\n", payload)
	c, err := customers.Decode(payload)
	fmt.Println(*c.ID, c.Version, c.Name, err)
	// Output:
	// "\x01\x00demo.Custome\xf2\x01\x0eAd\xe1\x02"
	// 7 1 Ada <nil>
}

// Result is demo.Result<T>: the tag says which field has the type of the parameter.
type Result[T any] struct {
	Code int32 `java:"code"`
	Data T     `java:"data,T"`
}

func (Result[T]) JavaClass() string { return "demo.Result<T>" }

func Example_generics() {
	results, err := codecs.For[Result[[]string]](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := results.Encode(Result[[]string]{200, []string{"ab", "cd"}})
	fmt.Printf("%q\n", payload)
	r, err := results.Decode(payload)
	fmt.Println(r.Code, r.Data, err)
	// Output:
	// "\x01\x00demo.Resul\xf4\x90\x03\x01\x01java.util.ArrayLis\xf4\x83\x03\x00a\xe2c\xe4"
	// 200 [ab cd] <nil>
}

// Color is an enum by the names of its constants. A named integer type works too,
// by their ordinals.
type Color string

func (Color) JavaClass() string { return "enum demo.Color {RED, GREEN, BLUE}" }

func Example_enum() {
	colors, err := codecs.For[[]Color](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := colors.Encode([]Color{"GREEN", "RED"})
	back, err := colors.Decode(payload)
	fmt.Println(back, err)
	_, err = colors.Encode([]Color{"PINK"})
	fmt.Println(err != nil)
	// Output:
	// [GREEN RED] <nil>
	// true
}

// Node is part of a graph.
type Node struct {
	Name string  `java:"name"`
	Next *Node   `java:"next"`
	Kids []*Node `java:"kids"`
}

func (Node) JavaClass() string { return "demo.Node" }

// With References, which the Java side must have switched on too, one Java object
// is one Go pointer, in rings as well.
func Example_references() {
	nodes, err := codecs.For[*Node](kryo5.New(kryo5.References()), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ring := &Node{Name: "a"}
	ring.Next = &Node{Name: "b", Next: ring}
	payload, err := nodes.Encode(ring)
	fmt.Println(len(payload), err)
	back, err := nodes.Decode(payload)
	fmt.Println(back.Name, back.Next.Name, back.Next.Next == back, err)
	// Output:
	// 26 <nil>
	// a b true <nil>
}
