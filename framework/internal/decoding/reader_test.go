package decoding

import (
	"encoding/hex"
	"strings"
	"sync"
	"testing"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

// customers is what a Java program wrote with Kryo 5, see testdata of cmd/duequeue.
const customers = "01006a6176612e7574696c2e41727261794c6973f403010164656d6f2e437573746f6d65f20000010e0000416eee808000010264656d6f2e5669f0000009100000426fe28080036c6f756e67e50001010000010e0000416eee808000"

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGuess(t *testing.T) {
	t.Parallel()
	r, err := New(Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Read([]byte(`{"@class":"com.demo.Order","orderId":["java.lang.Long",4711]}`))
	if p.Err != nil || p.Guess == nil || p.Guess.Taken.Codec != "jsonjackson" {
		t.Fatalf("%+v", p)
	}
	if got := payload.Tree(p.Value, payload.FieldsOf("orderId"), payload.Bounds{}).Summary(); got != "Order orderId=4711" {
		t.Error(got)
	}
	if same, err := p.Again(); !same || err != nil {
		t.Errorf("encoding again: %v %v", same, err)
	}
	p = r.Read(unhex(t, customers))
	if p.Err == nil || p.NeedsClasses() != "demo.Customer" {
		t.Errorf("%+v needs %q", p, p.NeedsClasses())
	}
	if p = r.Read([]byte{0xff, 0xfe, 0x00}); p.Guess == nil || p.Guess.Taken.Confidence > sniff.Weak {
		t.Errorf("%+v", p)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]Settings{
		"unknown":  {Codec: "smilejakson"},
		"option":   {Codec: "string", Options: catalog.Options{References: true}},
		"since":    {Options: catalog.Options{Since: "soon"}},
		"schema":   {Options: catalog.Options{Schema: "{"}},
		"unserved": {Codec: "KryoCodec"},
	} {
		if _, err := New(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if r, err := New(Settings{Codec: "org.redisson.codec.LZ4Codec(JsonJacksonCodec)"}); err != nil || r.Codec() != "lz4(jsonjackson)" {
		t.Errorf("%v", err)
	}
	if r, err := New(Settings{Options: catalog.Options{References: true}}); err != nil || r.Codec() != "kryo5" {
		t.Errorf("%v", err)
	}
}

// Hostile payloads end as errors or as bounded trees, whichever codec is meant, also where
// several are read at once.
func TestHostile(t *testing.T) {
	t.Parallel()
	deep := &java.List{Class: java.ClassArrayList, Elements: []any{"x"}}
	for range 500 {
		deep = &java.List{Class: java.ClassArrayList, Elements: []any{deep}}
	}
	nested, err := kryo5.New().Encode(deep)
	if err != nil {
		t.Fatal(err)
	}
	bodies := [][]byte{
		nested, []byte(strings.Repeat("[", 1<<20)), []byte(strings.Repeat(`{"a":`, 1<<17)), make([]byte, 1<<20),
		[]byte("\"\u202e<script>alert(1)</script>\x1b[31m\""), unhex(t, customers),
		{},
		[]byte(strings.Repeat("\xff", 1000)),
	}
	var all sync.WaitGroup
	for _, name := range append(catalog.Names(), "") {
		r, err := New(Settings{Codec: name})
		if err != nil {
			continue // needs a schema
		}
		for _, body := range bodies {
			all.Go(func() {
				p := r.Read(body)
				n := payload.Tree(p.Value, payload.Everything, payload.Bounds{})
				if text := n.Summary(); len(text) > 200 || strings.ContainsAny(text, "\x1b\n\u202e") {
					t.Errorf("%s: %q", name, text)
				}
			})
		}
	}
	all.Wait()
}
