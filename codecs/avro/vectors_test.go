package avro_test

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// Status, Item, Node and Order are the classes of integration/java/src/vectors/avro/AvroRows.java.
type Status string

type Item struct {
	SKU   *string
	N     int32
	Price *java.BigDecimal
}

type Node struct {
	Name *string
	Next *Node
}

type Order struct {
	ID         *string
	Count      int32
	BoxedCount *int32
	Cents      int64
	BoxedCents *int64
	Rate       float64
	BoxedRate  *float64
	Ratio      float32
	BoxedRatio *float32
	S          int16
	B          int8
	C          java.Char
	OK         bool
	BoxedOk    *bool
	Total      *java.BigDecimal
	Big        *big.Int
	Created    *time.Time
	UUID       *java.UUID
	Status     *Status
	Blob       []byte
	Tags       []string
	Counts     map[string]int64
	Item       *Item
	Items      []Item
	ByName     map[string]Item
	Node       *Node
	Ints       []int32
	States     []Status
	Groups     map[string][]string
}

type row struct {
	name    string
	payload []byte
}

// rows returns the schema and the payloads of a file.
func rows(tb testing.TB, file string) (schema string, out []row) {
	tb.Helper()
	for _, f := range codectest.Rows(tb, "testdata/"+file) {
		if f[0] == "schema" {
			schema = f[1]
			continue
		}
		out = append(out, row{f[0], codectest.FromHex(tb, f[1])})
	}
	if schema == "" || len(out) < 60 {
		tb.Fatalf("%s: schema %q, %d rows", file, schema, len(out))
	}
	return schema, out
}

var files = []struct {
	file string
	make func(schema string, opts ...avro.Option) codecs.Codec
}{
	{"4.7.0.tsv", avro.Jackson},
	{"jackson3-4.7.0.tsv", avro.Jackson3},
}

// TestVectors: what Java wrote decodes, by values and into a struct, and encodes to
// the same bytes.
func TestVectors(t *testing.T) {
	for _, f := range files {
		t.Run(f.file, func(t *testing.T) {
			schema, rows := rows(t, f.file)
			codec := f.make(schema)
			orders := codectest.Typed[Order](t, codec)
			for _, r := range rows {
				value, err := codec.Decode(r.payload)
				if err != nil {
					t.Errorf("%s: %v", r.name, err)
					continue
				}
				if again, err := codec.Encode(value); err != nil || !bytes.Equal(again, r.payload) {
					t.Errorf("%s: %x became %x, %v", r.name, r.payload, again, err)
				}
				order, err := orders.Decode(r.payload)
				if err != nil {
					t.Errorf("%s into a struct: %v", r.name, err)
					continue
				}
				if again, err := orders.Encode(order); err != nil || !bytes.Equal(again, r.payload) {
					t.Errorf("%s from a struct: %x became %x, %v", r.name, r.payload, again, err)
				}
			}
		})
	}
}

// back decodes a payload, encodes the value and decodes that: both come to the same.
func back(tb testing.TB, typed codecs.Typed[Order], payload []byte) {
	tb.Helper()
	v, err := typed.Decode(payload)
	if err != nil {
		codectest.Refused(tb, typed.Codec(), payload, err)
		return
	}
	out, err := typed.Encode(v)
	var e *codecs.EncodeError
	if err != nil {
		if !errors.As(err, &e) {
			tb.Fatalf("%x: untyped error %v", payload, err)
		}
		return
	}
	again, err := typed.Decode(out)
	if err != nil || !bytes.Equal(view.Of(again), view.Of(v)) {
		tb.Fatalf("%x became\n%s, then\n%s, %v", payload, view.Of(v), view.Of(again), err)
	}
}

// TestChanged decodes what Java wrote, and that with some bytes changed.
func TestChanged(t *testing.T) {
	schema, rows := rows(t, "4.7.0.tsv")
	all := codectest.Typed[Order](t, avro.Jackson(schema))
	few := codectest.Typed[Order](t, avro.Jackson(schema, avro.Limits(codecs.Limits{Elements: 60, Depth: 4, StringBytes: 12})))
	random := rand.New(rand.NewSource(3))
	for _, r := range rows {
		back(t, all, r.payload)
		back(t, few, r.payload)
		for range codectest.Count(8, 40) {
			payload := bytes.Clone(r.payload)
			for range 1 + random.Intn(3) {
				payload[random.Intn(len(payload))] = byte(random.Intn(256))
			}
			back(t, all, payload)
			back(t, few, payload)
		}
	}
	back(t, all, nil)
}

// FuzzTyped is TestChanged on bytes of the fuzzer, in memory that their size bounds.
func FuzzTyped(f *testing.F) {
	schema, rows := rows(f, "4.7.0.tsv")
	for _, r := range rows {
		f.Add(r.payload)
	}
	typed := codectest.Typed[Order](f, avro.Jackson(schema, avro.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = typed.Decode(payload) })
		back(t, typed, payload)
	})
}
