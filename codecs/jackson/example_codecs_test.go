package jackson_test

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// parcel needs no Java class where none is named.
type parcel struct {
	ID     int64           `java:"id"`
	Weight java.BigDecimal `java:"weight"`
	Sent   time.Time       `java:"sent"`
	Note   *string         `java:"note"`
}

// written returns what a codec makes of a value, if it also reads it.
func written[T any](c codecs.Codec, v T) string {
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		return err.Error()
	}
	payload, err := typed.Encode(v)
	if err != nil {
		return err.Error()
	}
	if _, err := typed.Decode(payload); err != nil {
		return err.Error()
	}
	return string(payload)
}

func aParcel() parcel {
	weight, _ := java.ParseBigDecimal("2.50")
	return parcel{ID: 7, Weight: weight, Sent: time.UnixMilli(1700000000123).UTC()}
}

// Java: new TypedJsonJacksonCodec(Parcel.class)
func ExampleTypedJsonJackson() {
	fmt.Println(written(jackson.TypedJsonJackson(), aParcel()))
	// Output:
	// {"id":7,"sent":1700000000123,"weight":2.50}
}

// Java: new TypedJsonJackson3Codec(Parcel.class)
func ExampleTypedJsonJackson3() {
	fmt.Println(written(jackson.TypedJsonJackson3(), aParcel()))
	// Output:
	// {"id":7,"note":null,"sent":"2023-11-14T22:13:20.123Z","weight":2.50}
}

type shipment struct {
	ID    *int64         `java:"id"`
	Sent  time.Time      `java:"sent"`
	Due   java.LocalDate `java:"due"`
	Class speed          `java:"speed"`
	Extra any            `java:"extra"`
}

func (shipment) JavaClass() string { return "demo.Shipment" }

type speed string

func (speed) JavaClass() string { return "enum demo.Speed {SLOW, FAST}" }

func aShipment() shipment {
	return shipment{
		ID: new(int64(7)), Sent: time.UnixMilli(1700000000123).UTC(), Due: java.LocalDate{Year: 2024, Month: 1, Day: 2},
		Class: "FAST", Extra: int64(9),
	}
}

// Java: new JsonJackson3Codec(), and an enum Speed whose toString gives "fast".
func ExampleJsonJackson3() {
	fmt.Println(written(jackson.JsonJackson3(jackson.EnumTexts("demo.Speed", map[string]string{"SLOW": "slow", "FAST": "fast"})), aShipment()))
	// Output:
	// {"@class":"demo.Shipment","due":"2024-01-02","extra":["java.lang.Long",9],"id":7,"sent":["java.util.Date","2023-11-14T22:13:20.123Z"],"speed":"fast"}
}

// Java: new JsonJacksonCodec(new ObjectMapper().registerModule(new JavaTimeModule()))
func ExampleMapper_timestamps() {
	fmt.Println(written(jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps}), aShipment()))
	fmt.Println(written(jackson.JsonJackson(), aShipment()))
	// Output:
	// {"@class":"demo.Shipment","due":[2024,1,2],"extra":["java.lang.Long",9],"id":["java.lang.Long",7],"sent":["java.util.Date",1700000000123],"speed":"FAST"}
	// encode jsonjackson at due (Go type java.LocalDate): Java's codec jsonjackson carries java.time.LocalDate only with a mapper that has JavaTimeModule: say so with jackson.Mapper{Dates: …}, or use java.Date or text
}

// Java: the same mapper, and disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
func ExampleMapper_texts() {
	fmt.Println(written(jackson.JsonJackson(jackson.Mapper{Dates: jackson.DateTexts}), aShipment()))
	// Output:
	// {"@class":"demo.Shipment","due":"2024-01-02","extra":["java.lang.Long",9],"id":["java.lang.Long",7],"sent":["java.util.Date","2023-11-14T22:13:20.123+00:00"],"speed":"FAST"}
}
