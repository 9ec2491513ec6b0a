package java

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
)

// init fills the table of the types that are one Java value.
func init() {
	addBasics()
	addNumbers()
	addTexts()
	addDates()
	addTimes()
	addOffsets()
}

// row completes the row of a Go type.
func row[T any](t jdk.Type) jdk.Type {
	t.Go = reflect.TypeFor[T]()
	return t
}

func hashed[T any](hash func(v T) int32) func(any) (int32, bool) {
	return func(v any) (int32, bool) { return hash(v.(T)), true }
}

func compared[T any](compare func(a, b T) int) func(a, b any) int {
	return func(a, b any) int { return compare(a.(T), b.(T)) }
}

func addBasics() {
	jdk.Add(row[time.Time](jdk.Type{Declared: ClassDate, ZeroIsNull: true, Foreign: true}))
	jdk.Add(row[time.Duration](jdk.Type{Declared: "long", Foreign: true}))
	jdk.Add(row[*Map](jdk.Type{Declared: "java.util.Map", ClassOf: containerClass}))
	jdk.Add(row[*List](jdk.Type{Declared: "java.util.List", ClassOf: containerClass}))
	jdk.Add(row[*Object](jdk.Type{ClassOf: containerClass}))
	jdk.Add(row[Char](jdk.Type{
		Class: "java.lang.Character", Declared: "char", Final: true, Ordered: true,
		Hash: hashed(func(v Char) int32 { return int32(v) }), Compare: compared(func(a, b Char) int { return cmp.Compare(a, b) }),
	}))
	jdk.Add(row[Enum](jdk.Type{
		ClassOf: func(v any) string { return v.(Enum).Class }, ZeroIsNull: true, Ordered: true,
		Ordinal: func(v any) int { return v.(Enum).Ordinal },
		Text: func(v any) (string, bool) {
			e := v.(Enum)
			return cmp.Or(e.Name, strconv.Itoa(e.Ordinal)), e.Name != ""
		},
		Compare: compared(func(a, b Enum) int {
			return cmp.Or(cmp.Compare(a.Ordinal, b.Ordinal), strings.Compare(a.Name, b.Name))
		}),
	}))
}

func addNumbers() {
	jdk.Add(row[*big.Int](jdk.Type{
		Class: "java.math.BigInteger", Ordered: true, Hash: hashed(jdk.HashInteger), Compare: compared(jdk.CompareIntegers),
		FromText: parseBigInteger,
	}))
	jdk.Add(row[BigDecimal](jdk.Type{
		Class: "java.math.BigDecimal", Ordered: true,
		Hash: hashed(func(v BigDecimal) int32 { return 31*jdk.HashInteger(v.Unscaled) + v.Scale }),
		Compare: compared(func(a, b BigDecimal) int {
			return cmp.Or(compareDecimal(a, b), cmp.Compare(a.Scale, b.Scale))
		}),
		Sorted:   compared(compareDecimal),
		FromText: func(s string) (any, error) { return ParseBigDecimal(s) },
	}))
	jdk.Add(row[UUID](jdk.Type{
		Class: "java.util.UUID", Final: true, Ordered: true, FromText: func(s string) (any, error) { return ParseUUID(s) },
		Hash: hashed(func(v UUID) int32 {
			most, least := v.Longs()
			return keyorder.Hash64(uint64(most ^ least))
		}),
		Compare: compared(func(a, b UUID) int {
			am, al := a.Longs()
			bm, bl := b.Longs()
			return cmp.Or(cmp.Compare(am, bm), cmp.Compare(al, bl))
		}),
		Fields: []jdk.Field{{Name: "leastSigBits", Like: int64(0)}, {Name: "mostSigBits", Like: int64(0)}},
		Values: func(v any) []any {
			most, least := v.(UUID).Longs()
			return []any{least, most}
		},
		From: func(values []any) any { return UUIDOf(values[1].(int64), values[0].(int64)) },
	}))
	jdk.Add(row[*BitSet](jdk.Type{
		Class: "java.util.BitSet", Hash: func(v any) (int32, bool) {
			h := uint64(1234)
			for i, w := range v.(*BitSet).words() {
				h ^= w * uint64(i+1)
			}
			return keyorder.Hash64(h), v.(*BitSet) != nil
		},
		Compare: compared(func(a, b *BitSet) int { return slices.Compare(a.words(), b.words()) }),
	}))
}

func addTexts() {
	text := jdk.Type{
		ClassOf: func(v any) string { return v.(Text).Class }, ZeroIsNull: true,
		Compare: compared(func(a, b Text) int { return strings.Compare(a.Value, b.Value) }),
		Hash: func(v any) (int32, bool) {
			t := v.(Text)
			return keyorder.StringHash(t.Value), t.Class == classZoneRegion || strings.HasPrefix(t.Class, "sun.nio.cs.")
		},
	}
	jdk.Add(row[Text](text))
	for _, t := range [...]jdk.Type{
		{Class: "java.lang.StringBuilder", Final: true, Nullable: true, Ordered: true},
		{Class: "java.lang.StringBuffer", Final: true, Nullable: true, Ordered: true},
		{Class: "java.util.Currency", Final: true, Nullable: true, Fields: oneText("currencyCode"), Constant: func(any) bool { return true }},
		{Class: "java.net.URI", Final: true, Ordered: true, Fields: oneText("string")},
		{Class: "java.net.URL", Final: true},
		{Class: "java.util.TimeZone", FromText: func(s string) (any, error) { return Text{"sun.util.calendar.ZoneInfo", s}, nil }},
		{Class: "java.util.SimpleTimeZone"},
		{Class: "sun.util.calendar.ZoneInfo"},
		{Class: "java.nio.charset.Charset", Ordered: true, FromText: lowerCharset},
		{
			Class: classZoneRegion, Ser: jdk.SerRegion, Stream: []jdk.Part{jdk.Zone},
			Split: func(v any) jdk.Value { return jdk.Value{Zone: v.(Text).Value} },
			Join:  func(p *jdk.Value) any { return Text{Class: classZoneRegion, Value: p.Zone} },
		},
	} {
		t.Values = func(v any) []any { return []any{v.(Text).Value} }
		t.From = func(values []any) any { return Text{Class: t.Class, Value: values[0].(string)} }
		if t.FromText == nil {
			t.FromText = func(s string) (any, error) { return Text{t.Class, s}, nil }
		}
		jdk.Add(row[Text](t))
	}
	jdk.Add(row[ClassRef](jdk.Type{
		Class: "java.lang.Class", Final: true, ZeroIsNull: true, FromText: func(s string) (any, error) { return ClassRef(s), nil },
		Text:    func(v any) (string, bool) { return string(v.(ClassRef)), true },
		Compare: compared(func(a, b ClassRef) int { return strings.Compare(string(a), string(b)) }),
	}))
	jdk.Add(row[Locale](jdk.Type{
		Class: "java.util.Locale", Final: true, FromText: func(s string) (any, error) { return parseLocale(s), nil }, Fields: []jdk.Field{
			{Name: "country", Like: "", Null: true},
			{Name: "extensions", Like: "", Null: true},
			{Name: "hashcode", Like: int32(-1), Null: true}, // not computed
			{Name: "language", Like: "", Null: true},
			{Name: "script", Like: "", Null: true},
			{Name: "variant", Like: "", Null: true},
		},
		Values: func(v any) []any {
			l := v.(Locale)
			return []any{l.Country, l.Extensions, int32(-1), l.Language, l.Script, l.Variant}
		},
		From: func(values []any) any {
			text := func(i int) string { return values[i].(string) }
			return Locale{Country: text(0), Extensions: text(1), Language: text(3), Script: text(4), Variant: text(5)}
		},
	}))
	jdk.Add(row[Pattern](jdk.Type{
		Class: "java.util.regex.Pattern", Final: true, FromText: func(s string) (any, error) { return Pattern{Regex: s}, nil },
		Fields: []jdk.Field{{Name: "flags", Like: int32(0)}, {Name: "pattern", Like: ""}},
		Values: func(v any) []any { return []any{v.(Pattern).Flags, v.(Pattern).Regex} },
		From:   func(values []any) any { return Pattern{Flags: values[0].(int32), Regex: values[1].(string)} },
	}))
}

func (b *BitSet) words() []uint64 {
	if b == nil {
		return nil
	}
	return b.Words
}

func compareDecimal(a, b BigDecimal) int {
	return jdk.CompareDecimals(a.unscaled(), a.Scale, b.unscaled(), b.Scale)
}

func oneText(name string) []jdk.Field { return []jdk.Field{{Name: name, Like: ""}} }

func addDates() {
	date := row[Date](jdk.Type{
		Declared: ClassDate, Time: true, Ordered: true,
		ClassOf: func(v any) string { return cmp.Or(v.(Date).Class, ClassDate) },
		Hash:    hashed(func(v Date) int32 { return keyorder.Hash64(uint64(v.Millis)) }),
		Compare: compared(func(a, b Date) int { return cmp.Or(cmp.Compare(a.Millis, b.Millis), cmp.Compare(a.Nanos, b.Nanos)) }),
		Text: func(v any) (string, bool) {
			d := v.(Date)
			layout := "2006-01-02T15:04:05.000Z"
			if d.Nanos != 0 {
				layout = "2006-01-02T15:04:05.000000000Z"
			}
			return instantText(d.Time(), layout, d.Millis)
		},
	})
	jdk.Add(date)
	for _, date.Class = range [...]string{ClassDate, "java.sql.Date", "java.sql.Time", "java.sql.Timestamp"} {
		jdk.Add(date)
	}
	calendar := row[*Calendar](jdk.Type{
		Declared: "java.util.Calendar", Time: true, Ordered: true,
		ClassOf: func(v any) string {
			if c := v.(*Calendar); c != nil {
				return cmp.Or(c.Class, "java.util.GregorianCalendar")
			}
			return ""
		},
		Text: func(v any) (string, bool) {
			c := v.(*Calendar)
			text, isText := instantText(c.Time(), "2006-01-02T15:04:05.000Z", c.Millis)
			if c.Zone == "" {
				return text, isText
			}
			return text + "[" + c.Zone + "]", true
		},
	})
	jdk.Add(calendar)
	for _, calendar.Class = range [...]string{"java.util.Calendar", "java.util.GregorianCalendar"} {
		jdk.Add(calendar)
	}
}

// instantText returns a time in ISO 8601, or the number where its year has not four digits.
func instantText(t time.Time, layout string, number int64) (text string, isText bool) {
	if t.Year() < 0 || t.Year() > 9999 {
		return strconv.FormatInt(number, 10), false
	}
	return t.Format(layout), true
}

// times completes the row of a class of java.time.
func times[T any](t jdk.Type, split func(v T) jdk.Value, join func(p *jdk.Value) T, hash func(p *jdk.Value) int32) jdk.Type {
	t.Final, t.Time = true, true
	t.Split = func(v any) jdk.Value { return split(v.(T)) }
	t.Join = func(p *jdk.Value) any { return join(p) }
	t.Hash = hashed(func(v T) int32 {
		p := split(v)
		return hash(&p)
	})
	return row[T](t)
}

// The parts of classes that others consist of.
var (
	dateParts           = []jdk.Part{jdk.Date}
	clockParts          = []jdk.Part{jdk.Clock}
	dateTimeParts       = []jdk.Part{jdk.Date, jdk.Clock}
	offsetParts         = []jdk.Part{jdk.Offset}
	offsetTimeParts     = []jdk.Part{jdk.Clock, jdk.Offset}
	offsetDateTimeParts = []jdk.Part{jdk.Date, jdk.Clock, jdk.Offset}
	yearMonthParts      = []jdk.Part{jdk.Year, jdk.Month}
	monthDayParts       = []jdk.Part{jdk.Month, jdk.Day}
)

const classZoneRegion = "java.time.ZoneRegion"

func addTimes() {
	jdk.Add(times(jdk.Type{
		Class: "java.time.Duration", Parts: []jdk.Part{jdk.Seconds, jdk.Nanos}, Ser: 1, Jackson: "sst", Ordered: true,
		Write: jdk.DurationText, Parse: jdk.ParseDuration, Constant: func(v any) bool { return v == Duration{} },
	}, Duration.split, func(p *jdk.Value) Duration { return Duration{p.Seconds, p.Nanos} }, hashSeconds))
	instant := times(jdk.Type{
		Class: "java.time.Instant", Parts: []jdk.Part{jdk.Epoch, jdk.Nanos}, Ser: 2, Jackson: "stt", Ordered: true,
		Write: jdk.InstantText, Parse: jdk.ParseInstant, Constant: func(v any) bool { return v == Instant{} },
	}, func(v Instant) jdk.Value { return jdk.Value{Seconds: v.Seconds, Nanos: v.Nanos} },
		func(p *jdk.Value) Instant { return Instant{p.Seconds, p.Nanos} }, hashSeconds)
	instant.Text = func(v any) (string, bool) {
		i := v.(Instant)
		return instantText(i.Time(), "2006-01-02T15:04:05.999999999Z", i.Seconds)
	}
	jdk.Add(instant)
	jdk.Add(times(jdk.Type{Class: "java.time.LocalDate", Parts: dateParts, Ser: 3, Jackson: "att", ZeroIsNull: true, Ordered: true},
		LocalDate.split, dateFrom, hashDate))
	jdk.Add(times(jdk.Type{
		Class: "java.time.LocalTime", Parts: clockParts, Ser: 4, Jackson: "att", Ordered: true,
		Constant: func(v any) bool { return v == LocalTime{Hour: v.(LocalTime).Hour} },
	}, LocalTime.split, clockFrom, hashClock))
	jdk.Add(times(jdk.Type{Class: "java.time.LocalDateTime", Parts: dateTimeParts, Ser: 5, Jackson: "att", ZeroIsNull: true, Ordered: true},
		LocalDateTime.split, func(p *jdk.Value) LocalDateTime { return LocalDateTime{dateFrom(p), clockFrom(p)} }, hashDateTime))
	jdk.Add(times(jdk.Type{
		Class: "java.time.Year", Parts: []jdk.Part{jdk.Year}, Ser: 11, Jackson: "ntn", Ordered: true,
		Write: func(p *jdk.Value) string { return Year(p.Year).String() }, Parse: jdk.ParseYear,
	}, func(v Year) jdk.Value { return jdk.Value{Year: int32(v)} }, func(p *jdk.Value) Year { return Year(p.Year) },
		func(p *jdk.Value) int32 { return p.Year }))
	jdk.Add(times(jdk.Type{
		Class: "java.time.YearMonth", Parts: yearMonthParts, Ser: 12, Jackson: "att", ZeroIsNull: true, Ordered: true,
		Write: func(p *jdk.Value) string { return p.Text(yearMonthParts, true) },
	}, YearMonth.split, func(p *jdk.Value) YearMonth { return YearMonth{p.Year, p.Month} },
		func(p *jdk.Value) int32 { return p.Year ^ int32(uint32(p.Month)<<27) }))
	jdk.Add(times(jdk.Type{Class: "java.time.MonthDay", Parts: monthDayParts, Ser: 13, Jackson: "ttt", ZeroIsNull: true, Ordered: true},
		MonthDay.split, func(p *jdk.Value) MonthDay { return MonthDay{p.Month, p.Day} },
		func(p *jdk.Value) int32 { return int32(p.Month)<<6 + int32(p.Day) }))
	jdk.Add(times(jdk.Type{
		Class: "java.time.Period", Parts: []jdk.Part{jdk.Years, jdk.Months, jdk.Days}, Ser: 14, Jackson: "ttt",
		Write: jdk.PeriodText, Parse: jdk.ParsePeriod, Constant: func(v any) bool { return v == Period{} },
	}, Period.split, func(p *jdk.Value) Period { return Period{p.Years, p.Months, p.Days} }, func(p *jdk.Value) int32 {
		return p.Years + int32(bits.RotateLeft32(uint32(p.Months), 8)) + int32(bits.RotateLeft32(uint32(p.Days), 16))
	}))
}

func addOffsets() {
	offset := times(jdk.Type{
		Class: "java.time.ZoneOffset", Parts: offsetParts, Ser: jdk.SerOffset, Jackson: "ttt", Ordered: true,
		Constant: func(v any) bool { return v.(ZoneOffset)%900 == 0 },
	}, func(v ZoneOffset) jdk.Value { return jdk.Value{Offset: int32(v)} }, func(p *jdk.Value) ZoneOffset { return ZoneOffset(p.Offset) },
		func(p *jdk.Value) int32 { return p.Offset })
	offset.Time = false
	offset.Compare = compared(func(a, b ZoneOffset) int { return cmp.Compare(b, a) }) // Java puts the east first
	jdk.Add(offset)
	offsetTime := times(jdk.Type{
		Class: "java.time.OffsetTime", Parts: offsetTimeParts, Ser: 9, Jackson: "att", Ordered: true,
		Write: func(p *jdk.Value) string { return p.Text(offsetTimeParts, true) },
	}, OffsetTime.split, func(p *jdk.Value) OffsetTime { return OffsetTime{clockFrom(p), ZoneOffset(p.Offset)} },
		func(p *jdk.Value) int32 { return hashClock(p) ^ p.Offset })
	offsetTime.Compare = compared(func(a, b OffsetTime) int {
		x, y := a.split(), b.split()
		return cmp.Or(cmp.Compare(x.NanoOfDay()-int64(x.Offset)*1e9, y.NanoOfDay()-int64(y.Offset)*1e9), jdk.CompareClock(&x, &y))
	})
	jdk.Add(offsetTime)
	offsetDateTime := times(jdk.Type{
		Class: "java.time.OffsetDateTime", Parts: offsetDateTimeParts, Ser: 10, Jackson: "stt", ZeroIsNull: true, Ordered: true,
	}, OffsetDateTime.split, offsetDateTimeFrom, func(p *jdk.Value) int32 { return hashDateTime(p) ^ p.Offset })
	offsetDateTime.Compare = compared(func(a, b OffsetDateTime) int {
		x, y := a.split(), b.split()
		return jdk.CompareInstant(&x, &y)
	})
	jdk.Add(offsetDateTime)
	zoned := times(jdk.Type{
		Class: "java.time.ZonedDateTime", Parts: []jdk.Part{jdk.Date, jdk.Clock, jdk.Zone}, Ser: 6, ZeroIsNull: true, Ordered: true,
		Stream: []jdk.Part{jdk.Date, jdk.Clock, jdk.Offset, jdk.Region}, Jackson: "stt", Parse: jdk.ParseZoned,
		Write: func(p *jdk.Value) string { return p.Text(offsetDateTimeParts, false) },
	}, ZonedDateTime.split, func(p *jdk.Value) ZonedDateTime {
		return ZonedDateTime{dateFrom(p), clockFrom(p), p.Zone, ZoneOffset(p.Offset), p.HasOffset}
	}, nil)
	zoned.Compare = compared(func(a, b ZonedDateTime) int {
		x, y := a.split(), b.split()
		return jdk.CompareInstant(&x, &y)
	})
	zoned.Hash = func(v any) (int32, bool) { return v.(ZonedDateTime).hashCode() }
	jdk.Add(zoned)
}

func (d LocalDate) split() jdk.Value { return jdk.Value{Year: d.Year, Month: d.Month, Day: d.Day} }

func (t LocalTime) split() jdk.Value {
	return jdk.Value{Hour: t.Hour, Minute: t.Minute, Second: t.Second, Nanos: t.Nano}
}

func (d LocalDateTime) split() jdk.Value {
	p := d.Time.split()
	p.Year, p.Month, p.Day = d.Date.Year, d.Date.Month, d.Date.Day
	return p
}

func (t OffsetTime) split() jdk.Value {
	p := t.Time.split()
	p.Offset = int32(t.Offset)
	return p
}

func (t OffsetDateTime) split() jdk.Value {
	p := LocalDateTime{t.Date, t.Time}.split()
	p.Offset = int32(t.Offset)
	return p
}

func (t ZonedDateTime) split() jdk.Value {
	p := OffsetDateTime{t.Date, t.Time, t.Offset}.split()
	p.Zone, p.HasOffset = t.Zone, t.HasOffset
	return p
}

func (d Duration) split() jdk.Value  { return jdk.Value{Seconds: d.Seconds, Nanos: d.Nanos} }
func (y YearMonth) split() jdk.Value { return jdk.Value{Year: y.Year, Month: y.Month} }
func (d MonthDay) split() jdk.Value  { return jdk.Value{Month: d.Month, Day: d.Day} }

func (p Period) split() jdk.Value {
	return jdk.Value{Years: p.Years, Months: p.Months, Days: p.Days}
}

func dateFrom(p *jdk.Value) LocalDate  { return LocalDate{p.Year, p.Month, p.Day} }
func clockFrom(p *jdk.Value) LocalTime { return LocalTime{p.Hour, p.Minute, p.Second, p.Nanos} }

func offsetDateTimeFrom(p *jdk.Value) OffsetDateTime {
	return OffsetDateTime{dateFrom(p), clockFrom(p), ZoneOffset(p.Offset)}
}

func hashSeconds(p *jdk.Value) int32 { return keyorder.Hash64(uint64(p.Seconds)) + 51*p.Nanos }
func hashClock(p *jdk.Value) int32   { return keyorder.Hash64(uint64(p.NanoOfDay())) }

func hashDate(p *jdk.Value) int32 {
	return int32(uint32(p.Year)&0xfffff800) ^ (p.Year<<11 + int32(p.Month)<<6 + int32(p.Day))
}

func hashDateTime(p *jdk.Value) int32 { return hashDate(p) ^ hashClock(p) }

// hashCode needs the offset, which the id of a zone may be.
func (t ZonedDateTime) hashCode() (int32, bool) {
	p := t.split()
	zone := keyorder.StringHash(t.Zone)
	if offset, ok := jdk.ParseOffset(t.Zone); ok {
		zone, p.Offset = offset, offset
	} else if !t.HasOffset {
		return 0, false
	}
	return hashDateTime(&p) ^ p.Offset ^ int32(bits.RotateLeft32(uint32(zone), 3)), true
}

// lowerCharset knows the charsets whose class the JDK names after them.
func lowerCharset(s string) (any, error) {
	switch s {
	case "UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32":
		return Text{Class: "sun.nio.cs." + strings.ReplaceAll(s, "-", "_"), Value: s}, nil
	}
	return nil, fmt.Errorf("the class of a charset with a name of %d bytes is not known: use java.Text", len(s))
}
