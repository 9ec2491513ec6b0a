package avro_test

import (
	"fmt"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
)

func big12345() *big.Int { return big.NewInt(12345) }

// payment is what AvroMapper.schemaFor makes of the Java class
// com.acme.Payment { Date due; long id; String remark; }.
const payment = `{"type":"record","name":"Payment","namespace":"com.acme","fields":[
	{"name":"due","type":["null",{"type":"long","java-class":"java.util.Date"}]},
	{"name":"id","type":{"type":"long","java-class":"java.lang.Long"}},
	{"name":"remark","type":["null","string"]}]}`

// Payment is the Go twin; null is a nil pointer.
type Payment struct {
	ID     int64      `java:"id"`
	Due    *time.Time `java:"due"`
	Remark *string    `java:"remark"`
}

func ExampleJackson() {
	payments, err := codecs.For[Payment](avro.Jackson(payment), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	due := time.UnixMilli(1700000000123)
	payload, err := payments.Encode(Payment{ID: 7, Due: &due})
	fmt.Printf("%x %v\n", payload, err)
	p, err := payments.Decode(payload)
	fmt.Println(p.ID, p.Due.UnixMilli(), p.Remark == nil, err)
	// Output:
	// 02f6a1abfef9620e00 <nil>
	// 7 1700000000123 true <nil>
}

// All that does not fit the schema is found when the type is bound.
func ExampleJackson_mistakes() {
	_, err := codecs.For[struct {
		ID     int32  `java:"id"`
		Remark []byte `java:"remark"`
	}](avro.Jackson(payment), codecs.BindOptions{})
	fmt.Println(err)
	// Output:
	// codec avrojackson cannot carry this type at ID (Go type int32): the schema has the type long of java.lang.Long here: int64, time.Time and java.Date take it
	// codec avrojackson cannot carry this type at Remark (Go type []uint8): the schema has the type string here: a string, java.BigDecimal, *big.Int, java.UUID and, for the dates of Jackson 3, time.Time take it
}
