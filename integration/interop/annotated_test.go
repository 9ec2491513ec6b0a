package interop_test

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the annotated beans: duequeue.annotated.AnnotatedBeans.

// Annotated has each of Jackson's annotations that a tag says.
type Annotated struct {
	OrderID      *string          `java:"orderId,json=orderNo"`
	UserID       int64            `java:"userId,json=user_id,text"`
	BoxedID      *int64           `java:"boxedId,json=boxed_id,text"`
	Count        *int32           `java:"count,text"`
	Amount       *java.BigDecimal `java:"amount,text"`
	Huge         *big.Int         `java:"huge,text"`
	Rate         float64          `java:"rate,text"`
	AllIDs       []*int64         `java:"allIds,json=all_ids,text"`
	ByName       map[string]int64 `java:"byName,json=by_name,text"`
	CreateTime   time.Time        `java:"createTime,json=create_time,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	UTCTime      time.Time        `java:"utcTime,json=utc_time,format=yyyy/MM/dd HH:mm:ss.SSS"`
	AllTimes     []*time.Time     `java:"allTimes,json=all_times,zone=Asia/Shanghai,format=yyyy-MM-dd HH:mm:ss.SSS"`
	TextTime     time.Time        `java:"textTime,json=text_time,text"`
	ZonedTime    time.Time        `java:"zonedTime,json=zoned_time,zone=GMT+8"`
	NumberTime   time.Time        `java:"numberTime,json=number_time,number"`
	CalendarTime *java.Calendar   `java:"calendarTime,json=calendar_time,zone=Asia/Shanghai,format=yyyy-MM-dd'T'HH:mm:ss.SSSXXX"`
	Level        *Level           `java:"level,number"`
	AllLevels    []*Level         `java:"allLevels,json=all_levels,number"`
	Always       *string          `java:"always,always"`
	NonNull      *string          `java:"nonNull,json=non_null,omitnull"`
	EmptyText    *string          `java:"emptyText,json=empty_text,omitempty"`
	EmptyList    []string         `java:"emptyList,json=empty_list,omitempty"`
	EmptyMap     map[string]int64 `java:"emptyMap,json=empty_map,omitempty"`
	EmptyLong    *int64           `java:"emptyLong,json=empty_long,omitempty"`
	EmptyInt     int32            `java:"emptyInt,json=empty_int,omitempty"`
	Secret       *string          `java:"secret,json=-"`
	Forgotten    *string          `java:"forgotten,json=-"`
	PlainLong    *int64           `java:"plainLong,json=plain_long"`
}

func (Annotated) JavaClass() string { return "duequeue.annotated.Annotated" }

// Dated has formats of java.time.
type Dated struct {
	Local        *java.LocalDateTime  `java:"local,format=yyyy-MM-dd HH:mm:ss"`
	ZonedLocal   time.Time            `java:"zonedLocal,java.time.LocalDateTime,zone=GMT+8,format=yyyy-MM-dd HH:mm"`
	Day          *java.LocalDate      `java:"day,format=yyyy/MM/dd"`
	Clock        *java.LocalTime      `java:"clock,format=HH:mm"`
	Days         []*java.LocalDate    `java:"days,format=dd.MM.yyyy"`
	Instant      time.Time            `java:"instant,java.time.Instant,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Offset       *java.OffsetDateTime `java:"offset,zone=UTC,format=yyyy-MM-dd HH:mm:ssXXX"`
	Zoned        *java.ZonedDateTime  `java:"zoned,zone=UTC,format=yyyy-MM-dd HH:mm:ss.SSS"`
	Numbers      *java.LocalDateTime  `java:"numbers,number"`
	Seconds      *java.Instant        `java:"seconds,number"`
	Text         *java.LocalDateTime  `java:"text,text"`
	TextInstant  *java.Instant        `java:"textInstant,text"`
	TextDuration *time.Duration       `java:"textDuration,java.time.Duration,text"`
	Plain        *java.LocalDateTime  `java:"plain"`
}

func (Dated) JavaClass() string { return "duequeue.annotated.Dated" }

func annotatedTwins() []twin {
	return []twin{
		twinOf[Annotated]{name: "annotated.full", value: annotated, need: documents | annotations, alike: annotatedAlike, nulls: true},
		twinOf[Annotated]{name: "annotated.blank", value: func() Annotated { return Annotated{} }, need: documents | annotations, nulls: true},
		twinOf[Dated]{name: "annotated.dated", value: dated, need: documents | annotations | javaTime},
	}
}

// annotatedAlike compares what crosses: neither what Jackson ignores, nor a second's fraction
// that a format does not show, nor empty values that it leaves out.
func annotatedAlike(a, b Annotated) bool {
	for _, v := range []*Annotated{&a, &b} {
		v.Secret, v.Forgotten, v.EmptyText, v.EmptyList, v.EmptyMap = nil, nil, nil, nil, nil
		v.CreateTime = v.CreateTime.Truncate(time.Second)
		v.CalendarTime = &java.Calendar{Millis: v.CalendarTime.Millis}
	}
	return reflect.DeepEqual(a, b)
}

func annotated() Annotated {
	huge, _ := new(big.Int).SetString("-12345678901234567890", 10)
	at := func(plus time.Duration) time.Time { return createdAt.Add(plus * time.Millisecond) }
	return Annotated{
		OrderID: ptr("A-1"), UserID: 1 << 60, BoxedID: ptr(int64(-7)), Count: ptr(int32(3)), Amount: ptr(decimal("1230", 2)), Huge: huge, Rate: 1.5,
		AllIDs: []*int64{ptr(int64(1)), nil, ptr(int64(1) << 40)}, ByName: map[string]int64{"one": 1},
		CreateTime: createdAt.Truncate(time.Second), UTCTime: at(1), AllTimes: []*time.Time{ptr(at(2)), nil}, TextTime: at(3), ZonedTime: at(4), NumberTime: at(5),
		CalendarTime: &java.Calendar{
			Class: "java.util.GregorianCalendar", Zone: "UTC", Millis: createdAt.UnixMilli(), Lenient: true, FirstDay: 1, MinimalDays: 1, Cutover: -12219292800000,
		},
		Level: ptr(Level("SILVER")), AllLevels: []*Level{ptr(Level("GOLD")), nil, ptr(Level("BASIC"))},
		EmptyText: ptr(""), EmptyList: []string{}, EmptyMap: map[string]int64{}, EmptyLong: ptr(int64(0)),
		Secret: ptr("not written"), Forgotten: ptr("not written"), PlainLong: ptr(int64(5)),
	}
}

func dated() Dated {
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	local := java.LocalDateTimeOf(at, time.UTC)
	return Dated{
		Local: &local, ZonedLocal: at.Truncate(time.Minute).Add(-8 * time.Hour).In(time.FixedZone("GMT+8", 8*3600)), Day: &local.Date,
		Clock: &java.LocalTime{Hour: 7, Minute: 5}, Days: []*java.LocalDate{&local.Date, nil, {Year: 1999, Month: 12, Day: 31}},
		Instant: at, Offset: &java.OffsetDateTime{Date: local.Date, Time: local.Time},
		Zoned:   &java.ZonedDateTime{Date: local.Date, Time: local.Time, Zone: "Z", HasOffset: true},
		Numbers: &local, Seconds: &java.Instant{Seconds: at.Unix(), Nanos: 5}, Text: &local, TextInstant: &java.Instant{Seconds: at.Unix()},
		TextDuration: ptr(5*time.Second + 6), Plain: &local,
	}
}
