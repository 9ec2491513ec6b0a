package marshalling

import (
	"bytes"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

var update = flag.Bool("update", false, "write testdata/go.tsv, which Java must then read: see testdata/README.md")

// looseItem is the item without a serialVersionUID.
type looseItem struct {
	SKU   string           `java:"sku"`
	Count int32            `java:"count"`
	Price *java.BigDecimal `java:"price"`
}

func (looseItem) JavaClass() string { return "River$Item" }

// fewFields is the order with some of its fields only, without its superclass.
type fewFields struct {
	Paid    bool      `java:"paid"`
	Created time.Time `java:"created"`
}

func (fewFields) JavaClass() string { return "River$Order" }

// TestJavaReads holds what Go writes to testdata/go.tsv. Java reads all of it,
// see testdata/README.md, and finds in each line the value of its own sample.
func TestJavaReads(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	line := func(how, label string, payload []byte, err error) {
		if err != nil {
			t.Fatalf("%s %s: %v", how, label, err)
		}
		fmt.Fprintf(&out, "%s\t%s\t%x\n", how, label, payload)
	}
	for _, v := range vectors(t, "samples.tsv") {
		if v.library != "river4" {
			continue
		}
		value := codectest.Must(New().Decode(v.payload))(t)
		payload, err := New(ShareStrings(Equal)).Encode(value)
		line("equal strings", v.label, payload, err)
		payload, err = New(ShareStrings(Distinct)).Encode(value)
		line("distinct strings", v.label, payload, err)
	}
	writeTyped(t, line, "order", fullOrder())
	writeTyped(t, line, "item", looseItem{SKU: "one", Count: 5, Price: decimal(1990, 2)})
	writeTyped(t, line, "shared", sharedTwo())
	writeTyped(t, line, "ring", ring())
	writeTyped(t, line, "order nulls", fewFields{})
	writeTyped(t, line, "hash set", &java.List{Class: "java.util.HashSet", Elements: []any{int32(1), int32(2), int32(3)}})
	writeTyped(t, line, "map", map[string]any{"id": int64(1), "name": "value", "none": nil, "list": []any{int32(1), int32(2)}})
	writeTyped(t, line, "list of 300", upTo(300))
	codectest.Golden(t, "testdata/go.tsv", out.String(), *update)
}

func upTo(n int32) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func writeTyped[T any](t *testing.T, line func(how, label string, payload []byte, err error), label string, v T) {
	t.Helper()
	for _, way := range []struct {
		how  string
		mode Strings
	}{{"identical strings", Identical}, {"distinct strings", Distinct}, {"equal strings", Equal}} {
		typed := codectest.Typed[T](t, New(ShareStrings(way.mode)))
		payload, err := typed.Encode(v)
		line(fmt.Sprintf("%T with %s", v, way.how), label, payload, err)
	}
}
