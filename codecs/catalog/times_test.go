package catalog_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// times are values of java.time that Java has, each with some of its kind that Java
// refuses to make.
var times = []struct {
	fits   any
	wrongs []any
}{
	{java.Instant{Seconds: 31556889864403199}, []any{java.Instant{Seconds: 31556889864403200}, java.Instant{Nanos: -1}, java.Instant{Nanos: 1e9}}},
	{java.Instant{Seconds: -31557014167219200}, []any{java.Instant{Seconds: -31557014167219201}, java.Instant{Seconds: math.MinInt64}}},
	{java.Duration{Seconds: math.MaxInt64, Nanos: 999_999_999}, []any{java.Duration{Nanos: -1}, java.Duration{Nanos: 1e9}}},
	{java.LocalDate{Year: 999_999_999, Month: 12, Day: 31}, []any{java.LocalDate{Year: 1e9, Month: 1, Day: 1}, java.LocalDate{Year: 2024, Month: 13, Day: 1}}},
	{java.LocalDate{Year: -999_999_999, Month: 1, Day: 1}, []any{java.LocalDate{Year: -1e9, Month: 1, Day: 1}}},
	{java.LocalDate{Year: 2024, Month: 2, Day: 29}, []any{java.LocalDate{Year: 2023, Month: 2, Day: 29}, java.LocalDate{Year: 1900, Month: 2, Day: 29}, java.LocalDate{Year: 2024, Month: 4, Day: 31}}},
	{java.LocalTime{Hour: 23, Minute: 59, Second: 59, Nano: 1}, []any{java.LocalTime{Hour: 24}, java.LocalTime{Minute: 60}, java.LocalTime{Second: 60}, java.LocalTime{Nano: 1e9}}},
	{java.LocalDateTime{Date: java.LocalDate{Year: 1, Month: 1, Day: 1}}, []any{java.LocalDateTime{Date: java.LocalDate{Year: 1, Month: 1, Day: 32}}}},
	{java.ZoneOffset(64_800), []any{java.ZoneOffset(64_801), java.ZoneOffset(-64_801)}},
	{java.OffsetTime{Offset: 3600}, []any{java.OffsetTime{Offset: 90_000}, java.OffsetTime{Time: java.LocalTime{Hour: 24}}}},
	{java.Year(999_999_999), []any{java.Year(1e9), java.Year(-1e9)}},
	{java.YearMonth{Year: 2024, Month: 12}, []any{java.YearMonth{Year: 2024, Month: 13}, java.YearMonth{Year: 1e9, Month: 1}}},
	{java.MonthDay{Month: 2, Day: 29}, []any{java.MonthDay{Month: 2, Day: 30}, java.MonthDay{Month: 11, Day: 31}, java.MonthDay{Month: 1}}},
}

// TestTimesThatJavaHasNotAreNotWritten: Java could not read them.
func TestTimesThatJavaHasNotAreNotWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"kryo5", "marshalling", "serialization", "jsonjackson3", "typedjsonjackson3"} {
		c := codectest.Must(catalog.Find(name))(t)
		for _, row := range times {
			t.Run(fmt.Sprintf("%s/%T", name, row.fits), func(t *testing.T) {
				t.Parallel()
				payload, err := c.Encode(row.fits)
				if err != nil {
					t.Fatalf("%v: %v", row.fits, err)
				}
				if back, err := c.Decode(payload); err != nil || name == "kryo5" && back != row.fits {
					t.Errorf("%+v reads as %+v, %v", row.fits, back, err)
				}
				for _, wrong := range row.wrongs {
					if payload, err := c.Encode(wrong); err == nil {
						t.Errorf("%+v is written as %q, want an error", wrong, payload)
					}
					if payload, err := c.Encode(&java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: wrong, Value: "a"}}}); err == nil {
						t.Errorf("%+v is written as the key %q, want an error", wrong, payload)
					}
				}
			})
		}
	}
}

// TestTimesThatJavaHasNotAreNotRead changes the bytes of times that Java has.
func TestTimesThatJavaHasNotAreNotRead(t *testing.T) {
	t.Parallel()
	instant := func(seconds int64) string {
		return "\x02" + string(binary.BigEndian.AppendUint64(nil, uint64(seconds)))
	}
	for _, c := range []struct {
		name     string
		fits     any
		old, new string
	}{
		{"instant after the last", java.Instant{Seconds: 31556889864403199}, instant(31556889864403199), instant(31556889864403200)},
		{"instant before the first", java.Instant{Seconds: -31557014167219200}, instant(-31557014167219200), instant(-31557014167219201)},
		{"30 February", java.MonthDay{Month: 2, Day: 29}, "\x0d\x02\x1d", "\x0d\x02\x1e"},
		{"31 April without a year", java.MonthDay{Month: 4, Day: 30}, "\x0d\x04\x1e", "\x0d\x04\x1f"},
	} {
		for _, name := range []string{"marshalling", "serialization"} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				codec := codectest.Must(catalog.Find(name))(t)
				payload := codectest.Must(codec.Encode(c.fits))(t)
				if strings.Count(string(payload), c.old) != 1 {
					t.Fatalf("%q is not in %q", c.old, payload)
				}
				wrong := []byte(strings.Replace(string(payload), c.old, c.new, 1))
				if v, err := codec.Decode(wrong); err == nil {
					t.Errorf("read as %+v, want an error", v)
				}
				for _, typ := range []reflect.Type{reflect.TypeOf(c.fits), reflect.TypeFor[time.Time]()} {
					b := codectest.Must(codec.Bind(typ, codecs.BindOptions{}))(t)
					target := reflect.New(typ)
					if err := b.Decode(wrong, target.Interface()); err == nil {
						t.Errorf("read into %s as %+v, want an error", typ, target.Elem())
					}
				}
			})
		}
	}
}

// TestTimesThatJavaHasNotInJSON: the forms of all mappers.
func TestTimesThatJavaHasNotInJSON(t *testing.T) {
	t.Parallel()
	c := codectest.Must(catalog.Find("jsonjackson"))(t)
	for _, row := range []struct {
		typ           reflect.Type
		fits, refused string
	}{
		{reflect.TypeFor[java.LocalDate](), `[999999999,1,1]`, `[1000000000,1,1]`},
		{reflect.TypeFor[java.LocalDateTime](), `"+999999999-01-01T00:00:00"`, `"+1000000000-01-01T00:00:00"`},
		{reflect.TypeFor[java.LocalDateTime](), `[-999999999,1,1,0,0]`, `[-1000000000,1,1,0,0]`},
		{reflect.TypeFor[java.OffsetDateTime](), `"+999999999-01-01T00:00:00Z"`, `"+1000000000-01-01T00:00:00Z"`},
		{reflect.TypeFor[java.ZonedDateTime](), `"+999999999-01-01T00:00:00Z"`, `"+1000000000-01-01T00:00:00Z"`},
		{reflect.TypeFor[java.Instant](), `"+1000000000-12-31T23:59:59Z"`, `"+1000000001-01-01T00:00:00Z"`},
		{reflect.TypeFor[java.Instant](), `{"nanos":0,"seconds":31556889864403199}`, `{"nanos":0,"seconds":31556889864403200}`},
		{reflect.TypeFor[java.Year](), `999999999`, `1000000000`},
		{reflect.TypeFor[java.Year](), `"999999999"`, `"1000000000"`},
		{reflect.TypeFor[java.YearMonth](), `[999999999,1]`, `[1000000000,1]`},
		{reflect.TypeFor[java.YearMonth](), `"+999999999-01"`, `"+4294967297-01"`},
		{reflect.TypeFor[java.MonthDay](), `"--02-29"`, `"--02-30"`},
	} {
		t.Run(row.typ.Name()+" "+row.refused, func(t *testing.T) {
			t.Parallel()
			field := reflect.StructOf([]reflect.StructField{{Name: "At", Type: row.typ, Tag: `java:"at"`}})
			b := codectest.Must(c.Bind(field, codecs.BindOptions{Classes: map[reflect.Type]string{field: "demo.At"}}))(t)
			if err := b.Decode([]byte(`{"@class":"demo.At","at":`+row.fits+`}`), reflect.New(field).Interface()); err != nil {
				t.Errorf("%s: %v", row.fits, err)
			}
			target := reflect.New(field)
			if err := b.Decode([]byte(`{"@class":"demo.At","at":`+row.refused+`}`), target.Interface()); err == nil {
				t.Errorf("%s read as %+v, want an error", row.refused, target.Elem())
			}
		})
	}
}
