package java_test

import (
	"fmt"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/view"
)

// Decimal stands for the type of a decimal library. That of shopspring/decimal has these
// methods too.
type Decimal struct {
	value *big.Int
	exp   int32
}

// Coefficient returns the digits.
func (d Decimal) Coefficient() *big.Int { return d.value }

// Exponent returns the power of ten by which they are multiplied.
func (d Decimal) Exponent() int32 { return d.exp }

// UnmarshalText reads 12.30.
func (d *Decimal) UnmarshalText(text []byte) error {
	n, err := java.ParseBigDecimal(string(text))
	*d = Decimal{n.Unscaled, -n.Scale}
	return err
}

// A decimal library's type is carried as java.math.BigDecimal by all codecs, with its
// scale and without a tag.
func Example_decimal() {
	type Order struct {
		Total Decimal `java:"total"`
	}
	orders, err := codecs.For[Order](marshalling.New(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	order := Order{Total: Decimal{big.NewInt(1230), -2}}
	fmt.Println(string(view.Of(order)))
	payload, err := orders.Encode(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := orders.Decode(payload)
	fmt.Println(back.Total.Coefficient(), back.Total.Exponent(), err)
	// Output:
	// {"class":"java.util.HashMap","value":{"total":{"class":"java.math.BigDecimal","value":"12.30"}}}
	// 1230 -2 <nil>
}

// A java.time.LocalDateTime says what a clock shows, but not where. The tag names the
// zone of the Java program that sets it.
func Example_localDateTime() {
	type Order struct {
		Due time.Time `java:"due,java.time.LocalDateTime,zone=Asia/Shanghai"`
	}
	fmt.Println(string(view.Of(Order{Due: time.Date(2024, 1, 2, 12, 30, 0, 0, time.UTC)})))
	// Output:
	// {"class":"java.util.HashMap","value":{"due":{"class":"java.time.LocalDateTime","value":"2024-01-02T20:30:00"}}}
}

// Without a struct the conversions take the zone.
func ExampleLocalDateTimeOf() {
	shanghai := time.FixedZone("+08:00", 8*3600)
	local := java.LocalDateTimeOf(time.Date(2024, 1, 2, 12, 30, 0, 0, time.UTC), shanghai)
	fmt.Println(local, local.GoTime(shanghai).UTC())
	// Output: 2024-01-02T20:30:00 2024-01-02 12:30:00 +0000 UTC
}
