package avro_test

import (
	"bytes"
	"errors"
	"math/rand"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// usual is part of Order.
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

// back decodes a payload, encodes the value and decodes that: both come to the same.
func back(tb testing.TB, typed codecs.Typed[usual], payload []byte) {
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
	if err != nil || !bytes.Equal(java.View(again), java.View(v)) {
		tb.Fatalf("%x became\n%s, then\n%s, %v", payload, java.View(v), java.View(again), err)
	}
}

func usualOf(tb testing.TB, schema string, opts ...avro.Option) codecs.Typed[usual] {
	tb.Helper()
	typed, err := codecs.For[usual](avro.Jackson(schema, opts...), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return typed
}

// TestChanged decodes what Java wrote, and that with some bytes changed.
func TestChanged(t *testing.T) {
	schema, rows := rows(t, "4.7.0.tsv")
	all := usualOf(t, schema)
	few := usualOf(t, schema, avro.Limits(codecs.Limits{Elements: 60, Depth: 4, StringBytes: 12}))
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
	typed := usualOf(f, schema, avro.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = typed.Decode(payload) })
		back(t, typed, payload)
	})
}
