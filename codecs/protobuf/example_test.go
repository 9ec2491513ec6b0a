package protobuf_test

import (
	"fmt"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/protobuf"
)

// Java: new ProtobufCodec(StringValue.class)
func Example() {
	codec, err := codecs.For[*wrapperspb.StringValue](protobuf.New(), codecs.BindOptions{})
	if err != nil {
		panic(err)
	}
	payload, _ := codec.Encode(wrapperspb.String("abc"))
	fmt.Printf("%x\n", payload)
	message, _ := codec.Decode(payload)
	fmt.Println(message.GetValue())
	// Output:
	// 0a03616263
	// abc
}

// Java: new ProtobufCodec(Long.class). Simple classes go to a second codec.
func Example_simple() {
	codec, err := codecs.For[int64](protobuf.New(), codecs.BindOptions{})
	if err != nil {
		panic(err)
	}
	payload, _ := codec.Encode(5)
	fmt.Printf("%s\n", payload)
	// Output: ["java.lang.Long",5]
}

// Without a Go type the message is declared.
func ExampleMessage() {
	codec := protobuf.New(protobuf.Message((*wrapperspb.StringValue)(nil)))
	value, err := codec.Decode([]byte("\x0a\x03abc"))
	fmt.Println(value.(*wrapperspb.StringValue).GetValue(), err)

	_, err = protobuf.New().Decode([]byte("\x0a\x03abc"))
	fmt.Println(err)
	// Output:
	// abc <nil>
	// decode protobuf: payloads of protobuf do not say what they are: declare the type with protobuf.Message, or protobuf.Simple, or bind a Go type
}
