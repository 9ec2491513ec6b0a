package cbor_test

import (
	"encoding/hex"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// item is the twin of demo.Item.
type item struct {
	SKU   string          `java:"sku"`
	Count int64           `java:"count"` // long
	Price java.BigDecimal `java:"price"`
}

// JavaClass names the class in Java.
func (item) JavaClass() string { return "demo.Item" }

// A struct that names its class is that bean of Java's.
func ExampleJackson() {
	items, err := codecs.For[item](cbor.Jackson(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, _ := java.ParseBigDecimal("12.30")
	payload, _ := items.Encode(item{SKU: "A", Count: 2, Price: price})
	fmt.Printf("%q\n", payload)

	back, _ := items.Decode(payload)
	fmt.Println(back.SKU, back.Count, back.Price)
	// Output:
	// "\xbff@classidemo.Itemecount\x02eprice\x9ftjava.math.BigDecimalĂ!\x19\x04\xce\xffcskuaA\xff"
	// A 2 12.30
}

// The codec of Jackson 3 names no classes.
func ExampleJackson3() {
	items, err := codecs.For[item](cbor.Jackson3(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, _ := java.ParseBigDecimal("12.30")
	payload, _ := items.Encode(item{SKU: "A", Count: 2, Price: price})
	fmt.Printf("%x\n", payload)
	// Output: bf65636f756e7402657072696365c482211904ce63736b756141ff
}

// What an exponent means is a matter of the release that wrote it: Jackson 2.9, in
// Redisson up to 3.11.5, has its sign wrong.
func ExampleJackson_since() {
	payload, _ := hex.DecodeString("9f746a6176612e6d6174682e426967446563696d616cc482021904ceff")
	for _, release := range []string{"3.8.1", "4.7.0"} {
		v, err := cbor.Jackson(jackson.Since(release)).Decode(payload)
		fmt.Println(release, v, err)
	}
	// Output:
	// 3.8.1 12.30 <nil>
	// 4.7.0 1.230E+5 <nil>
}
