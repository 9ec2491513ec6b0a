package interop_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework/integration/interop/annotated"
	"github.com/duequeue/duequeue/framework/integration/interop/annotated/fastjson"
	"github.com/duequeue/duequeue/framework/integration/interop/annotated/fastjson2"
	jacksontext "github.com/duequeue/duequeue/framework/integration/interop/annotated/jackson"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

// The Go twins of duequeue.annotated.AnnotatedBeans are what javadesc makes of their classes.

// javadescReadsAnnotations: the types are what javadesc writes, and its check finds nothing.
func javadescReadsAnnotations(t testing.TB, b *bench) {
	if !slices.Contains(annotatedReleases, b.version) {
		return
	}
	args, err := jvm.Build(t.Context(), b.version)
	if err != nil {
		t.Fatal(err)
	}
	classes := filepath.Join(filepath.Dir(args), "classes")
	run := javadescOf(t, classes)
	javadescMakes(t, run, "annotated/annotated.go", "-nulls", "-package", "annotated", "duequeue.annotated.Annotated", "duequeue.annotated.Dated",
		"duequeue.annotated.Graded", "duequeue.annotated.Open", "duequeue.annotated.OpenTimes", "duequeue.annotated.Named", "duequeue.annotated.Arranged", "duequeue.annotated.Reply", "duequeue.annotated.Single")
	if out := run("-check", "./annotated"); !strings.Contains(out, "25 types checked, 0 differences") {
		t.Error(out)
	}
	for _, library := range []string{"jackson", "fastjson", "fastjson2"} {
		javadescMakes(t, run, "annotated/"+library+"/"+library+".go", "-nulls", "-text", library, "-package", library, "duequeue.annotated.Getters")
		if out := run("-check", "./annotated/"+library); !strings.Contains(out, "4 types checked, 0 differences") {
			t.Error(out)
		}
	}
}

// javadescOf returns what runs javadesc for classes.
func javadescOf(t testing.TB, classes string) func(args ...string) string {
	return func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), rig.CommandLine(t), append([]string{"javadesc", "-classes", classes}, args...)...).Output()
		if err != nil {
			t.Errorf("javadesc %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// javadescMakes: a file is what javadesc writes.
func javadescMakes(t testing.TB, run func(args ...string) string, file string, args ...string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(args...); got != string(want) {
		t.Errorf("javadesc writes another %s:\n%s", file, got)
	}
}

// textsOfBeans: the types that javadesc writes for JSON in a String carry what a library wrote
// there, and the library reads what Go writes of it.
func textsOfBeans(t testing.TB, b *bench) {
	if !slices.Contains(annotatedReleases, b.version) {
		return
	}
	at := "2023-11-14 22:13:20" // as Java has it, in the time zone of the machine
	bytesOf := func(got *[]int8) bool { return slices.Equal(*got, []int8{1, 2, -3}) }
	textsOf(t, b, "json", func(g *jacksontext.Getters) bool {
		return g.IsPaid && *g.URL == "https://example.com/?a=1&b=<2>" && *g.ETag == "e" && !*g.IsNew && *g.OrderNo == "A-1" && *g.UserID == 1<<60 &&
			*g.At == 1700000000000 && *g.Amount == "12.30" && *g.Code == jacksontext.CodePaid && *g.Grade == jacksontext.GradeBad && *g.Codes[2] == jacksontext.CodeLost &&
			g.Remark == nil && g.Secret == nil && *g.Counts["one"] == 1<<40 && g.Mark == "x" && g.Version == 3 && bytes.Equal(g.Bytes, []byte{1, 2, 253})
	})
	textsOf(t, b, "fastjson", func(g *fastjson.Getters) bool {
		return g.IsPaid && *g.URL == "https://example.com/?a=1&b=<2>" && *g.ETag == "e" && *g.UserID == 1<<60 && *g.At == 1700000000000 &&
			*g.Code == fastjson.CodePaid && *g.Grade == fastjson.GradeBad && g.Codes[1] == nil && g.Version == 3
	})
	textsOf(t, b, "fastjson2", func(g *fastjson2.Getters) bool {
		return g.IsPaid && *g.URL == "https://example.com/?a=1&b=<2>" && *g.ETag == "e" && *g.UserID == 1<<60 && len(*g.At) == len(at) &&
			*g.Code == fastjson2.CodePaid && *g.Grade == fastjson2.GradeBad && bytesOf(&g.Bytes)
	})
}

func textsOf[T any](t testing.TB, b *bench, library string, right func(got *T) bool) {
	t.Helper()
	const sample = "@annotated.getters"
	name := library + "(" + sample + ")"
	typed, err := codecs.For[T](jackson.JSON(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := b.jvm.EncodeHex(t, name, sample)
	got, err := typed.Decode(unhex(t, want))
	if err != nil || !right(&got) {
		t.Errorf("%s: decoded %+v, %v", library, got, err)
		return
	}
	payload, err := typed.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if equal, read := b.jvm.EqualHex(t, name, hex.EncodeToString(payload), sample); !equal {
		t.Errorf("%s reads %s as %s", library, payload, read)
	}
}

func annotatedTwins() []twin {
	return []twin{
		twinOf[annotated.Annotated]{name: "annotated.full", value: annotatedFull, need: documents | annotations, alike: annotatedAlike, annotated: true},
		twinOf[annotated.Annotated]{name: "annotated.blank", value: func() annotated.Annotated { return annotated.Annotated{} }, need: documents | annotations, annotated: true},
		twinOf[annotated.Dated]{name: "annotated.dated", value: dated, need: documents | annotations | javaTime},
		twinOf[annotated.Graded]{name: "annotated.graded", value: graded, need: documents | annotations, loose: true},
		twinOf[annotated.Open]{name: "annotated.open", value: open, need: documents | openFields, annotated: true, alike: openAlike},
		named("coded", coded),
		named("named", namedValue),
		twinOf[annotated.Arranged]{
			name: "annotated.arranged", value: arranged, need: documents | openFields, annotated: true, anys: true, alike: arrangedAlike, under: vehicles,
			register: []registry.Option{javaClass[annotated.ArrangedCar](), javaClass[annotated.ArrangedVan]()},
		},
		twinOf[annotated.Reply[annotated.Paid]]{
			name: "annotated.reply", value: func() annotated.Reply[annotated.Paid] { return annotated.Reply[annotated.Paid]{Code: 500} }, need: documents | openFields, annotated: true,
		},
		aSingle,
		twinOf[annotated.Paid]{name: "annotated.paid", value: func() annotated.Paid { return *paid() }, need: documents | openFields, annotated: true},
		twinOf[annotated.OpenTimes]{name: "annotated.openTimes", value: openTimes, need: documents | openFields | javaTime, annotated: true},
	}
}

var aSingle = twinOf[annotated.Single]{name: "annotated.single", value: single, need: documents | openFields, annotated: true}

func single() annotated.Single {
	return annotated.Single{
		Texts: []*string{ptr("a")}, Names: []*string{ptr("b")}, Longs: []*int64{ptr(int64(5))}, Numbers: []int32{7},
		Nested: [][]*int32{{ptr(int32(1))}, {ptr(int32(2)), ptr(int32(3))}}, Paid: []*annotated.Paid{paid()}, None: []*string{},
		Two: []*string{ptr("c"), ptr("d")}, Bytes: []byte{1}, Codes: []annotated.Code{annotated.CodePaid},
	}
}

// singleValues: lists of one element, as mappers write and read them that take these for their elements.
func singleValues(t testing.TB, b *bench) {
	if !slices.Contains(annotatedReleases, b.version) {
		return
	}
	for _, c := range []jacksonCodec{jsonMapper("singles=BARE"), ofClass("singles=BARE"), mapper("typing=NON_FINAL+singles=BARE")} {
		f := format{java: c.name, codec: c.make(jackson.Since(b.version)), plain: c.plain}
		aSingle.bytes(t, b, f)
	}
	read, err := codecs.For[annotated.Single](jackson.TypedJsonJackson(jackson.Mapper{Singles: jackson.SinglesRead}), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bare := b.jvm.EncodeHex(t, "mapper(class=@annotated.single+singles=BARE)", aSingle.sample())
	if got, err := read.Decode(unhex(t, bare)); err != nil || !reflect.DeepEqual(got, single()) {
		t.Errorf("read as %+v, %v", got, err)
	}
}

var vehicles = codecs.BindOptions{Classes: map[reflect.Type]string{
	reflect.TypeFor[annotated.ArrangedCar](): annotated.ArrangedCar{}.JavaClass(),
	reflect.TypeFor[annotated.ArrangedVan](): annotated.ArrangedVan{}.JavaClass(),
}}

func arranged() annotated.Arranged {
	car := annotated.ArrangedCar{ArrangedVehicle: annotated.ArrangedVehicle{Wheels: ptr(int32(4))}}
	van := annotated.ArrangedVan{ArrangedVehicle: annotated.ArrangedVehicle{Wheels: ptr(int32(6))}, Load: ptr(int64(1) << 33)}
	return annotated.Arranged{
		Apple: ptr("apple"), OrderNo: ptr("A-1"), Second: ptr(int32(2)), First: ptr(int32(1)), Total: 1 << 40, Hidden: ptr("not written"), Seen: ptr("seen"),
		IsPaid: true, Vehicle: van, Vehicles: []any{car, van}, Car: &car,
	}
}

func arrangedAlike(a, b annotated.Arranged) bool {
	a.Hidden, b.Hidden = nil, nil
	return reflect.DeepEqual(a, b)
}

func openAlike(a, b annotated.Open) bool {
	a.Secret, b.Secret, a.Empty, b.Empty = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func open() annotated.Open {
	at := func(millis int64) time.Time { return time.UnixMilli(millis).UTC() }
	return annotated.Open{
		OrderID: 1 << 60, Amount: ptr(decimal("1230", 2)), Created: at(1700000000000), Day: at(1700006400000), Number: at(1700000000124),
		Text: at(1700000000125), Level: annotated.LevelGold, Empty: []*string{}, Secret: ptr("not written"),
	}
}

func openTimes() annotated.OpenTimes {
	d := dated()
	return annotated.OpenTimes{
		Local: d.Local, Days: []*java.LocalDate{d.Day, {Year: 1999, Month: 12, Day: 31}}, Instant: d.Instant, Offset: d.Offset, Numbers: d.Numbers,
		Seconds: d.Seconds, Duration: d.TextDuration,
	}
}

// named is a twin of fields whose values are of classes that annotations name.
func named(name string, value func() annotated.Named) twin {
	types := codecs.BindOptions{Classes: map[reflect.Type]string{}}
	for _, t := range []gotypes.Classer{annotated.Paid{}, annotated.Expired{}, annotated.Circle{}, annotated.Square{}, annotated.Cat{}, annotated.Saw{}, annotated.Tool{}} {
		types.Classes[reflect.TypeOf(t)] = t.JavaClass()
	}
	register := []registry.Option{
		javaClass[annotated.Paid](), javaClass[annotated.Expired](), javaClass[annotated.Circle](),
		javaClass[annotated.Square](), javaClass[annotated.Cat](), javaClass[annotated.Saw](), javaClass[annotated.Tool](),
	}
	return twinOf[annotated.Named]{name: "annotated." + name, value: value, need: documents | openFields, annotated: true, anys: true, under: types, register: register}
}

func javaClass[T gotypes.Classer]() registry.Option {
	var t T
	return registry.JavaClass[T](t.JavaClass())
}

func paid() *annotated.Paid { return &annotated.Paid{OrderID: ptr("P-1"), Cents: ptr(int64(1250))} }

func coded() annotated.Named {
	return annotated.Named{
		Code: annotated.CodePaid, Codes: []annotated.Code{annotated.CodeOpen, "", annotated.CodeLost, annotated.CodeHuge}, Name: ptr("coded"),
	}
}

func namedValue() annotated.Named {
	expired := annotated.Expired{OrderID: ptr("E-1"), Cause: *paid()}
	circle := annotated.Circle{Shape: annotated.Shape{Label: ptr("c")}, Radius: 1.5}
	cat := annotated.Cat{Pet: annotated.Pet{Kind: ptr("cat")}, Lives: ptr(int32(9))}
	return annotated.Named{
		Event: expired, Events: []any{*paid(), expired, nil}, ByName: map[string]any{"one": *paid()}, Paid: paid(), Shape: circle,
		Square: &annotated.Square{Side: 4}, Shapes: []any{annotated.Square{Side: 4}, circle}, Pet: cat, Cat: &cat,
		Tool: &annotated.Tool{Owner: ptr("me")}, Open: *paid(),
	}
}

func graded() annotated.Graded {
	return annotated.Graded{
		Grade: annotated.GradeBad, Stage: annotated.StageDone, Grades: []annotated.Grade{annotated.GradeGood, ""},
		Stages:  []annotated.Stage{annotated.StageOpen, annotated.StageLost},
		ByGrade: map[annotated.Grade]*int32{annotated.GradeGood: ptr(int32(1)), annotated.GradeBad: ptr(int32(3))},
		ByStage: map[annotated.Stage]*int32{annotated.StageDone: ptr(int32(2))},
	}
}

// annotatedAlike compares what crosses: neither what Jackson ignores, nor a second's fraction
// that a format does not show, nor empty values that it leaves out.
func annotatedAlike(a, b annotated.Annotated) bool {
	for _, v := range []*annotated.Annotated{&a, &b} {
		v.Secret, v.Forgotten, v.EmptyText, v.EmptyList, v.EmptyMap = nil, nil, nil, nil, nil
		v.CreateTime = v.CreateTime.Truncate(time.Second)
		v.CalendarTime = &java.Calendar{Millis: v.CalendarTime.Millis}
	}
	return reflect.DeepEqual(a, b)
}

func annotatedFull() annotated.Annotated {
	huge, _ := new(big.Int).SetString("-12345678901234567890", 10)
	at := func(plus int64) time.Time { return time.UnixMilli(createdAt.UnixMilli() + plus).UTC() }
	return annotated.Annotated{
		OrderID: ptr("A-1"), UserID: 1 << 60, BoxedID: ptr(int64(-7)), Count: ptr(int32(3)), Amount: ptr(decimal("1230", 2)), Huge: huge, Rate: 1.5,
		AllIds: []*int64{ptr(int64(1)), nil, ptr(int64(1) << 40)}, ByName: map[string]*int64{"one": ptr(int64(1))},
		CreateTime: createdAt.Truncate(time.Second), UtcTime: at(1), AllTimes: []time.Time{at(2), {}}, TextTime: at(3), ZonedTime: at(4), NumberTime: at(5),
		CalendarTime: &java.Calendar{
			Class: "java.util.GregorianCalendar", Zone: "UTC", Millis: createdAt.UnixMilli(), Lenient: true, FirstDay: 1, MinimalDays: 1, Cutover: -12219292800000,
		},
		Level: annotated.LevelSilver, AllLevels: []annotated.Level{annotated.LevelGold, "", annotated.LevelBasic},
		EmptyText: ptr(""), EmptyList: []*string{}, EmptyMap: map[string]*int64{}, EmptyLong: ptr(int64(0)),
		Secret: ptr("not written"), Forgotten: ptr("not written"), PlainLong: ptr(int64(5)),
	}
}

func dated() annotated.Dated {
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	local, zoned := java.LocalDateTimeOf(at, time.UTC), java.LocalDateTimeOf(at.Truncate(time.Minute), time.UTC)
	offset, inUTC := java.OffsetDateTime{Date: local.Date, Time: local.Time}, java.ZonedDateTime{Date: local.Date, Time: local.Time, Zone: "Z", HasOffset: true}
	return annotated.Dated{
		Local: &local, ZonedLocal: &zoned, Day: &local.Date,
		Clock: &java.LocalTime{Hour: 7, Minute: 5}, Days: []*java.LocalDate{&local.Date, nil, {Year: 1999, Month: 12, Day: 31}},
		Instant: at, Offset: &offset,
		Zoned:   &inUTC,
		Numbers: &local, Seconds: at.Add(5), Text: &local, TextInstant: at,
		TextDuration: &java.Duration{Seconds: 5, Nanos: 6}, Plain: &local,
		PlainOffset: &offset, PlainZoned: &inUTC, PlainInstant: at, PlainDate: at, MapperDate: at, MapperOffset: &offset, MapperZoned: &inUTC,
	}
}
