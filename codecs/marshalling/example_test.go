package marshalling_test

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/marshalling"
)

// Payment is the Go twin of a Java bean:
//
//	public class Payment extends Entity { String orderId; long cents; Date paidAt; }
type Payment struct {
	Entity
	OrderID string    `java:"orderId"`
	Cents   int64     `java:"cents"`
	PaidAt  time.Time `java:"paidAt"`
}

// JavaClass names the class; River does not check a serialVersionUID.
func (Payment) JavaClass() string { return "shop.Payment" }

// Entity is its superclass.
type Entity struct {
	ID int64 `java:"id"`
}

// JavaClass names the superclass.
func (Entity) JavaClass() string { return "shop.Entity" }

func Example() {
	payments, err := codecs.For[Payment](marshalling.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := payments.Encode(Payment{Entity: Entity{ID: 7}, OrderID: "A-1", Cents: 1990, PaidAt: time.UnixMilli(1700000000000)})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := payments.Decode(payload)
	fmt.Println(len(payload), back.ID, back.OrderID, back.Cents, back.PaidAt.Format(time.RFC3339), err)
	// Output: 155 7 A-1 1990 2023-11-14T22:13:20Z <nil>
}

// Without a Go type every payload is readable.
func ExampleCodec_Decode() {
	payload, _ := hex.DecodeString("043e0a66666666666666666631")
	v, err := marshalling.New().Decode(payload)
	fmt.Println(v, err)
	payload, _ = hex.DecodeString("04530252" + "5a" + "39ff")
	_, err = marshalling.New().Decode(payload)
	fmt.Println(err)
	// Output:
	// fffffffff1 <nil>
	// decode marshalling at byte 3: byte 0x52 is no collection type: another codec
}

// Sharing and cycles survive.
func ExampleCodec_Encode() {
	shared := &java.List{Elements: []any{"a"}}
	payload, err := marshalling.New().Encode(&java.List{Elements: []any{shared, shared}})
	fmt.Printf("%x %v\n", payload, err)
	v, err := marshalling.New().Decode(payload)
	both := v.(*java.List).Elements
	fmt.Println(both[0] == both[1], err)
	// Output:
	// 0453025a53015a3e016139fe <nil>
	// true <nil>
}
