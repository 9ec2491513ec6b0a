package avro_test

import (
	"bytes"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// usual is the part of Order that is read and written without values.
type usual struct {
	ID         *string
	Count      int32
	BoxedCount *int32
	Cents      int64 `java:"cents,long"`
	BoxedCents int64
	Rate       float64
	BoxedRate  *float64
	Ratio      float32
	BoxedRatio float32
	S          int16
	B          int8
	C          int32
	OK         bool
	BoxedOk    *bool
	Total      string
	Created    *time.Time
	Status     string
	Blob       []byte
	Tags       []string
	Counts     map[string]int64
	Item       *usualItem
	Items      []usualItem
	ByName     map[string]*usualItem
	Node       *usualNode
	Ints       []int32
	States     []string
	Groups     map[string][]string
}

type usualItem struct {
	SKU string
	N   int32
}

type usualNode struct {
	Name *string
	Next *usualNode
}

// ways carries usual in both ways.
type ways struct {
	typed  codecs.Typed[usual]
	values codecs.Binding
}

func newWays(tb testing.TB, schema string, opts ...avro.Option) ways {
	tb.Helper()
	codec := avro.Jackson(schema, opts...)
	typed, err := codecs.For[usual](codec, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	values, err := codec.Bind(reflect.TypeFor[usual](), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	if d, ok := values.(interface{ Direct() bool }); !ok || !d.Direct() {
		tb.Fatal("the type is not carried without values")
	}
	return ways{typed, values}
}

// agree decodes payload in both ways, and encodes what comes of it.
func (w ways) agree(tb testing.TB, payload []byte) {
	tb.Helper()
	one, oneErr := w.typed.Decode(payload)
	var two usual
	twoErr := w.values.Decode(payload, &two)
	if (oneErr == nil) != (twoErr == nil) || oneErr != nil && oneErr.Error() != twoErr.Error() {
		tb.Fatalf("%x: %v by plan, %v by values", payload, oneErr, twoErr)
	}
	if oneErr != nil {
		return
	}
	if a, b := java.View(one), java.View(two); !bytes.Equal(a, b) {
		tb.Fatalf("%x:\n%s by plan\n%s by values", payload, a, b)
	}
	first, oneErr := w.typed.Encode(one)
	second, twoErr := w.values.Append(nil, two)
	if !bytes.Equal(first, second) || (oneErr == nil) != (twoErr == nil) || oneErr != nil && oneErr.Error() != twoErr.Error() {
		tb.Fatalf("%x became\n%x, %v by plan\n%x, %v by values", payload, first, oneErr, second, twoErr)
	}
}

// TestTwoWays: the way without values gives what the other gives, for what Java
// wrote and for that with some bytes changed.
func TestTwoWays(t *testing.T) {
	schema, rows := rows(t, "4.7.0.tsv")
	all := newWays(t, schema)
	few := newWays(t, schema, avro.Limits(codecs.Limits{Elements: 60, Depth: 4, StringBytes: 12}))
	random := rand.New(rand.NewSource(3))
	for _, r := range rows {
		all.agree(t, r.payload)
		few.agree(t, r.payload)
		for range codectest.Count(8, 40) {
			payload := bytes.Clone(r.payload)
			for range 1 + random.Intn(3) {
				payload[random.Intn(len(payload))] = byte(random.Intn(256))
			}
			all.agree(t, payload)
			few.agree(t, payload)
		}
	}
	all.agree(t, nil)
}

// FuzzTyped is TestTwoWays on bytes of the fuzzer.
func FuzzTyped(f *testing.F) {
	schema, rows := rows(f, "4.7.0.tsv")
	for _, r := range rows {
		f.Add(r.payload)
	}
	w := newWays(f, schema, avro.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64}))
	f.Fuzz(func(t *testing.T, payload []byte) { w.agree(t, payload) })
}
