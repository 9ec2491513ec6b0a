package serialization

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

func decode(tb testing.TB, label string) any {
	tb.Helper()
	v, err := vectorCodec().Decode(sample(tb, label))
	if err != nil {
		tb.Fatalf("%s: %v", label, err)
	}
	return v
}

// elements are those of a sample that is a list.
func elements(tb testing.TB, label string) []any {
	tb.Helper()
	return decode(tb, label).(*java.List).Elements
}

func TestDecodedScalars(t *testing.T) {
	t.Parallel()
	check := func(label string, want ...any) {
		t.Helper()
		got := elements(t, label)
		if len(got) != len(want) {
			t.Errorf("%s: %d elements, want %d", label, len(got), len(want))
			return
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%s[%d]: %T %v, want %T %v", label, i, got[i], got[i], want[i], want[i])
			}
		}
	}
	check("boxes cached", true, true, false, int8(1), int8(1), int16(5), int16(5), int32(127), int32(127), int32(-128), int32(-128), int64(100), int64(100), java.Char('a'), java.Char('a'))
	minus := new(big.Int).Lsh(big.NewInt(1), 200)
	check("big", big.NewInt(0).SetBytes(nil), minus.Neg(minus), big.NewInt(-128), big.NewInt(255))
	check("uuids", java.UUID{7: 1, 15: 2}, java.UUID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80})
	check("dates", java.Date{Class: "java.util.Date"}, java.Date{Class: "java.sql.Date", Millis: 1700000000123}, java.Date{Class: "java.sql.Time", Millis: -5},
		java.Date{Class: "java.sql.Timestamp", Millis: 1700000000123}, java.Date{Class: "java.sql.Timestamp", Millis: -1})
	constant := func(class, name string) java.Enum { return java.Enum{Class: class, Name: name, Ordinal: -1} }
	check("enums", constant("Samples$Color", "RED"), constant("Samples$Color", "GREEN"), constant("Samples$Color", "RED"), constant("Samples$Op", "ADD"), constant("Samples$Op", "SUB"),
		constant("java.util.concurrent.TimeUnit", "DAYS"), constant("java.time.DayOfWeek", "FRIDAY"), constant("java.time.Month", "MAY"))
	check("texts", java.Text{Class: "java.lang.StringBuilder", Value: "abc中"}, java.Text{Class: "java.lang.StringBuffer", Value: "xyz"},
		java.Text{Class: "java.util.Currency", Value: "CNY"}, java.Text{Class: "java.util.Currency", Value: "CNY"}, java.Text{Class: "java.net.URI", Value: "http://a/b?c"}, java.Pattern{Regex: "a+", Flags: 2})
	check("locales", java.Locale{Language: "zh", Country: "CN"}, java.Locale{}, java.Locale{Language: "zh", Country: "CN", Script: "Hans"},
		java.Locale{Language: "de", Country: "DE", Variant: "POSIX"}, java.Locale{Language: "en", Country: "US", Extensions: "u-ca-buddhist"}, java.Locale{Language: "zh", Country: "CN"})
	value := func(class string, v any) *java.Object {
		return &java.Object{Class: "java.util.concurrent.atomic." + class, Fields: []java.Field{{Name: "value", Value: v}}}
	}
	check("atomics", value("AtomicBoolean", true), value("AtomicInteger", int32(1)), value("AtomicLong", int64(2)), value("AtomicReference", "r"))
	if got, want := decode(t, "timestamp nanos"), (java.Date{Class: "java.sql.Timestamp", Millis: 1700000000123, Nanos: 456789}); got != want {
		t.Errorf("timestamp %+v, want %+v", got, want)
	}
	if got := elements(t, "strings"); got[4] != "a\x00b" || got[5] != "\xed\xa0\x80" || got[6] != "\xed\xb0\x80\xed\xa0\x80" || len(got[7].(string)) != 70000 {
		t.Errorf("strings %q, want a NUL, a lone surrogate and two in the wrong order at 4 to 6, 70,000 bytes after them", got[:7])
	}
	if got, want := decode(t, "bitset"), (&java.BitSet{Words: []uint64{8, 0, 0, 1 << 8}}); !reflect.DeepEqual(got, want) {
		t.Errorf("bit set %+v, want %+v", got, want)
	}
}

func TestDecodedTimes(t *testing.T) {
	t.Parallel()
	got := elements(t, "times")
	for i, want := range map[int]any{
		0:  java.Duration{Seconds: 5, Nanos: 6},
		2:  java.Duration{Seconds: -1, Nanos: 999_000_000},
		4:  java.Instant{Seconds: -31557014167219200},
		6:  java.LocalDate{Year: 2024, Month: 2, Day: 29},
		7:  java.LocalDate{Year: -999_999_999, Month: 1, Day: 1},
		8:  java.LocalTime{},
		9:  java.LocalTime{Hour: 1, Minute: 2},
		11: java.LocalTime{Hour: 1, Minute: 2, Second: 3, Nano: 4},
		15: java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 1, Day: 2}, Time: java.LocalTime{Hour: 3, Minute: 4, Second: 5}},
		16: java.OffsetTime{Time: java.LocalTime{Hour: 1, Minute: 2, Second: 3}, Offset: -3 * 3600},
		18: java.ZonedDateTime{
			Date: java.LocalDate{Year: 2024, Month: 7, Day: 2}, Time: java.LocalTime{Hour: 3, Minute: 4, Second: 5, Nano: 6},
			Zone: "Europe/Berlin", Offset: 7200, HasOffset: true,
		},
		21: java.Year(2024),
		22: java.YearMonth{Year: 2024, Month: 3},
		23: java.MonthDay{Month: 2, Day: 29},
		24: java.Period{Years: 1, Months: -2, Days: 3},
		26: java.ZoneOffset(0),
		28: java.ZoneOffset(1),
		29: java.Text{Class: "java.time.ZoneRegion", Value: "UTC"},
	} {
		if got[i] != want {
			t.Errorf("[%d]: %+v, want %+v", i, got[i], want)
		}
	}
	if z := got[20].(java.ZonedDateTime); z.Zone != "+08:00" || z.Offset != 8*3600 {
		t.Errorf("%+v", z)
	}
}

func TestDecodedContainers(t *testing.T) {
	t.Parallel()
	classes := func(label string) (out []string) {
		for _, e := range elements(t, label) {
			out = append(out, java.ClassOf(e))
		}
		return out
	}
	for label, want := range map[string][]string{
		"immutable": {
			"ListN", "List12", "List12", "ListN", "SetN", "Set12", "Set12", "MapN", "Map1", "MapN", "ListN", "ListN", "ListN",
		},
		"unmodifiable": {
			"UnmodifiableCollection", "UnmodifiableRandomAccessList", "UnmodifiableList", "UnmodifiableSet", "UnmodifiableSortedSet",
			"UnmodifiableNavigableSet", "UnmodifiableMap", "UnmodifiableSortedMap", "UnmodifiableNavigableMap",
		},
		"collections": {"EmptyList", "EmptySet", "EmptyMap", "SingletonList", "SingletonSet", "SingletonMap", "CopiesList", "EmptyList"},
		"subclasses":  {"Samples$Tags", "Samples$Attributes", "Samples$1"},
	} {
		prefix := map[string]string{"immutable": "java.util.ImmutableCollections$", "unmodifiable": "java.util.Collections$", "collections": "java.util.Collections$"}[label]
		got := classes(label)
		for i := range want {
			if i >= len(got) || got[i] != prefix+want[i] {
				t.Errorf("%s: %v", label, got)
				break
			}
		}
	}
	ab := []any{"a", "b"}
	for i, l := range elements(t, "lists")[1:4] {
		if !reflect.DeepEqual(l.(*java.List).Elements, ab) {
			t.Errorf("list %d: %+v", i, l)
		}
	}
	for i, l := range elements(t, "unmodifiable")[:6] {
		if !reflect.DeepEqual(l.(*java.List).Elements, ab) {
			t.Errorf("view %d: %+v", i, l)
		}
	}
	maps := elements(t, "maps")
	for _, i := range []int{0, 1, 3, 11, 14, 15} {
		if v, ok := maps[i].(*java.Map).Get("k"); !ok || v != int32(1) {
			t.Errorf("map %d: %+v", i, maps[i])
		}
	}
	if m := maps[12].(*java.Map); m.Of != "Samples$Color" || len(m.Entries) != 2 {
		t.Errorf("EnumMap: %+v", m)
	}
	sets := elements(t, "sets")
	if s := sets[9].(*java.List); s.Of != "Samples$Color" || len(s.Elements) != 3 || s.Class != "java.util.RegularEnumSet" {
		t.Errorf("EnumSet: %+v", s)
	}
	if s := sets[3].(*java.List); java.ClassOf(s.Comparator) != "java.lang.String$CaseInsensitiveComparator" {
		t.Errorf("TreeSet: %+v", s)
	}
	for _, i := range []int{6, 7} {
		if s := sets[i].(*java.List); len(s.Elements) == 0 || s.Elements[0] != "a" {
			t.Errorf("set %d: %+v", i, s)
		}
	}
}

func TestDecodedGraphs(t *testing.T) {
	t.Parallel()
	list := decode(t, "list cycle").(*java.List)
	view := list.Elements[0].(*java.List)
	if list.Elements[1] != any(list) || len(view.Elements) != 2 || view.Elements[1] != any(list) {
		t.Errorf("%d elements, %d in its view", len(list.Elements), len(view.Elements))
	}
	bean := decode(t, "bean cycle").(*java.Object)
	if next, _ := bean.Get("next"); next != any(bean) {
		t.Errorf("%T", next)
	}
	custom := decode(t, "custom").(*java.Object)
	items := custom.Custom[0].Items
	if block, ok := items[0].(java.Block); !ok || string(block) != "\x00\x00\x00\x2a\x00\x03utf" {
		t.Errorf("%#v", items[0])
	}
	if block, ok := items[2].(java.Block); !ok || len(block) != 3000 || items[3] != "between" {
		t.Errorf("%d items", len(items))
	}
	thrown := decode(t, "throwable").(*java.Object)
	if message, _ := thrown.Get("detailMessage"); message != "outer" || thrown.Serial.Super.Super.Super.Class != "java.lang.Throwable" {
		t.Errorf("%v", thrown.Serial)
	}
	order := decode(t, "order").(*java.Object)
	if order.Fields[0].Level != "Samples$Base" || order.Fields[2].Level != "Samples$Order" {
		t.Errorf("%v", order.Fields[:3])
	}
}
