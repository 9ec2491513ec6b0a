package codecs_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

func fromHex(tb testing.TB, s string) []byte {
	tb.Helper()
	b := codectest.FromHex(tb, s)
	return b
}

// riverOrFloat is the string "ab" of MarshallingCodec, and a Float of Kryo5Codec.
const riverOrFloat = "043e026162"

func upgraded() *codecs.Alternatives { return codecs.AnyOf(kryo5.New(), marshalling.New()) }

// TestAnyOfBindingResolves: the Go type decides between a River string and a
// Kryo Float of the same bytes; without one nobody can.
func TestAnyOfBindingResolves(t *testing.T) {
	t.Parallel()
	payload := fromHex(t, riverOrFloat)
	text := codectest.Typed[string](t, upgraded())
	number := codectest.Typed[float32](t, upgraded())
	if s, err := text.Decode(payload); err != nil || s != "ab" {
		t.Errorf("%q, %v", s, err)
	}
	if b, err := text.Encode("demo"); err != nil || hex.EncodeToString(b) != "0364656def" {
		t.Errorf("written: %x, %v", b, err)
	}
	f, err := number.Decode(payload)
	if err != nil || f == 0 {
		t.Errorf("%v, %v", f, err)
	}
	values := codectest.Typed[any](t, upgraded())
	_, bound := values.Decode(payload)
	_, plain := upgraded().Decode(payload)
	for _, err := range []error{bound, plain} {
		var e *codecs.DecodeError
		var ambiguous *codecs.AmbiguousError
		if !errors.As(err, &e) || e.Codec != "anyof(kryo5,marshalling)" || !errors.As(err, &ambiguous) {
			t.Fatalf("%v; want an AmbiguousError in a DecodeError", err)
		}
		want := []codecs.Reading{{Codec: "kryo5", Value: f}, {Codec: "marshalling", Value: "ab"}}
		if !reflect.DeepEqual(ambiguous.Readings, want) || !strings.Contains(err.Error(), `marshalling reads a string of 2 bytes`) {
			t.Errorf("%v", err)
		}
	}
}

func TestAnyOfPreferFirst(t *testing.T) {
	t.Parallel()
	payload := fromHex(t, riverOrFloat)
	if v, by, err := upgraded().PreferFirst().DecodeBy(payload); err != nil || by.Name() != "kryo5" || reflect.TypeOf(v).Kind() != reflect.Float32 {
		t.Errorf("%v by %v, %v", v, by, err)
	}
	swapped := codecs.AnyOf(marshalling.New(), kryo5.New()).PreferFirst()
	if v, by, err := swapped.DecodeBy(payload); err != nil || by.Name() != "marshalling" || v != "ab" {
		t.Errorf("%v by %v, %v", v, by, err)
	}
	// The Go type counts before the order.
	typed := codectest.Typed[float32](t, swapped)
	if f, err := typed.Decode(payload); err != nil || f == 0 {
		t.Errorf("%v, %v", f, err)
	}
}

// TestAnyOfEqualReadings: two codecs that read the same are not ambiguous.
func TestAnyOfEqualReadings(t *testing.T) {
	t.Parallel()
	twice := codecs.AnyOf(kryo5.New(), kryo5.New(kryo5.Limits(codecs.Limits{Elements: 10})), fst.New())
	v, by, err := twice.DecodeBy(fromHex(t, "0100"+hex.EncodeToString([]byte("java.util.ArrayLis\xf4"))+"01020304"))
	if err == nil || v == nil {
		t.Errorf("%v by %v, %v: a broken list must be an error, and what was read stands beside it", v, by, err)
	}
	v, by, err = twice.DecodeBy(fromHex(t, "0364656def"))
	if err != nil || v != "demo" || by.Name() != "kryo5" {
		t.Errorf("%v by %v, %v", v, by, err)
	}
}

func TestAnyOfRefuses(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[map[string]any](t, upgraded())
	for name, payload := range map[string][]byte{
		"nothing": {}, "JSON": []byte(`{"a":1}`), "bytes left over": fromHex(t, "010000"), "another type": fromHex(t, "0364656def"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := typed.Decode(payload)
			var e *codecs.DecodeError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), "kryo5") || !strings.Contains(err.Error(), "; marshalling") {
				t.Errorf("%s: %v; want the word of both codecs", name, err)
			}
		})
	}
	var target string
	b := codectest.Must(upgraded().Bind(reflect.TypeFor[int32](), codecs.BindOptions{}))(t)
	if err := b.Decode(fromHex(t, "0202"), &target); err == nil || !strings.Contains(err.Error(), "*string") {
		t.Errorf("a target of another type: %v", err)
	}
}

func TestAnyOfMistakes(t *testing.T) {
	t.Parallel()
	var typedNil *fst.Codec
	for want, c := range map[string]*codecs.Alternatives{
		"codec 2 of the list is nil":     codecs.AnyOf(kryo5.New(), nil),
		"codec 1 of the list is nil":     codecs.AnyOf(typedNil, kryo5.New()),
		"is a list itself":               codecs.AnyOf(kryo5.New(), upgraded()),
		"must be the last":               codecs.AnyOf(codecs.String(), kryo5.New()),
		"every payload would be":         codecs.AnyOf(kryo5.New(), codecs.ByteArray()),
		"bytearray codec accepts any by": codecs.AnyOf(codecs.ByteArray(), kryo5.New()).PreferFirst(),
	} {
		_, bind := codecs.For[string](c, codecs.BindOptions{})
		_, decode := c.Decode([]byte{0})
		_, encode := c.Encode("x")
		var be *codecs.BindError
		var de *codecs.DecodeError
		var ee *codecs.EncodeError
		if !errors.As(bind, &be) || !errors.As(decode, &de) || !errors.As(encode, &ee) || !strings.Contains(bind.Error(), want) {
			t.Errorf("%s: %v; %v; %v; want %q", c.Name(), bind, decode, encode, want)
		}
	}
	_, err := codecs.For[int64](codecs.AnyOf(codecs.Double(), codecs.String()).PreferFirst(), codecs.BindOptions{})
	if err == nil || !strings.Contains(err.Error(), "codec double") || !strings.Contains(err.Error(), "codec string") {
		t.Errorf("types that codecs cannot carry: %v", err)
	}
}

func TestAnyOfSettings(t *testing.T) {
	t.Parallel()
	c := codecs.AnyOf(kryo5.New(kryo5.Limits(codecs.Limits{Bytes: 10, Depth: 7})), fst.New(fst.Limits(codecs.Limits{Bytes: 20, Depth: 5})))
	if l := c.Limits(); l.Bytes != 20 || l.Depth != 7 || l.Elements != codecs.DefaultMaxElements {
		t.Errorf("%+v", l)
	}
	if c.WritesEmpty() || !codecs.AnyOf(kryo5.New(), codecs.String()).PreferFirst().WritesEmpty() {
		t.Error("WritesEmpty is not that of any codec")
	}
	if len(c.Codecs()) != 2 || c.Name() != "anyof(kryo5,fst)" || codecs.AnyOf(kryo5.New()).Name() != "anyof(kryo5)" {
		t.Error(c.Name())
	}
}

type shipment struct {
	ID    string `java:"id"`
	Boxes int32  `java:"boxes"`
}

// TestAnyOfGenerations: one struct, payloads of four generations of Java.
func TestAnyOfGenerations(t *testing.T) {
	t.Parallel()
	want := shipment{ID: "s1", Boxes: 3}
	m := &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "id", Value: "s1"}, {Key: "boxes", Value: int32(3)}}}
	list := codecs.AnyOf(kryo5.New(), marshalling.New(), jackson.JsonJackson(), fst.New())
	typed := codectest.Typed[shipment](t, list)
	payloads := [][]byte{fromHex(t, "000f02fc026964fc027331fc05626f786573f703")} // FST, which nobody here writes
	for _, c := range list.Codecs()[:3] {
		b := codectest.Must(c.Encode(m))(t)
		payloads = append(payloads, b)
	}
	for _, payload := range payloads {
		for range 3 { // whatever was read before
			if got, err := typed.Decode(payload); err != nil || got != want {
				t.Errorf("%x: %+v, %v", payload, got, err)
			}
		}
	}
}

// Java moved from Redisson 3.18 to 3.19 with messages pending: both codecs are
// read, the new one is written.
func ExampleAnyOf() {
	codec := codecs.AnyOf(kryo5.New(), marshalling.New())
	orders, err := codecs.For[string](codec, codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(codec.Name())
	old, _ := orders.Decode([]byte("\x04>\x05order"))
	fmt.Println(old)
	_, err = codec.Decode([]byte("\x04>\x02ab"))
	fmt.Println(err)
	// Output:
	// anyof(kryo5,marshalling)
	// order
	// decode anyof(kryo5,marshalling): the payload is ambiguous: bind to a narrower Go type, or use PreferFirst: kryo5 reads a float32, marshalling reads a string of 2 bytes
}

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
		maps := codectest.Typed[map[string]any](t, either)
		for _, c := range list {
			payload := codectest.Must(c.Encode(value))(t)
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
