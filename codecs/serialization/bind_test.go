package serialization

import (
	"bytes"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

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

// sample returns what Java wrote for a sample.
func sample(tb testing.TB, label string) []byte {
	tb.Helper()
	for _, v := range vectors(tb) {
		if v.name == label {
			return v.payload
		}
	}
	tb.Fatalf("no sample %q", label)
	return nil
}

func TestBeans(t *testing.T) {
	t.Parallel()
	order := codectest.Must(codectest.Typed[sampleOrder](t, New()).Decode(sample(t, "order")))(t)
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
	checkBytes(t, codectest.Typed[sampleOrder](t, New()), sample(t, "bean plain"))
	checkBytes(t, codectest.Typed[*sampleItem](t, New()), sample(t, "bean cycle"))
	checkBytes(t, codectest.Typed[*sampleItem](t, New()), sample(t, "bean null"))
	checkBytes(t, codectest.Typed[*sampleItem](t, New()), sample(t, "bean shared"))
	checkBytes(t, codectest.Typed[samplePoint](t, New()), sample(t, "record"))
	checkBytes(t, codectest.Typed[[]sampleColor](t, New()), sample(t, "enum list"))
	checkBytes(t, codectest.Typed[map[string]sampleItem](t, New()), sample(t, "map of beans"))
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
	typed := codectest.Typed[modern](t, New())
	checkBytes(t, typed, sample(t, "modern"))
	got := codectest.Must(typed.Decode(sample(t, "modern")))(t)
	if got.Color != "GREEN" || got.At.Nanosecond() != 6 || !got.Never.IsZero() || got.Maybe != nil || *got.Box != 1000 || got.Lists["a"][1] != "y" {
		t.Errorf("%+v", got)
	}
}

// TestNoFields reads what the class NoDef wrote with and without the option.
func TestNoFields(t *testing.T) {
	t.Parallel()
	payload := sample(t, "NoDef")
	if v, err := New().Decode(payload); err == nil {
		t.Errorf("decoded without the option: %v", v)
	}
	v := codectest.Must(vectorCodec().Decode(payload))(t)
	o := v.(*java.Object)
	if len(o.Fields) != 0 || len(o.Custom) != 1 || string(o.Custom[0].Items[0].(java.Block)) != "\x00\x00\x00\x05" {
		t.Errorf("read as %+v, want no field and one block, 00000005", o)
	}
}

// vector is a payload that Java wrote.
type vector struct {
	name    string
	payload []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	var out []vector
	for _, file := range []string{"testdata/vectors.tsv", "testdata/samples.tsv"} {
		for _, f := range codectest.Rows(tb, file) {
			out = append(out, vector{f[0], codectest.FromHex(tb, f[1])})
		}
	}
	return out
}

// vectorCodec has the option that one payload needs.
func vectorCodec() *Codec { return New(NoFields("Samples2$NoDef")) }
