package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// order is duequeue.bench.Order, ten fields of mixed types.
type order struct {
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

// JavaClass names the class of the benchmarks' program in Java.
func (order) JavaClass() string { return "duequeue.bench.Order serial 1" }

// jsonOrder is the same for encoding/json, with types that are cheap for it: a
// number of milliseconds and a float64.
type jsonOrder struct {
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

// row is one thing that is measured.
type row struct {
	what    string // "kryo5 order decode"
	op      func() error
	bytes   int
	allowed int // allocations: one per string, slice, map or pointer of the result; 0 for none said
}

// Allocations that a decoded payload may take.
const (
	// five strings, a slice, a pointer, and a BigDecimal's number with its digits
	orderAllocs = 9
	// the map, two keys, two texts and the two interfaces that hold them
	mapAllocs = 7
	// the slice and its strings
	stringsAllocs = 101
	// on each of five levels a map, its keys and the interfaces that hold values
	nestedAllocs = 5*(1+3+2+1) - 1
)

func goRows() ([]row, error) {
	var b rowBuilder
	addCodec[order](&b, kryo5.New(), "kryo5", "kryo5", "order", orderAllocs)
	addCodec[map[string]any](&b, kryo5.New(), "kryo5", "kryo5", "map", mapAllocs)
	addCodec[[]string](&b, kryo5.New(), "kryo5", "kryo5", "strings100", stringsAllocs)
	addCodec[map[string]any](&b, kryo5.New(), "kryo5", "kryo5", "nested5", nestedAllocs)
	addCodec[order](&b, marshalling.New(), "marshalling", "marshalling", "order", 0)
	addCodec[order](&b, serialization.New(), "serialization", "serialization", "order", 0)
	addCodec[order](&b, fst.New(), "fst", "fst", "order", 0)
	addJSON[jsonOrder](&b, "order", func(v order) any {
		return jsonOrder{
			v.OrderID, v.Customer, v.Remark, v.AmountCents, v.Quantity, v.Discount, v.Paid, v.CreatedAt.UnixMilli(), 1299.00, v.Tags,
		}
	})
	addJSON[map[string]any](&b, "map", func(v map[string]any) any { return v })
	addJSON[[]string](&b, "strings100", func(v []string) any { return v })
	addJSON[map[string]any](&b, "nested5", func(v map[string]any) any { return v })
	addFamily(&b)
	return b.rows, b.err
}

type rowBuilder struct {
	rows []row
	err  error
}

func (b *rowBuilder) add(r row) { b.rows = append(b.rows, r) }

// addCodec adds decode and encode of one payload, after checking that what is
// encoded are the payload's very bytes.
func addCodec[T any](b *rowBuilder, codec codecs.Codec, name, dir, payload string, allowed int) {
	if b.err != nil {
		return
	}
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	if err != nil {
		b.err = err
		return
	}
	raw, value, err := load(typed, dir, payload)
	if err != nil {
		b.err = fmt.Errorf("%s %s: %w", name, payload, err)
		return
	}
	b.add(row{what: name + " " + payload + " decode", bytes: len(raw), allowed: allowed, op: func() error {
		_, fault := typed.Decode(raw)
		return fault
	}})
	if name == "fst" { // it only reads
		return
	}
	again, err := typed.Encode(value)
	if err == nil && string(again) != string(raw) {
		err = fmt.Errorf("encodes as\n%x, not as\n%x", again, raw)
	}
	if err != nil {
		b.err = fmt.Errorf("%s %s: %w", name, payload, err)
		return
	}
	b.add(row{what: name + " " + payload + " encode", bytes: len(raw), op: func() error {
		_, err := typed.Encode(value)
		return err
	}})
}

// load reads a payload as Java wrote it.
func load[T any](typed codecs.Typed[T], dir, payload string) (raw []byte, value T, err error) {
	if raw, err = payloadOf(dir, payload); err != nil {
		return nil, value, err
	}
	value, err = typed.Decode(raw)
	return raw, value, err
}

// addJSON adds encoding/json on the value that the Kryo payload carries.
func addJSON[J, T any](b *rowBuilder, payload string, convert func(T) any) {
	if b.err != nil {
		return
	}
	typed, err := codecs.For[T](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		b.err = err
		return
	}
	_, value, err := load(typed, "kryo5", payload)
	if err != nil {
		b.err = err
		return
	}
	source := convert(value)
	raw, err := json.Marshal(source)
	if err != nil {
		b.err = err
		return
	}
	var check J
	if b.err = json.Unmarshal(raw, &check); b.err != nil || reflect.ValueOf(check).IsZero() {
		return
	}
	b.add(row{what: "json " + payload + " decode", bytes: len(raw), op: func() error {
		var v J
		return json.Unmarshal(raw, &v)
	}})
	b.add(row{what: "json " + payload + " encode", bytes: len(raw), op: func() error {
		_, err := json.Marshal(source)
		return err
	}})
}
