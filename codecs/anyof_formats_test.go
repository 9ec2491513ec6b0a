package codecs_test

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// TestAnyOfFormats: a queue that moved between any two of these formats is read
// whole, because bytes behind a value, which Jackson 2 does not look at, tell that it
// is another codec's.
func TestAnyOfFormats(t *testing.T) {
	t.Parallel()
	value := &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "orderId", Value: "4711"}, {Key: "count", Value: int32(3)}}}
	for _, list := range [][]codecs.Codec{
		{jackson.JsonJackson(), kryo5.New()},
		{msgpack.Jackson(), kryo5.New()},
		{cbor.Jackson(), kryo5.New()},
		{smile.Jackson(), jackson.JsonJackson(), msgpack.Jackson(), cbor.Jackson()},
		{compress.LZ4(kryo5.New()), kryo5.New()},
		{compress.ZStd(msgpack.Jackson()), compress.Snappy(cbor.Jackson()), compress.SnappyV2(cbor.Jackson()), msgpack.Jackson()},
	} {
		either := codecs.AnyOf(list[0], list[1:]...)
		maps, err := codecs.For[map[string]any](either, codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			payload, err := c.Encode(value)
			if err != nil {
				t.Fatal(err)
			}
			v, by, err := either.DecodeBy(payload)
			if err != nil || by.Name() != c.Name() || java.ClassOf(v) != value.Class {
				t.Errorf("%s: %s read by %v as %v, %v", either.Name(), c.Name(), by, v, err)
			}
			m, err := maps.Decode(payload)
			if err != nil || m["orderId"] != "4711" || m["count"] != int32(3) {
				t.Errorf("%s: %s bound: %v, %v", either.Name(), c.Name(), m, err)
			}
		}
	}
}

// TestAnyOfFormatsAmbiguous: what two codecs read alike is their value; what they
// read in two ways is an error with both, or the first one's by option.
func TestAnyOfFormatsAmbiguous(t *testing.T) {
	t.Parallel()
	same := codecs.AnyOf(jackson.JsonJackson(), jackson.TypedJsonJackson())
	if v, by, err := same.DecodeBy([]byte(`"text"`)); err != nil || v != "text" || by.Name() != "jsonjackson" {
		t.Errorf("%v, %v, %v", v, by, err)
	}
	two := codecs.AnyOf(cbor.Jackson(), msgpack.Jackson())
	_, err := two.Decode([]byte{0x20})
	var e *codecs.AmbiguousError
	if !errors.As(err, &e) || len(e.Readings) != 2 || e.Readings[0].Value != int32(-1) || e.Readings[1].Value != int32(32) {
		t.Errorf("%v", err)
	}
	if v, by, err := two.PreferFirst().DecodeBy([]byte{0x20}); err != nil || v != int32(-1) || by.Name() != "cborjackson" {
		t.Errorf("%v, %v, %v", v, by, err)
	}
	// Alone, the codec reads what Java reads.
	if v, err := cbor.Jackson().Decode([]byte{0x20, 0x22}); err != nil || v != int32(-1) {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := codecs.AnyOf(cbor.Jackson(), kryo5.New()).Decode([]byte{0x20, 0x22}); err == nil {
		t.Errorf("%v", v)
	}
}
