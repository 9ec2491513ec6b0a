package catalog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// reference is one RedissonReference that Java put into a queue.
type reference struct {
	codec, releases string
	payload         []byte
	want            java.RedissonReference
}

func references(t *testing.T) []reference {
	t.Helper()
	defaults := map[string]string{"3.8.1": "JsonJacksonCodec", "3.12.5": "FstCodec", "3.18.1": "MarshallingCodec"}
	var out []reference
	for _, f := range codectest.Rows(t, "testdata/references.tsv") {
		r := reference{codec: f[0], releases: f[1], want: java.RedissonReference{KeyName: "orders"}}
		r.payload = codectest.FromHex(t, f[3])
		first, _, _ := strings.Cut(r.releases, ",")
		switch codec := defaults[first]; {
		case f[2] != "map":
			r.want.Codec = "org.redisson.client.codec.LongCodec"
		case codec == "":
			r.want.Codec = "org.redisson.codec.Kryo5Codec"
		default:
			r.want.Codec = "org.redisson.codec." + codec
		}
		r.want.Type = "org.redisson.api.RMap"
		if first == "3.8.1" {
			r.want.Type = "org.redisson.RedissonMap"
		}
		out = append(out, r)
	}
	return out
}

type shipment struct {
	OrderID string `java:"orderId"`
}

func (shipment) JavaClass() string { return "demo.Shipment serial 1" }

// typeless are the codecs whose payloads name no class: what they hold is read into
// whatever type is declared.
var typeless = map[string]bool{
	"typedjsonjackson": true, "typedjsonjackson3": true, "cborjackson3": true, "smilejackson3": true,
}

// TestReferences: what Java writes for a Redisson object is recognised by values in
// each codec, binds to its type, and to nothing else; and Java's bytes come back.
func TestReferences(t *testing.T) {
	t.Parallel()
	for _, r := range references(t) {
		if r.codec == "protobuf" { // in the runtime format of protostuff, which is refused
			continue
		}
		name := r.codec + " of " + r.releases
		c := codectest.Must(catalog.Find(r.codec))(t)
		v, err := c.Decode(r.payload)
		got, ok := java.ReferenceOf(v)
		if err != nil || !ok || got != r.want {
			t.Errorf("%s: %v, %v, %v; want %v", name, v, got, err, r.want)
		}
		if again, err := c.Encode(v); r.codec != "fst" && (err != nil || !bytes.Equal(again, r.payload)) {
			t.Errorf("%s: encoded as %x, %v", name, again, err)
		}
		typed, err := codecs.For[java.RedissonReference](c, codecs.BindOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := typed.Decode(r.payload); err != nil || got != r.want {
			t.Errorf("%s: bound %v, %v", name, got, err)
		}
		if again, err := typed.Encode(r.want); r.codec != "fst" && !strings.HasSuffix(r.codec, "3") && (err != nil || !bytes.Equal(again, r.payload)) {
			t.Errorf("%s: encoded as %x, %v; Java %x", name, again, err, r.payload)
		}
		if !typeless[r.codec] {
			refusesReference[shipment](t, name, c, r.payload)
			refusesReference[struct{ KeyName string }](t, name, c, r.payload)
			refusesReference[string](t, name, c, r.payload)
		}
		if maps, err := codecs.For[map[string]any](c, codecs.BindOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if m, err := maps.Decode(r.payload); r.codec != "kryo5" { // takes no beans into maps
			if got, ok := java.ReferenceOf(m); err != nil || !ok || got != r.want {
				t.Errorf("%s into a map: %v, %v", name, m, err)
			}
		}
	}
}

// refusesReference: the error says what it is and what to do.
func refusesReference[T any](t *testing.T, name string, c codecs.Codec, payload []byte) {
	t.Helper()
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		t.Errorf("%s into %T: %v", name, *new(T), err)
		return
	}
	got, err := typed.Decode(payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != java.ReferenceClass || !strings.Contains(e.Error(), `Map "orders" (`) || !strings.Contains(e.Error(), "declare the queue with java.RedissonReference") {
		t.Errorf("%s into %T: %v, %v", name, *new(T), got, err)
	}
}
