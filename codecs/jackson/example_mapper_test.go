package jackson_test

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

type invoice struct {
	OrderID int64              `java:"orderId"`
	PaidAt  time.Time          `java:"paidAt"`
	DueAt   java.LocalDateTime `java:"dueAt"`
}

// Java:
//
//	mapper.registerModule(new JavaTimeModule()).disable(WRITE_DATES_AS_TIMESTAMPS);
//	mapper.setDateFormat(new SimpleDateFormat("yyyy-MM-dd HH:mm:ss")).setTimeZone(TimeZone.getTimeZone("GMT+8"));
//	mapper.registerModule(new SimpleModule().addSerializer(Long.class, ToStringSerializer.instance).addSerializer(Long.TYPE, …));
//	mapper.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
//	new TypedJsonJacksonCodec(Invoice.class, mapper)
func ExampleMapper() {
	codec := jackson.TypedJsonJackson(jackson.Mapper{
		Dates: jackson.DateTexts, DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "GMT+8", LongAsText: true, Naming: jackson.SnakeCase,
	})
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	fmt.Println(written(codec, invoice{9007199254740993, at, java.LocalDateTimeOf(at, time.UTC)}))
	fmt.Println(codec.Name())
	// Output:
	// {"due_at":"2024-01-02T03:04:05","order_id":"9007199254740993","paid_at":"2024-01-02 11:04:05"}
	// typedjsonjackson+dates=TEXT+dateformat=yyyy-MM-dd HH:mm:ss+timezone=GMT+8+longastext=TRUE+naming=SNAKE_CASE
}

// Java:
//
//	class Receipt {
//	    @JsonProperty("order_id") @JsonSerialize(using = ToStringSerializer.class) long orderId;
//	    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8") Date paidAt;
//	    @JsonInclude(ALWAYS) String note;
//	    @JsonIgnore String secret;
//	}
type receipt struct {
	OrderID int64     `java:"orderId,json=order_id,text"`
	PaidAt  time.Time `java:"paidAt,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Note    *string   `java:"note,always"`
	Secret  string    `java:"secret,json=-"`
}

// What Jackson's annotations say of a field stands in its tag; duequeue javadesc writes it.
func Example_annotations() {
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	fmt.Println(written(jackson.TypedJsonJackson(), receipt{OrderID: 5, PaidAt: at, Secret: "x"}))
	// Output:
	// {"note":null,"order_id":"5","paidAt":"2024-01-02 11:04:05"}
}
