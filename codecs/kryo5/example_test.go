package kryo5_test

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/view"
)

// A Go struct travels as the HashMap that a Java service puts into the queue.
func Example() {
	type Order struct {
		ID     string `java:"orderId"`
		Remark string `java:"remark"`
	}
	orders, err := codecs.For[Order](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := orders.Encode(Order{ID: "100", Remark: "其他信息"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", payload)
	order, err := orders.Decode(payload)
	fmt.Printf("%+v %v\n", order, err)
	// Output:
	// "\x01\x00java.util.HashMa\xf0\x03\x03orderI\xe4\x0310\xb0\x03remar\xeb\x03\x85其他信息"
	// {ID:100 Remark:其他信息} <nil>
}

// Without a Go type, values keep their Java classes and order.
func ExampleCodec_Decode() {
	payload := []byte("\x01\x00java.util.LinkedHashMa\xf0\x03\x03b\xe2\x09\x04\x03a\xe1\x05\x01")
	v, err := kryo5.New().Decode(payload)
	fmt.Println(string(view.Of(v)), err)
	// Output:
	// {"class":"java.util.LinkedHashMap","value":{"bb":{"class":"java.lang.Long","value":2},"aa":true}} <nil>
}

// A class that the codec does not carry is an error that says which and where.
func ExampleCodec_Decode_unknownClass() {
	_, err := kryo5.New().Decode([]byte("\x01\x00java.util.HashMa\xf0\x02\x03ite\xed\x01\x01demo.Orde\xf2\x00"))
	var e *codecs.DecodeError
	fmt.Println(errors.As(err, &e), e.Path, e.Class, e.Offset)
	// Output: true item demo.Order 25
}

// Beans need a description of their class, since Kryo writes no names. It may
// come from a declaration, from .class files (codecs/java/classfile) or, with Bind,
// from a Go type.
func ExampleClasses() {
	order, err := java.ParseClass("demo.Order")
	if err != nil {
		fmt.Println(err)
		return
	}
	order.Fields = []java.ClassField{
		{Name: "orderId", Type: java.TypeExpr{Class: "java.lang.String"}},
		{Name: "amountCents", Type: java.TypeExpr{Class: "long"}},
		{Name: "qty", Type: java.TypeExpr{Class: "java.lang.Integer"}},
	}
	classes, err := java.NewClasses(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	codec := kryo5.New(kryo5.Classes(classes))
	v, err := codec.Decode([]byte("\x01\x00demo.Orde\xf2\xf2\xc0\x01A10\xb0\x01\x04"))
	fmt.Println(string(view.Of(v)), err)
	_, err = codec.Decode([]byte("\x01\x00demo.Orde\xf2\xf2\xc0\x01A10\xb0\x02"))
	fmt.Println(err)
	// Output:
	// {"class":"demo.Order","value":{"amountCents":{"class":"java.lang.Long","value":12345},"orderId":"A100","qty":2}} <nil>
	// decode kryo5 at qty (class demo.Order) at byte 19: flag byte 0x02 is neither 0 nor 1
}
