package sniff_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/sniff"
)

// A payload of another codec is named beside the declared one; one of
// the declared codec is none of the type.
func TestExplain(t *testing.T) {
	t.Parallel()
	order := &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "orderId", Value: "4711"}}}
	for _, c := range []struct {
		wrote    codecs.Codec
		declared string
		want     []string
	}{
		{kryo5.New(), "jsonjackson", []string{"kryo5 (strong: ", "java.util.HashMap", ", queue is declared jsonjackson"}},
		{jackson.JsonJackson(), "kryo5", []string{"jsonjackson (strong: ", ", queue is declared kryo5"}},
		{compress.ZStd(kryo5.New()), "kryo5", []string{"zstd(kryo5) (certain: ", "inside: ", ", queue is declared kryo5"}},
		{compress.LZ4(kryo5.New()), "lz4(jsonjackson)", []string{"lz4(kryo5) (strong: ", ", queue is declared lz4(jsonjackson)"}},
		{compress.LZ4(kryo5.New()), "lz4v2(kryo5)", []string{"lz4(kryo5) (", "as queue is declared"}},
		{marshalling.New(), "anyof(lz4(kryo5),marshalling)", []string{"marshalling (", "as queue is declared: the value is none of its type"}},
		{kryo5.New(), "anyof(lz4(kryo5),marshalling)", []string{"kryo5 (strong", "queue is declared anyof(lz4(kryo5),marshalling)"}},
		{jackson.JsonJackson(), "jsonjackson", []string{"jsonjackson (", "as queue is declared", "; duequeue javadesc -check"}},
		{kryo5.New(), "kryo5", []string{"kryo5 (", "as queue is declared: the value is none of its type; duequeue javadesc -check compares the Go type with the Java class"}},
		{compress.LZ4(kryo5.New()), "lz4(kryo5)", []string{"as queue is declared: the value is none of its type; duequeue javadesc -check"}},
		{jackson.JSON(), "kryo5", []string{"json (fair: a JSON object without class names", "jackson.JSON() in Go), queue is declared kryo5"}},
		{jackson.JSON(), "jsonjackson", []string{"json (fair: ", "StringCodec", "jackson.JSON() in Go), queue is declared jsonjackson"}},
		{compress.LZ4(kryo5.New()), "lz4v2(anyof(marshalling,kryo5))", []string{"lz4(kryo5) (", "as queue is declared"}},
		{compress.Snappy(kryo5.New()), "snappyv2(anyof(marshalling,kryo5))", []string{"snappy(kryo5) (strong", ", queue is declared snappyv2("}},
		{jackson.TypedJsonJackson3(), "typedjsonjackson3", []string{"typedjsonjackson3 (", "as queue is declared"}},
	} {
		payload := codectest.Must(c.wrote.Encode(order))(t)
		got := sniff.Explain(payload, c.declared)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s declared %s: %s; want %q", c.wrote.Name(), c.declared, got, want)
			}
		}
	}
}
