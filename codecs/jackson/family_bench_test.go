package jackson_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cborlib "github.com/fxamacker/cbor/v2"
	msgpacklib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
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

// sameOrder is the same document, byte for byte, as libraries take it: wrapper arrays
// are arrays, with the cheapest types for what they hold that a library has.
type sameOrder[Date, Total, Tags any] struct {
	Class       string `json:"@class" cbor:"@class" msgpack:"@class"`
	AmountCents int64  `json:"amountCents" cbor:"amountCents" msgpack:"amountCents"`
	CreatedAt   Date   `json:"createdAt" cbor:"createdAt" msgpack:"createdAt"`
	Customer    string `json:"customer" cbor:"customer" msgpack:"customer"`
	Discount    *int32 `json:"discount" cbor:"discount" msgpack:"discount"`
	OrderID     string `json:"orderId" cbor:"orderId" msgpack:"orderId"`
	Paid        bool   `json:"paid" cbor:"paid" msgpack:"paid"`
	Quantity    int32  `json:"quantity" cbor:"quantity" msgpack:"quantity"`
	Remark      string `json:"remark" cbor:"remark" msgpack:"remark"`
	Tags        Tags   `json:"tags" cbor:"tags" msgpack:"tags"`
	Total       Total  `json:"total" cbor:"total" msgpack:"total"`
}

// wrapped is a wrapper array for the libraries that take a struct for an array.
type wrapped[T any] struct {
	_     struct{} `cbor:",toarray"`
	Class string
	Value T
}

// EncodeMsgpack and DecodeMsgpack are what the option as_array does.
func (w *wrapped[T]) EncodeMsgpack(e *msgpacklib.Encoder) error {
	if err := e.EncodeArrayLen(2); err != nil {
		return err
	}
	return e.EncodeMulti(w.Class, w.Value)
}

// DecodeMsgpack reads the two elements.
func (w *wrapped[T]) DecodeMsgpack(d *msgpacklib.Decoder) error {
	if _, err := d.DecodeArrayLen(); err != nil {
		return err
	}
	return d.DecodeMulti(&w.Class, &w.Value)
}

type (
	jsonOrder    = sameOrder[[2]any, [2]any, [2]any]
	cborOrder    = sameOrder[wrapped[int64], wrapped[cborlib.RawTag], wrapped[[]string]]
	msgpackOrder = sameOrder[wrapped[int64], wrapped[float64], wrapped[[]string]]
)

// plainOrder is the same bean without classes, as a service would declare it for a
// library: a document of two thirds the size.
type plainOrder struct {
	OrderID     string   `json:"orderId" msgpack:"orderId"`
	Customer    string   `json:"customer" msgpack:"customer"`
	Remark      string   `json:"remark" msgpack:"remark"`
	AmountCents int64    `json:"amountCents" msgpack:"amountCents"`
	Quantity    int32    `json:"quantity" msgpack:"quantity"`
	Discount    *int32   `json:"discount" msgpack:"discount"`
	Paid        bool     `json:"paid" msgpack:"paid"`
	CreatedAt   int64    `json:"createdAt" msgpack:"createdAt"`
	Total       float64  `json:"total" msgpack:"total"`
	Tags        []string `json:"tags" msgpack:"tags"`
}

// benchPayload returns what Java wrote.
func benchPayload(tb testing.TB, codec, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", codec, "testdata", "bench", name+".hex"))
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// contender is one way to read and write the bean.
type contender struct {
	name           string
	decode, encode func() error
}

// ours returns a codec of the family on what Java wrote.
func ours(tb testing.TB, c codecs.Codec, payload []byte) contender {
	tb.Helper()
	typed, err := codecs.For[benchOrder](c, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	v, err := typed.Decode(payload)
	if err != nil {
		tb.Fatal(err)
	}
	again, err := typed.Encode(v)
	if err != nil || !bytes.Equal(again, payload) {
		tb.Fatalf("encodes as\n%q\nnot as\n%q: %v", again, payload, err)
	}
	return contender{
		"ours",
		func() error { _, err := typed.Decode(payload); return err },
		func() error { _, err := typed.Encode(v); return err },
	}
}

// library returns a library on a document and the value that it reads from it.
func library[T any](tb testing.TB, name string, payload []byte, unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) contender {
	tb.Helper()
	v := new(T)
	if err := unmarshal(payload, v); err != nil {
		tb.Fatal(err)
	}
	return contender{
		name,
		func() error { return unmarshal(payload, new(T)) },
		func() error { _, err := marshal(v); return err },
	}
}

// plain returns a library on the document without classes that it writes itself.
func plain(tb testing.TB, name string, unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) contender {
	tb.Helper()
	discount := int32(15)
	raw, err := marshal(&plainOrder{
		"A-2024-000123", "张三", "leave at the door", 129900, 3, &discount, true, 1700000000123, 1299, []string{"vip", "express"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return library[plainOrder](tb, name+" without classes", raw, unmarshal, marshal)
}

// race runs all contenders in turns of a few microseconds, so that what else the machine
// does hits all of them, and reports the best turn of each: as ns/op that of the
// first one, for the others how many times their time it took.
func race(b *testing.B, names []string, ops []func() error) {
	b.Helper()
	const turn = 16
	best := make([]time.Duration, len(ops))
	for i := range best {
		best[i] = math.MaxInt64
	}
	for range max(b.N/turn, 8) {
		for i, op := range ops {
			started := time.Now()
			for range turn {
				if err := op(); err != nil {
					b.Fatal(err)
				}
			}
			best[i] = min(best[i], time.Since(started))
		}
	}
	b.ReportMetric(float64(best[0])/turn, "ns/op")
	for i := 1; i < len(ops); i++ {
		b.ReportMetric(float64(best[0])/float64(best[i]), "×"+strings.ReplaceAll(names[i], " ", "-"))
		b.ReportMetric(float64(best[i])/turn, "ns-"+strings.ReplaceAll(names[i], " ", "-"))
	}
}

// BenchmarkFamily reads and writes one bean by every codec of the family, on the bytes
// that Java wrote: beside encoding/json, and beside the library that a format stands on
// with the same document.
func BenchmarkFamily(b *testing.B) {
	plainJSON := plain(b, "json", json.Unmarshal, json.Marshal)
	jsonRaw, cborRaw, msgpackRaw := benchPayload(b, "jackson", "order"), benchPayload(b, "cbor", "order"), benchPayload(b, "msgpack", "order")
	for _, row := range []struct {
		name string
		all  []contender
	}{
		{"jsonjackson", []contender{ours(b, jackson.JsonJackson(), jsonRaw), library[jsonOrder](b, "encoding json", jsonRaw, json.Unmarshal, json.Marshal)}},
		{"cborjackson", []contender{
			ours(b, cbor.Jackson(), cborRaw), library[cborOrder](b, "fxamacker", cborRaw, cborlib.Unmarshal, cborlib.Marshal),
			plain(b, "fxamacker", cborlib.Unmarshal, cborlib.Marshal),
		}},
		{"msgpackjackson", []contender{
			ours(b, msgpack.Jackson(), msgpackRaw), library[msgpackOrder](b, "vmihailenco", msgpackRaw, msgpacklib.Unmarshal, msgpacklib.Marshal),
			plain(b, "vmihailenco", msgpacklib.Unmarshal, msgpacklib.Marshal),
		}},
		{"smilejackson", []contender{ours(b, smile.Jackson(), benchPayload(b, "smile", "order"))}},
		{"ionjackson", []contender{ours(b, ion.Jackson(), benchPayload(b, "ion", "order"))}},
	} {
		var names []string
		var decode, encode []func() error
		for _, c := range append(row.all, plainJSON) {
			names, decode, encode = append(names, c.name), append(decode, c.decode), append(encode, c.encode)
		}
		b.Run(row.name+"/decode", func(b *testing.B) { race(b, names, decode) })
		b.Run(row.name+"/encode", func(b *testing.B) { race(b, names, encode) })
	}
}

// BenchmarkOrder is JSON alone, with its allocations.
func BenchmarkOrder(b *testing.B) {
	c := ours(b, jackson.JsonJackson(), benchPayload(b, "jackson", "order"))
	for name, op := range map[string]func() error{"decode": c.decode, "encode": c.encode} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := op(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The value that the payloads hold is the one of the benchmarks on the JVM.
func TestFamilyOrder(t *testing.T) {
	t.Parallel()
	discount := int32(15)
	want := benchOrder{
		"A-2024-000123", "张三", "leave at the door", 129900, 3, &discount, true, time.UnixMilli(1700000000123).UTC(),
		java.BigDecimal{Unscaled: big.NewInt(129900), Scale: 2},
		[]string{"vip", "express"},
	}
	for name, c := range map[string]codecs.Codec{
		"jackson": jackson.JsonJackson(), "cbor": cbor.Jackson(), "smile": smile.Jackson(), "ion": ion.Jackson(),
	} {
		t.Run(name, func(t *testing.T) {
			typed, err := codecs.For[benchOrder](c, codecs.BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := typed.Decode(benchPayload(t, name, "order"))
			if err != nil {
				t.Fatal(err)
			}
			if got.Total.String() != want.Total.String() || got.OrderID != want.OrderID || got.Customer != want.Customer || got.Remark != want.Remark ||
				got.AmountCents != want.AmountCents || *got.Discount != *want.Discount || !got.CreatedAt.Equal(want.CreatedAt) || len(got.Tags) != 2 {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}
