package smile

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// benchTape returns a payload of testdata/bench, and its tape.
func benchTape(tb testing.TB, name string) ([]byte, *token.Tape) {
	tb.Helper()
	text, err := os.ReadFile("testdata/bench/" + name + ".hex")
	if err != nil {
		tb.Fatal(err)
	}
	payload, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		tb.Fatal(err)
	}
	tape, err := tokenize(payload, codecs.Limits{}, jackson2)
	if err != nil {
		tb.Fatal(err)
	}
	return payload, tape
}

var benchNames = []string{"order", "map", "nested5", "strings100"}

// TestAllocations: tokens and what is written of them take no memory of their own, but
// for numbers of any size.
func TestAllocations(t *testing.T) {
	const pooled = 4 // the reader and its tables, which the race detector throws away at random
	limits := codecs.Limits{}.WithDefaults()
	read := tokenizer(Name)
	g := newGenerator(flagNames|flagValues, false)
	for name, numbers := range map[string]float64{"order": 3, "map": 0, "nested5": 0, "strings100": 0} {
		payload, tape := benchTape(t, name)
		var b token.Builder
		if n := testing.AllocsPerRun(20, func() {
			if err := read(&b, tape, payload, limits, jackson2); err != nil {
				t.Error(err)
			}
		}); n > numbers+pooled {
			t.Errorf("%s: reading takes %.0f allocations, more than %.0f", name, n, numbers+pooled)
		}
		texts := textsOf(tape)
		var dst []byte
		if n := testing.AllocsPerRun(20, func() { dst = writeTexts(t, g, dst[:0], texts) }); n > 0 {
			t.Errorf("%s: writing takes %.0f allocations", name, n)
		}
	}
}

var threeBytes = []byte{1, 2, 3}

func textsOf(t *token.Tape) []string {
	var texts []string
	for i := range t.Tokens {
		if k := &t.Tokens[i]; k.Kind == token.Key || k.Kind == token.String {
			texts = append(texts, string(t.Text(k)))
		}
	}
	return texts
}

// writeTexts writes each text as a member and as its value.
func writeTexts(tb testing.TB, g token.Generator, dst []byte, texts []string) []byte {
	g.Begin(dst)
	err := g.Object("com.acme.Order", len(texts))
	for _, s := range texts {
		if err == nil {
			err = g.Key(s)
		}
		if err == nil {
			err = g.String(s)
		}
		g.Int(1 << 40)
		g.Float64(0.5)
		g.Float32(-1)
		g.Bytes(threeBytes)
		if err == nil {
			err = g.IntKey(1 << 40)
		}
	}
	g.EndObject()
	if err != nil {
		tb.Error(err)
	}
	return g.End()
}

// BenchmarkTokenize reads payloads of Java onto the tape.
func BenchmarkTokenize(b *testing.B) {
	limits := codecs.Limits{}.WithDefaults()
	read := tokenizer(Name)
	for _, name := range benchNames {
		payload, tape := benchTape(b, name)
		b.Run(name, func(b *testing.B) {
			var builder token.Builder
			b.ReportAllocs()
			b.SetBytes(int64(len(payload)))
			for b.Loop() {
				if err := read(&builder, tape, payload, limits, jackson2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// order is a bean like those of testdata/bench, which encoding/json is measured with.
type order struct {
	ID       int64    `java:"id,long" json:"id"`
	Customer string   `java:"customer" json:"customer"`
	Remark   string   `java:"remark" json:"remark"`
	Paid     bool     `java:"paid" json:"paid"`
	Price    float64  `java:"price" json:"price"`
	Quantity int32    `java:"quantity" json:"quantity"`
	Tags     []string `java:"tags" json:"tags"`
}

func (order) JavaClass() string { return "com.acme.Order" }

var sampleOrder = order{
	ID: 1 << 40, Customer: "Müller & Söhne", Remark: "leave it at the door, please", Paid: true, Price: 12.5, Quantity: 3,
	Tags: []string{"new", "heavy", "fragile"},
}

// BenchmarkBean compares with encoding/json, which names no class, on the same bean.
func BenchmarkBean(b *testing.B) {
	smile, err := codecs.For[order](Jackson(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	payload, err := smile.Encode(sampleOrder)
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(sampleOrder)
	if err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"decode smile": func() error { _, err := smile.Decode(payload); return err },
		"decode json":  func() error { var o order; return json.Unmarshal(text, &o) },
		"encode smile": func() error { _, err := smile.Encode(sampleOrder); return err },
		"encode json":  func() error { _, err := json.Marshal(sampleOrder); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
