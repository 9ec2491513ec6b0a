package wire_test

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func ExampleKeysOf() {
	k := wire.KeysOf("shop:ORDER_TIMEOUT")
	fmt.Println(k.Queue)
	fmt.Println(k.Timeout)
	fmt.Println(k.Channel)
	fmt.Println(k.Dead)
	// Output:
	// shop:ORDER_TIMEOUT
	// redisson_delay_queue_timeout:{shop:ORDER_TIMEOUT}
	// redisson_delay_queue_channel:{shop:ORDER_TIMEOUT}
	// duequeue:dead:{shop:ORDER_TIMEOUT}
}

func ExampleCheckName() {
	fmt.Println(wire.CheckName("orders"))
	var slot *fault.SlotError
	fmt.Println(errors.As(wire.CheckName("orders}"), &slot))
	fmt.Println(wire.Twin("orders"))
	// Output:
	// <nil>
	// true
	// {orders} true
}

func ExampleParse() {
	// What Java 4.7.0 wrote for "hello".
	element, _ := hex.DecodeString("08a0a1a2a3a4a5a6a7050000000000000068656c6c6f")
	id, payload, err := wire.Parse(element, false)
	fmt.Printf("%s %s %v\n", payload, wire.FormatID(1700000000000, id), err)
	_, _, err = wire.Parse([]byte("garbage"), false)
	fmt.Println(err)
	// Output:
	// hello 18bcfe56800-ja0a1a2a3a4a5a6a7 <nil>
	// malformed element of 7 bytes (first byte 103): it is too short for an id and a length
}
