package jackson_test

import (
	"encoding/json"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// accepted returns what a codec of Redisson 4.7.0 takes for fields of each declared
// type: the value by codec, declared type and JSON. What is missing Java refuses.
func accepted(t *testing.T) map[[3]string]string {
	t.Helper()
	text := codectest.Must(os.ReadFile("testdata/accepts-4.7.0.tsv"))(t)
	table := map[[3]string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) == 5 && cells[3] == "OK" {
			table[[3]string{cells[0], cells[1], cells[2]}] = cells[4]
		}
	}
	return table
}

// acceptCase is a Go value for a field of a declared type and what Java must make of it.
type acceptCase struct {
	declared string
	value    any
	want     string
}

func acceptCases() []acceptCase {
	one := int64(5)
	return []acceptCase{
		{"long", int64(5), "java.lang.Long 5"},
		{"java.lang.Long", &one, "java.lang.Long 5"},
		{"int", int32(5), "java.lang.Integer 5"},
		{"java.lang.Integer", new(int32(5)), "java.lang.Integer 5"},
		{"short", int16(5), "java.lang.Short 5"},
		{"java.lang.Short", new(int16(5)), "java.lang.Short 5"},
		{"byte", int8(5), "java.lang.Byte 5"},
		{"java.lang.Byte", new(int8(5)), "java.lang.Byte 5"},
		{"double", 1.5, "java.lang.Double 1.5"},
		{"java.lang.Double", new(1.5), "java.lang.Double 1.5"},
		{"float", float32(1.5), "java.lang.Float 1.5"},
		{"java.lang.Float", new(float32(1.5)), "java.lang.Float 1.5"},
		{"boolean", true, "java.lang.Boolean true"},
		{"char", java.Char('x'), "java.lang.Character x"},
		{"java.lang.String", "x", "java.lang.String x"},
		{"java.math.BigDecimal", java.BigDecimal{Unscaled: big.NewInt(150), Scale: 2}, "java.math.BigDecimal 1.50"},
		{"java.math.BigInteger", big.NewInt(5), "java.math.BigInteger 5"},
		{"java.util.Date", time.UnixMilli(1700000000123), "java.util.Date Tue Nov 14 22:13:20 UTC 2023"},
		{"java.util.UUID", java.UUIDOf(1, 2), "java.util.UUID 00000000-0000-0001-0000-000000000002"},
		{"java.util.Locale", java.Locale{Language: "en", Country: "US"}, "java.util.Locale en_US"},
		{"demo.Types$Status", goldenStatus("NEW"), "demo.Types$Status NEW"},
		{"demo.Types$Grade", goldenGrade("HIGH"), "demo.Types$Grade high grade"},
		{"byte[]", []byte{1, 2, 3}, "[B [1, 2, 3]"},
		{"int[]", []int32{1, 2}, "[I [1, 2]"},
		{"long[]", []int64{1, 2}, "[J [1, 2]"},
		{"java.lang.Long[]", []int64{1}, "[Ljava.lang.Long; [1]"},
		{"java.lang.Object[]", []any{int32(1)}, "[Ljava.lang.Object; [1]"},
		{"java.lang.String[]", []string{"a"}, "[Ljava.lang.String; [a]"},
		{"java.util.List<java.lang.String>", []string{"a"}, "java.util.ArrayList [a]"},
		{"java.util.List<java.lang.Long>", []int64{1}, "java.util.ArrayList [1]"},
		{"java.util.Collection<java.lang.Integer>", []int32{1, 2}, "java.util.ArrayList [1, 2]"},
		{"java.util.Map<java.lang.String, java.lang.Long>", map[string]int64{"5": 1}, "java.util.HashMap {5=1}"},
		{"java.lang.Object", &one, "java.lang.Long 5"},
		{"java.time.LocalDate", java.LocalDate{Year: 2024, Month: 1, Day: 2}, "java.time.LocalDate 2024-01-02"},
		{"java.time.LocalTime", java.LocalTime{Hour: 3, Minute: 4}, "java.time.LocalTime 03:04"},
		{"java.time.Instant", time.UnixMilli(1700000000123), "java.time.Instant 2023-11-14T22:13:20.123Z"},
		{"java.time.Duration", 5 * time.Second, "java.time.Duration PT5S"},
		{"java.time.Period", java.Period{Years: 1, Months: 2, Days: 3}, "java.time.Period P1Y2M3D"},
		{"java.time.Year", java.Year(2024), "java.time.Year 2024"},
		{"java.time.YearMonth", java.YearMonth{Year: 2024, Month: 2}, "java.time.YearMonth 2024-02"},
		{"java.time.MonthDay", java.MonthDay{Month: 2, Day: 29}, "java.time.MonthDay --02-29"},
		{"java.time.ZoneOffset", java.ZoneOffset(7200), "java.time.ZoneOffset +02:00"},
	}
}

// TestAccepts: what Go writes into a field Java takes, as the value it was, whatever
// the declared type and the codec.
func TestAccepts(t *testing.T) {
	t.Parallel()
	table := accepted(t)
	looked := 0
	for _, name := range []string{"JsonJacksonCodec", "JsonJacksonCodec+JavaTime", "TypedJsonJacksonCodec", "JsonJackson3Codec", "TypedJsonJackson3Codec"} {
		for _, c := range acceptCases() {
			if strings.HasPrefix(c.declared, "java.time.") && strings.HasSuffix(name, "JacksonCodec") {
				continue // its mapper has no module
			}
			got := memberJSON(t, twinCodec(name, "4.7.0"), c)
			want := table[[3]string{name, c.declared, got}]
			looked++
			if strings.HasPrefix(name, "Typed") {
				// Without classes a Long in an Object is an Integer, a map of no class linked.
				if c.declared == "java.lang.Object" {
					want = strings.Replace(want, "Integer", "Long", 1)
				}
				want = strings.Replace(want, "java.util.LinkedHashMap", "java.util.HashMap", 1)
			}
			if want != c.want {
				t.Errorf("%s: %s is written %s, which Java takes as %q; want %q", name, c.declared, got, want, c.want)
			}
		}
	}
	if looked < 150 {
		t.Errorf("only %d forms were found", looked)
	}
}

// memberJSON returns what the field of a bean is written as.
func memberJSON(t *testing.T, c codecs.Codec, a acceptCase) string {
	t.Helper()
	tag := `java:"f,` + strings.ReplaceAll(a.declared, ", ", ",") + `"`
	bean := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(a.value), Tag: reflect.StructTag(tag)}})
	b, err := c.Bind(bean, codecs.BindOptions{Classes: map[reflect.Type]string{bean: "demo.Types$Order"}})
	if err != nil {
		t.Errorf("%s %s: %v", c.Name(), a.declared, err)
		return ""
	}
	v := reflect.New(bean).Elem()
	v.Field(0).Set(reflect.ValueOf(a.value))
	payload, err := b.Append(nil, v.Interface())
	if err != nil {
		t.Errorf("%s %s: %v", c.Name(), a.declared, err)
		return ""
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		t.Errorf("%s: %v", payload, err)
	}
	return string(members["f"])
}
