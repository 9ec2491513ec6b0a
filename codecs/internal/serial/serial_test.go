package serial

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, modified string
		units          int
	}{
		{"", "", 0},
		{"abc", "abc", 3},
		{"a\x00b", "a\xc0\x80b", 3},
		{"é中", "\xc3\xa9\xe4\xb8\xad", 2},
		{"😀", "\xed\xa0\xbd\xed\xb8\x80", 2},
		{"\xed\xa0\x80", "\xed\xa0\x80", 1}, // a lone surrogate
		{"\xed\xb8\x80😀", "\xed\xb8\x80\xed\xa0\xbd\xed\xb8\x80", 3},
	} {
		if got := string(AppendText(nil, c.text)); got != c.modified {
			t.Errorf("AppendText(%q) = %q, want %q", c.text, got, c.modified)
		}
		if size, units := TextSize(c.text); size != len(c.modified) || units != c.units {
			t.Errorf("TextSize(%q) = %d, %d", c.text, size, units)
		}
		if got, err := String([]byte(c.modified)); err != nil || got != c.text {
			t.Errorf("String(%q) = %q, %v", c.modified, got, err)
		}
		if n := UnitsEnd([]byte(c.modified+"x"), c.units); n != len(c.modified) {
			t.Errorf("UnitsEnd(%q, %d) = %d", c.modified, c.units, n)
		}
	}
	for _, bad := range []string{"\x80", "\xc3", "\xe4\xb8", "\xf0\x9f\x98\x80", "a\xff", "\xc3a"} {
		if got, err := String([]byte(bad)); err == nil {
			t.Errorf("String(%q) = %q", bad, got)
		}
	}
	if n := UnitsEnd([]byte("ab"), 3); n != -1 {
		t.Errorf("three units of two: %d", n)
	}
}

// TestStringIdentity makes a string of its own each time, even of one letter.
func TestStringIdentity(t *testing.T) {
	t.Parallel()
	a, _ := String([]byte("x"))
	b, _ := String([]byte("x"))
	if a != b || StringID(a) == StringID(b) || SameObject(a, b) || !SameObject(a, a) {
		t.Error("two strings are one object, or one is two")
	}
}

var list0 java.List

func TestSameObject(t *testing.T) {
	t.Parallel()
	// Computed, since Go keeps equal constants of the source once.
	thousand := int64(len(list0.Elements)) + 1000
	list, date, long, number := &java.List{}, any(java.Date{Millis: thousand}), any(thousand), big.NewInt(5)
	array := []byte{1}
	for _, c := range []struct {
		a, b any
		want bool
	}{
		{nil, nil, true},
		{nil, "", false},
		{"", "", true},
		{list, list, true},
		{list, &java.List{}, false},
		{date, date, true},
		{date, any(java.Date{Millis: thousand}), false},
		{long, long, true},
		{long, any(thousand), false},
		{int64(5), int64(5), true},
		{int64(5), int32(5), false},
		{int32(thousand - 800), int32(thousand - 800), false},
		{true, true, true},
		{java.Char('a'), java.Char('a'), true},
		{java.Char(thousand), java.Char(thousand), false},
		{number, number, true},
		{number, big.NewInt(5), false},
		{array, array, true},
		{array, []byte{1}, false},
		{[]byte{}, []byte{}, false},
		{java.Enum{Class: "E", Name: "A", Ordinal: -1}, java.Enum{Class: "E", Name: "A", Ordinal: 0}, true},
		{java.LocalTime{Hour: 5}, java.LocalTime{Hour: 5}, true},
		{java.LocalTime{Hour: 5, Nano: int32(thousand)}, java.LocalTime{Hour: 5, Nano: int32(thousand)}, false},
		{java.ZoneOffset(900), java.ZoneOffset(900), true},
		{java.ZoneOffset(thousand), java.ZoneOffset(thousand), false},
		{&java.List{Class: "java.util.Collections$EmptyList"}, &java.List{Class: "java.util.Collections$EmptyList"}, true},
	} {
		if got := SameObject(c.a, c.b); got != c.want {
			t.Errorf("SameObject(%#v, %#v) = %v", c.a, c.b, got)
		}
	}
}

// TestTable checks that what has a shape has a descriptor to write it with.
func TestTable(t *testing.T) {
	t.Parallel()
	for class, s := range shapes {
		d := Known(class)
		if d == nil || !d.Canonical() || !d.Shaped() {
			t.Errorf("%s has no descriptor", class)
			continue
		}
		if s.end == nil {
			t.Errorf("%s cannot be read", class)
		}
		again, err := NewDesc(&java.Serial{Class: d.Class, UID: d.UID, Flags: d.Flags, Fields: d.Fields}, d.Super)
		if err != nil || !again.Canonical() || !Same(again, d) {
			t.Errorf("%s is not what the table says: %v", class, err)
		}
	}
	for class, other := range replacements {
		if Known(other) == nil || shapes[other].write == nil {
			t.Errorf("%s is written as %s, which cannot be", class, other)
		}
	}
}

func TestDescribeRefuses(t *testing.T) {
	t.Parallel()
	d := Describer{Classes: NewClasses(nil, false)}
	for _, c := range []struct {
		value  any
		reason string
	}{
		{&java.Object{Class: "demo.A"}, "not declared"},
		{&java.Map{Class: "demo.Map"}, "cannot be written"},
		{java.Enum{Class: "demo.E", Ordinal: 1}, "declare the enum"},
		{java.ClassRef("demo.A"), "declare the class"},
		{&java.Map{Class: "java.util.EnumMap"}, "set Of"},
		{&java.List{Class: "java.util.RegularEnumSet"}, "set Of"},
		{&java.List{Class: "java.util.Collections$CopiesList", Elements: []any{"a", "b"}}, "one element only"},
		{&java.List{Class: "java.util.Collections$SingletonList"}, "cannot have 0 elements"},
		{&java.Map{Class: "java.util.Collections$EmptyMap", Entries: []java.Entry{{}}}, "cannot have 1 entries"},
		{&java.List{Class: immutable + "SetN", Elements: []any{nil}}, "cannot hold null"},
		{java.ZonedDateTime{Date: java.LocalDate{Year: 2024, Month: 1, Day: 1}, Zone: "Europe/Berlin"}, "HasOffset"},
		{java.Text{Class: "sun.util.calendar.ZoneInfo", Value: "UTC"}, "cannot be written"},
		{&java.List{Class: "[demo"}, "no array class"},
		{struct{}{}, "no Java value"},
		{&java.Object{Class: "java.util.UUID", Fields: []java.Field{{Name: "leastSigBits", Value: "x"}}}, "is no long"},
		{&java.Object{Class: "demo.A", Serial: &java.Serial{Class: "demo.A", Flags: 2, Fields: []java.SerialField{{Name: "b", Signature: "B"}}}, Fields: []java.Field{{Name: "b", Value: int32(300)}}}, "does not fit"},
	} {
		if _, err := d.Describe(c.value); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%#v: %v, want %q", c.value, err, c.reason)
		}
	}
	loop := &java.Serial{Class: "demo.A", Flags: 2}
	loop.Super = loop
	if _, err := d.Describe(&java.Object{Class: "demo.A", Serial: loop}); err == nil {
		t.Error("a class that extends itself was described")
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()
	var list []*java.Class
	for _, decl := range []string{
		"demo.Base<T extends java.lang.Number> serial 1", "demo.Sub extends demo.Base<java.lang.Long> serial 2",
		"record demo.Point", "enum demo.Color {RED, GREEN}", "demo.Bare", "demo.Orphan extends demo.Gone serial 3",
		"demo.List extends java.util.ArrayList<java.lang.String> serial 4", "demo.Fault extends java.lang.RuntimeException serial 5",
		"demo.Loose serial none", "demo.Kept extends demo.Loose serial 6", "custom demo.Writes extends demo.Kept serial 7", "demo.Below extends demo.Bare serial 8",
	} {
		c := codectest.Must(java.ParseClass(decl))(t)
		list = append(list, c)
	}
	field := func(name, typ string) java.ClassField {
		e := codectest.Must(java.ParseType(typ))(t)
		return java.ClassField{Name: name, Type: e}
	}
	list[0].Fields = []java.ClassField{field("z", "int"), field("value", "T"), field("all", "T[]"), field("a", "java.util.List<T>"), field("b", "byte[]"), field("A", "boolean")}
	set := codectest.Must(java.NewClasses(list...))(t)
	classes := NewClasses(set, false)
	sub := classes.Find("demo.Sub")
	if sub == nil || sub.UID != 2 || sub.Super == nil || sub.Super.UID != 1 || sub.Chain != 2 {
		t.Fatalf("demo.Sub: %+v, %v", sub, classes.Problem("demo.Sub"))
	}
	var fields []string
	for _, f := range sub.Super.Fields {
		fields = append(fields, f.Name+" "+f.Signature)
	}
	if got := strings.Join(fields, ","); got != "A Z,z I,a Ljava/util/List;,all [Ljava/lang/Number;,b [B,value Ljava/lang/Number;" {
		t.Error(got)
	}
	if p := classes.Find("demo.Point"); p == nil || p.UID != 0 || p.Flags != FlagSerializable {
		t.Errorf("demo.Point: %+v", p)
	}
	if e := classes.Find("demo.Color"); e == nil || !e.Enum() || e.Super.Class != "java.lang.Enum" {
		t.Errorf("demo.Color: %+v", e)
	}
	if f := classes.Find("demo.Fault"); f == nil || f.Chain != 4 {
		t.Errorf("demo.Fault: %+v", f)
	}
	if k := classes.Find("demo.Kept"); k == nil || k.Super != nil || classes.Refused("demo.Kept") != nil {
		t.Errorf("demo.Kept: %+v", k)
	}
	if w := classes.Find("demo.Writes"); w == nil || w.Super != classes.Find("demo.Kept") || classes.Refused("demo.Writes") == nil {
		t.Errorf("demo.Writes: %+v", w)
	}
	for class, reason := range map[string]string{
		"demo.Loose": "not Serializable in Java", "demo.Below": `declare it "demo.Bare serial none"`,
		"demo.Bare": "serialVersionUID is not known", "demo.Orphan": "superclass demo.Gone is not declared",
		"demo.List": "cannot be written from fields", "demo.Nobody": "not declared",
	} {
		if p := classes.Problem(class); p == nil || !strings.Contains(p.Error(), reason) {
			t.Errorf("%s: %v", class, p)
		}
	}
	d := Describer{Classes: classes}
	for class, reason := range map[string]string{"demo.Loose": "not Serializable in Java", "demo.Writes": "writes itself in Java"} {
		if _, err := d.Describe(&java.Object{Class: class}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("an object of %s: %v", class, err)
		}
	}
	if _, err := d.Describe(java.ClassRef("demo.Writes")); err == nil || !strings.Contains(err.Error(), "writes itself in Java") {
		t.Errorf("the class object: %v", err)
	}
	if got, err := d.Describe(java.ClassRef("demo.Loose")); err != nil || got.Desc.Flags != 0 || got.Desc.UID != 0 {
		t.Errorf("the class object: %+v, %v", got, err)
	}
	got, err := d.Describe(java.Enum{Class: "demo.Color", Ordinal: 1})
	if err != nil || got.Name != "GREEN" {
		t.Errorf("ordinal 1 is %+v, %v", got, err)
	}
}

// TestArrayUID computes what the JDK says of its own public classes.
func TestArrayUID(t *testing.T) {
	t.Parallel()
	n := 0
	for class, d := range descriptors() {
		if class[0] != '[' || class == "[Ljava.util.concurrent.ConcurrentHashMap$Segment;" { // not public
			continue
		}
		n++
		if got := arrayUID(class); got != d.UID {
			t.Errorf("%s: %d, Java says %d", class, got, d.UID)
		}
	}
	if n < 30 {
		t.Errorf("only %d arrays", n)
	}
}

// TestHashBuckets compares with the tables of Java's maps: integration/java/src/vectors/serial/HashBuckets.java.
func TestHashBuckets(t *testing.T) {
	t.Parallel()
	rows, early := 0, 0
	for _, f := range codectest.Rows(t, "testdata/hashbuckets.txt") {
		rows++
		var keys []any
		for k := range strings.SplitSeq(f[2], ",") {
			if f[2] != "" {
				keys = append(keys, k)
			}
		}
		for i, got := range []int32{buckets(keys, true), buckets(keys, false)} {
			if strconv.Itoa(int(got)) != f[i] {
				t.Errorf("%s: %d buckets, Java has %s", f[2], got, f[i])
			}
		}
		if n := len(keys); n <= 12 && f[0] != "16" || n > 12 && n <= 24 && f[0] != "32" {
			early++
		}
	}
	if rows < 150 || early < 10 {
		t.Errorf("%d rows, %d of them grew early: too few to show anything", rows, early)
	}
}

// TestDescs fills the table of descriptors with made-up classes.
func TestDescs(t *testing.T) {
	t.Parallel()
	var kept Descs
	describe := func(class string, uid int64) *Desc {
		d, err := kept.Make(&java.Serial{Class: class, UID: uid, Flags: FlagSerializable, Fields: []java.SerialField{{Name: "a", Signature: "I"}}}, nil)
		if err != nil || d.UID != uid {
			t.Fatalf("%s: %+v, %v", class, d, err)
		}
		return d
	}
	first := describe("demo.A", 1)
	if first != describe("demo.A", 1) || first == describe("demo.A", 2) {
		t.Error("one descriptor is two, or two are one")
	}
	for i := range int64(3 * maxVariants) {
		describe("demo.A", i)
	}
	for i := range 10_000 {
		describe("demo.B"+strings.Repeat("x", i%100)+string(rune('a'+i/100)), 1)
	}
	if n := len(kept.byName["demo.A"]); n != maxVariants || kept.size > maxDescsSize {
		t.Errorf("%d variants and %d bytes are kept", n, kept.size)
	}
}
