package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	fxcbor "github.com/fxamacker/cbor/v2"
	vmsgpack "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// bareOrder is the order as a library takes it that knows nothing of Java: the
// wrappers that name classes are lists of two there.
type bareOrder struct {
	Class       string `json:"@class" msgpack:"@class" cbor:"@class"`
	AmountCents int64  `json:"amountCents" msgpack:"amountCents" cbor:"amountCents"`
	CreatedAt   []any  `json:"createdAt" msgpack:"createdAt" cbor:"createdAt"`
	Customer    string `json:"customer" msgpack:"customer" cbor:"customer"`
	Discount    *int32 `json:"discount" msgpack:"discount" cbor:"discount"`
	OrderID     string `json:"orderId" msgpack:"orderId" cbor:"orderId"`
	Paid        bool   `json:"paid" msgpack:"paid" cbor:"paid"`
	Quantity    int32  `json:"quantity" msgpack:"quantity" cbor:"quantity"`
	Remark      string `json:"remark" msgpack:"remark" cbor:"remark"`
	Tags        []any  `json:"tags" msgpack:"tags" cbor:"tags"`
	Total       []any  `json:"total" msgpack:"total" cbor:"total"`
}

// library is one without Java's classes, on the documents of a codec.
type library struct {
	name      string
	unmarshal func([]byte, any) error
	marshal   func(any) ([]byte, error)
}

// member is a codec of Jackson's family in the benchmark.
type member struct {
	name, dir string // the codec's name, its directory in codecs
	codec     codecs.Codec
	bare      *library // nil: there is none that is fit for use
}

func family() []member {
	return []member{
		{"jsonjackson", "jackson", jackson.JsonJackson(), &library{"encoding/json", json.Unmarshal, json.Marshal}},
		{"msgpackjackson", "msgpack", msgpack.Jackson(), &library{"msgpack/v5", vmsgpack.Unmarshal, vmsgpack.Marshal}},
		{"cborjackson", "cbor", cbor.Jackson(), &library{"fxamacker/cbor", fxcbor.Unmarshal, fxcbor.Marshal}},
		{"smilejackson", "smile", smile.Jackson(), nil},
	}
}

// addFamily adds the codecs of Jackson's family and the bare libraries.
func addFamily(b *rowBuilder) {
	for _, m := range family() {
		addCodec[order](b, m.codec, m.name, m.dir, "order", 0)
		addCodec[map[string]any](b, m.codec, m.name, m.dir, "map", 0)
		addCodec[[]string](b, m.codec, m.name, m.dir, "strings100", 0)
		addCodec[map[string]any](b, m.codec, m.name, m.dir, "nested5", 0)
		if m.bare != nil {
			addBare[bareOrder](b, m, "order")
			addBare[map[string]any](b, m, "map")
			addBare[[]any](b, m, "strings100")
			addBare[map[string]any](b, m, "nested5")
		}
	}
}

// addBare adds a library on the very document that the codec has.
func addBare[T any](b *rowBuilder, m member, payload string) {
	if b.err != nil {
		return
	}
	raw, err := payloadOf(m.dir, payload)
	if err != nil {
		b.err = err
		return
	}
	var value T
	if err := m.bare.unmarshal(raw, &value); err != nil {
		b.err = fmt.Errorf("%s on %s %s: %w", m.bare.name, m.name, payload, err)
		return
	}
	b.add(row{what: "bare " + m.name + " " + payload + " decode", bytes: len(raw), op: func() error {
		var v T
		return m.bare.unmarshal(raw, &v)
	}})
	b.add(row{what: "bare " + m.name + " " + payload + " encode", bytes: len(raw), op: func() error {
		_, err := m.bare.marshal(value)
		return err
	}})
}

// payloadOf is a payload as Java wrote it.
func payloadOf(dir, payload string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(here(), "..", "..", "codecs", dir, "testdata", "bench", payload+".hex"))
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(strings.TrimSpace(string(text)))
}

// familyGoals are those of the codecs of Jackson's family.
func familyGoals() []goal {
	out := []goal{
		{"JSON bean: decode not slower than encoding/json on the same document", "go jsonjackson order decode", "go bare jsonjackson order decode", 1},
		{"JSON bean: decode ≤ 1.5 × Jackson on the JVM", "go jsonjackson order decode", "jvm jsonjackson order decode", 1.5},
	}
	for _, m := range family() {
		if m.bare == nil {
			continue
		}
		for _, op := range []string{"decode", "encode"} {
			out = append(out, goal{
				fmt.Sprintf("%s bean: %s ≤ 1.5 × %s", m.name, op, m.bare.name),
				"go " + m.name + " order " + op, "go bare " + m.name + " order " + op, 1.5,
			})
		}
	}
	return out
}
