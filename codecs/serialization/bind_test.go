package serialization

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestOrderBean(t *testing.T) {
	t.Parallel()
	payload, typed := orderPayload(t), bindOrder(t)
	order, err := typed.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if order.OrderID != "A-2024-000123" || order.Customer != "张三" || *order.Discount != 15 || order.CreatedAt.UnixMilli() != 1700000000123 ||
		order.Total.String() != "1299.00" || len(order.Tags) != 2 {
		t.Errorf("%+v", order)
	}
	got, err := typed.Encode(order)
	if err != nil || !bytes.Equal(got, payload) {
		t.Errorf("encoded again: %x, %v\nJava wrote:    %x", got, err, payload)
	}
}

// The Go twins of the beans in integration/java/src/vectors/serialization/Samples.java.
type (
	sampleColor string
	sampleBase  struct {
		ID   int64   `java:"id"`
		Name *string `java:"name"`
	}
	sampleItem struct {
		sampleBase
		Own   string          `java:"name"`
		Price java.BigDecimal `java:"price"`
		Color sampleColor     `java:"color"`
		Next  *sampleItem     `java:"next"`
	}
	sampleOrder struct {
		sampleBase
		Paid       bool           `java:"paid"`
		B          int8           `java:"b"`
		S          int16          `java:"s"`
		C          java.Char      `java:"c"`
		Quantity   int32          `java:"quantity"`
		Cents      int64          `java:"cents"`
		F          float32        `java:"f"`
		D          float64        `java:"d"`
		Discount   *int32         `java:"discount"`
		Created    time.Time      `java:"created"`
		Updated    time.Time      `java:"updated"`
		Due        *java.Instant  `java:"due"`
		Items      []*sampleItem  `java:"items"`
		Attributes map[string]any `java:"attributes"`
		Colors     []sampleColor  `java:"colors,java.util.Set<Samples$Color>"`
		Numbers    []int32        `java:"numbers,int[]"`
		Texts      []*string      `java:"texts,java.lang.String[]"`
		Parent     *sampleOrder   `java:"parent"`
	}
	samplePoint struct {
		X     int32   `java:"x"`
		Y     int32   `java:"y"`
		Label *string `java:"label"`
	}
)

func (sampleColor) JavaClass() string { return "enum Samples$Color {RED, GREEN, BLUE}" }
func (sampleBase) JavaClass() string  { return "Samples$Base serial 7" }
func (sampleItem) JavaClass() string  { return "Samples$Item serial 8" }
func (sampleOrder) JavaClass() string { return "Samples$Order serial 9" }
func (samplePoint) JavaClass() string { return "record Samples$Point" }

func sample(tb testing.TB, label string) []byte {
	tb.Helper()
	for _, v := range vectors(tb) {
		if v.label == label {
			return v.payload
		}
	}
	tb.Fatalf("no sample %q", label)
	return nil
}

func bind[T any](tb testing.TB, opts ...Option) codecs.Typed[T] {
	tb.Helper()
	typed, err := codecs.For[T](New(opts...), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return typed
}

func TestBeans(t *testing.T) {
	t.Parallel()
	order, err := bind[sampleOrder](t).Decode(sample(t, "order"))
	if err != nil {
		t.Fatal(err)
	}
	if order.ID != 1<<40 || *order.Name != "订单 😀" || order.C != 'c' || order.Quantity != -3 || *order.Discount != 15 ||
		!order.Created.Equal(order.Updated) || order.Due.Nanos != 6 || len(order.Items) != 3 || order.Items[2].Price.String() != "1302.00" ||
		order.Items[0].Color != "GREEN" || order.Items[1].Own != "own name" || len(order.Attributes) != 4 || len(order.Colors) != 2 ||
		order.Numbers[1] != -1 || order.Texts[1] != nil || *order.Texts[2] != "x" || order.Parent != nil {
		t.Errorf("%+v", order)
	}
}

// TestBeansBytes writes beans as Java does.
func TestBeansBytes(t *testing.T) {
	t.Parallel()
	checkBytes(t, bind[sampleOrder](t), sample(t, "bean plain"))
	checkBytes(t, bind[*sampleItem](t), sample(t, "bean cycle"))
	checkBytes(t, bind[*sampleItem](t), sample(t, "bean null"))
	checkBytes(t, bind[*sampleItem](t), sample(t, "bean shared"))
	checkBytes(t, bind[samplePoint](t), sample(t, "record"))
	checkBytes(t, bind[[]sampleColor](t), sample(t, "enum list"))
	checkBytes(t, bind[map[string]sampleItem](t), sample(t, "map of beans"))
}

func checkBytes[T any](t *testing.T, typed codecs.Typed[T], payload []byte) {
	t.Helper()
	value, err := typed.Decode(payload)
	if err != nil {
		t.Errorf("%T: %v", value, err)
		return
	}
	got, err := typed.Encode(value)
	if err != nil || !bytes.Equal(got, payload) {
		t.Errorf("%T encoded again: %x, %v\nJava wrote:    %x", value, got, err, payload)
	}
}

// TestTypedAgrees holds the plans for Go types to what the way by values does.
func TestTypedAgrees(t *testing.T) {
	t.Parallel()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[sampleOrder](), reflect.TypeFor[*sampleOrder](), reflect.TypeFor[*sampleItem](), reflect.TypeFor[benchOrder](),
		reflect.TypeFor[string](), reflect.TypeFor[*string](), reflect.TypeFor[int64](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](),
		reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[time.Time](), reflect.TypeFor[java.BigDecimal](),
		reflect.TypeFor[[]any](), reflect.TypeFor[[]string](), reflect.TypeFor[[]*string](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]*int32](),
		reflect.TypeFor[[]time.Time](), reflect.TypeFor[[]java.BigDecimal](), reflect.TypeFor[[][]string](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]int64](), reflect.TypeFor[map[int32]string](), reflect.TypeFor[map[string]map[string]any](),
		reflect.TypeFor[java.UUID](), reflect.TypeFor[sampleColor](), reflect.TypeFor[[]sampleColor](), reflect.TypeFor[map[string]sampleItem](), reflect.TypeFor[samplePoint](), reflect.TypeFor[modern](),
	} {
		both, err := New(NoFields("Samples2$NoDef")).Bind(typ, codecs.BindOptions{})
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		for _, v := range vectors(t) {
			agree(t, both.(*binding), typ, v)
		}
	}
}

func agree(t *testing.T, both *binding, typ reflect.Type, v vector) {
	t.Helper()
	values := *both
	values.typed, values.write = nil, nil
	fast, slow := reflect.New(typ), reflect.New(typ)
	fastErr, slowErr := both.Decode(v.payload, fast.Interface()), values.Decode(v.payload, slow.Interface())
	if (fastErr == nil) != (slowErr == nil) {
		t.Errorf("%s into %s: %v against %v", v.label, typ, fastErr, slowErr)
		return
	}
	if fastErr != nil {
		var e *codecs.DecodeError
		if !errors.As(fastErr, &e) || e.Reason == "" {
			t.Errorf("%s into %s: untyped error %v", v.label, typ, fastErr)
		}
		return
	}
	if v.label != "boxes distinct" && !reflect.DeepEqual(fast.Interface(), slow.Interface()) { // NaN is there
		t.Errorf("%s into %s: %+v against %+v", v.label, typ, fast.Elem(), slow.Elem())
		return
	}
	value := slow.Elem().Interface()
	if v.label == "laughs" {
		return // a tree of 2^30 lists
	}
	fastBytes, fastErr := both.Append(nil, value)
	slowBytes, slowErr := values.Append(nil, value)
	if (fastErr == nil) != (slowErr == nil) || !bytes.Equal(fastBytes, slowBytes) {
		t.Errorf("%s from %s: %x, %v\nagainst %x, %v", v.label, typ, fastBytes, fastErr, slowBytes, slowErr)
	}
}

type noSerial struct{ A int32 }

func (noSerial) JavaClass() string { return "demo.NoSerial" }

func TestBindNeedsSerial(t *testing.T) {
	t.Parallel()
	_, err := codecs.For[[]noSerial](New(), codecs.BindOptions{})
	var e *codecs.BindError
	if !errors.As(err, &e) || e.Type != reflect.TypeFor[noSerial]() || !strings.Contains(e.Reason, "duequeue javadesc") {
		t.Errorf("error %v, want a BindError of the type that names duequeue javadesc", err)
	}
}

// pointTwo is the record with a field of its own and without another.
type pointTwo struct {
	X int32 `java:"x"`
	Z int32 `java:"z"`
}

func (pointTwo) JavaClass() string { return "record Samples$Point" }

func TestRefusedFields(t *testing.T) {
	t.Parallel()
	payload := sample(t, "record")
	if got, err := bind[pointTwo](t).Decode(payload); err != nil || got.X != 1 || got.Z != 0 {
		t.Errorf("without an option: %+v, %v; want X 1 and no error", got, err)
	}
	const unknown = "the Go type has no field y of Samples$Point; the Go type has no field label of Samples$Point"
	const missing = "the payload has no field z of Samples$Point"
	for want, opts := range map[string][]Option{
		unknown:                  {RefuseUnknownFields()},
		missing:                  {RefuseMissingFields()},
		unknown + "; " + missing: {RefuseUnknownFields(), RefuseMissingFields()},
	} {
		codec := bind[pointTwo](t, opts...)
		for range 2 { // the second time from what is remembered
			_, err := codec.Decode(payload)
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Class != "Samples$Point" || e.Reason != "fields differ: "+want {
				t.Errorf("%v: %v; want %q", opts, err, want)
			}
		}
		if _, err := bind[samplePoint](t, opts...).Decode(payload); err != nil {
			t.Errorf("%v: all fields are there: %v", opts, err)
		}
	}
}

// external is a class that writes itself, here an int, a string and an object.
type external struct {
	N int32  `java:"n"`
	S string `java:"s"`
}

func (external) JavaClass() string { return "demo.Ext serial -5926352121245029615" }

// TestExternalizable refuses to lose what writeExternal wrote.
func TestExternalizable(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("aced00057372000864656d6f2e457874adc15e25174eab110c000078707706af67a47e00007077010378")
	if err != nil {
		t.Fatal(err)
	}
	v, err := bind[external](t).Decode(payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != "demo.Ext" || !strings.Contains(e.Reason, "Externalizable") {
		t.Errorf("%+v, %v", v, err)
	}
	if o, err := bind[*java.Object](t).Decode(payload); err != nil || len(o.Custom) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

// modern is a bean of the types that Java programs use today.
type modern struct {
	ID      java.UUID           `java:"id"`
	At      time.Time           `java:"at,java.time.Instant"`
	Never   time.Time           `java:"never,java.time.Instant"`
	Local   java.LocalDateTime  `java:"local"`
	Maybe   *java.LocalDate     `java:"maybe"`
	Color   sampleColor         `java:"color"`
	Initial java.Char           `java:"initial"`
	Longs   []int64             `java:"longs,long[]"`
	Bytes   []byte              `java:"bytes"`
	Big     *big.Int            `java:"big"`
	Counts  map[string]int32    `java:"counts"`
	Lists   map[string][]string `java:"lists"`
	Point   *samplePoint        `java:"point"`
	Box     *int64              `java:"box"`
}

func (modern) JavaClass() string { return "Samples$Modern serial 13" }

func TestModernBean(t *testing.T) {
	t.Parallel()
	typed := bind[modern](t)
	checkBytes(t, typed, sample(t, "modern"))
	b, err := New().Bind(reflect.TypeFor[modern](), codecs.BindOptions{})
	if err != nil || b.(*binding).write == nil {
		t.Errorf("it is written by way of values: %v", err)
	}
	var got modern
	if !b.(*binding).decodeTyped(sample(t, "modern"), &got) {
		t.Error("it is read by way of values")
	}
	if got.Color != "GREEN" || got.At.Nanosecond() != 6 || !got.Never.IsZero() || got.Maybe != nil || *got.Box != 1000 || got.Lists["a"][1] != "y" {
		t.Errorf("%+v", got)
	}
}
