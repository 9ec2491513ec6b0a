package msgpack_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
)

// item is the twin of demo.Item.
type item struct {
	SKU   string `java:"sku"`
	Count int64  `java:"count"` // long
	Owner *int64 `java:"owner"` // java.lang.Long
}

// JavaClass names the class in Java.
func (item) JavaClass() string { return "demo.Item" }

// A struct that names its class is that bean of Java's.
func ExampleJackson() {
	items, err := codecs.For[item](msgpack.Jackson(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	owner := int64(7)
	payload, _ := items.Encode(item{SKU: "A", Count: 2, Owner: &owner})
	fmt.Printf("%q\n", payload)

	back, _ := items.Decode(payload)
	fmt.Println(back.SKU, back.Count, *back.Owner)
	// Output:
	// "\x84\xa6@class\xa9demo.Item\xa5count\x02\xa5owner\x92\xaejava.lang.Long\a\xa3sku\xa1A"
	// A 2 7
}

// MessagePack has no decimals: Java writes a double, or refuses.
func ExampleJackson_decimals() {
	c := msgpack.Jackson()
	for _, text := range []string{"12.30", "1E+3", "0.1234567890123456789"} {
		d, _ := java.ParseBigDecimal(text)
		payload, err := c.Encode(d)
		if err != nil {
			fmt.Println(err)
			continue
		}
		back, _ := c.Decode(payload)
		fmt.Println(text, "arrives as", back)
	}
	// Output:
	// 12.30 arrives as 12.3
	// 1E+3 arrives as 1000
	// encode msgpackjackson (Go type java.BigDecimal): a BigDecimal that Java refuses: it writes one to MessagePack as an integer of 64 bits or as the double that shows the same digits; carry its text as a String
}
