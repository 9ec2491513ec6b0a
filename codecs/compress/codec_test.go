package compress_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

// TestNamesAndEmpty: names nest; only Snappy writes no bytes for no bytes.
func TestNamesAndEmpty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codec       codecs.Codec
		name        string
		writesEmpty bool
	}{
		{compress.LZ4(kryo5.New()), "lz4(kryo5)", false},
		{compress.LZ4V2(jackson.JsonJackson()), "lz4v2(jsonjackson)", false},
		{compress.Snappy(codecs.String()), "snappy(string)", true},
		{compress.Snappy(kryo5.New()), "snappy(kryo5)", false},
		{compress.SnappyV2(codecs.String()), "snappyv2(string)", false},
		{compress.ZStd(compress.LZ4(kryo5.New())), "zstd(lz4(kryo5))", false},
		{compress.LZ4(codecs.AnyOf(kryo5.New(), jackson.JsonJackson())), "lz4(anyof(kryo5,jsonjackson))", false},
	} {
		if c.codec.Name() != c.name || c.codec.WritesEmpty() != c.writesEmpty {
			t.Errorf("%s, %v; want %s, %v", c.codec.Name(), c.codec.WritesEmpty(), c.name, c.writesEmpty)
		}
	}
	for name, c := range map[string]struct {
		codec   codecs.Codec
		written string
		read    []string
	}{
		"lz4":      {compress.LZ4(codecs.String()), "0000000000", nil},
		"snappy":   {compress.Snappy(codecs.String()), "", []string{"0000000100"}},
		"snappyv2": {compress.SnappyV2(codecs.String()), "00", []string{"82534e41505059000000000100000001"}},
		"zstd":     {compress.ZStd(codecs.String()), "0000000028b52ffd2000010000", []string{"00000000"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.codec.Encode("")
			if err != nil || hex.EncodeToString(got) != c.written {
				t.Errorf("%s: %x, %v; want %s", name, got, err, c.written)
			}
			for _, form := range append(c.read, c.written) {
				if v, err := c.codec.Decode(text(t, form+strings.Repeat("-", 1-min(1, len(form))))); err != nil || v != "" {
					t.Errorf("%s: %s is %v, %v", name, form, v, err)
				}
			}
		})
	}
	_, err := compress.LZ4V2(codecs.String()).Encode("")
	var e *codecs.EncodeError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "lz4v2: no bytes: Java's LZ4CodecV2") {
		t.Errorf("lz4v2 of no bytes: %v", err)
	}
}

// TestWrittenForReleases pins what Since changes, with a value that compresses well.
func TestWrittenForReleases(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("hello ", 10)
	raw := hex.EncodeToString([]byte(value))
	for _, c := range []struct {
		codec wrapper
		since string
		want  string
	}{
		{compress.LZ4, "", "0000003c6f68656c6c6f2006001e50656c6c6f20"},
		{compress.LZ4V2, "", "0000003cf02d" + raw},
		{compress.LZ4V2, "3.25.0", "0000003cf02d" + raw},
		{compress.LZ4V2, "4.4.9", "0000003cf02d" + raw},
		{compress.LZ4V2, "4.5.0", "0000003c6f68656c6c6f2006001e50656c6c6f20"},
		{compress.LZ4V2, "3.24.3", "04224d186470b93c000080" + raw + "00000000"},
		{compress.SnappyV2, "3.8.2", "82534e415050590000000001000000010000003e3cec" + raw},
	} {
		var opts []compress.Option
		if c.since != "" {
			opts = append(opts, compress.Since(c.since))
		}
		codec := c.codec(codecs.String(), opts...)
		got, err := codec.Encode(value)
		if err != nil || !strings.HasPrefix(hex.EncodeToString(got), c.want) {
			t.Errorf("%s since %q: %x, %v; want %s", codec.Name(), c.since, got, err, c.want)
		}
		if back, err := codec.Decode(got); err != nil || back != value {
			t.Errorf("%s since %q: read back %v, %v", codec.Name(), c.since, back, err)
		}
	}
}

// TestTooLongForJava: what an old decoder would cut is not written.
func TestTooLongForJava(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		since string
		fits  int
	}{{"", 196_608}, {"3.30.0", 196_608}, {"3.24.0", 4 << 20}} {
		var opts []compress.Option
		if c.since != "" {
			opts = append(opts, compress.Since(c.since))
		}
		codec := compress.LZ4V2(codecs.ByteArray(), opts...)
		if _, err := codec.Encode(make([]byte, c.fits)); err != nil {
			t.Errorf("since %q, %d bytes: %v", c.since, c.fits, err)
		}
		_, err := codec.Encode(make([]byte, c.fits+1))
		if err == nil || !strings.Contains(err.Error(), `use Since("4.5.0")`) {
			t.Errorf("since %q, %d bytes: %v", c.since, c.fits+1, err)
		}
	}
}

func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	var nobody *codecs.Alternatives
	for _, c := range []struct {
		codec codecs.Codec
		want  []string
	}{
		{compress.LZ4(nil), []string{"no inner codec given"}},
		{compress.LZ4(nobody, nil, compress.Since("new")), []string{"no inner codec given", "option 1 is nil", `"new" is no release`}},
		{compress.Snappy(codecs.String(), compress.Limits(codecs.Limits{Depth: -1})), []string{"option compress.Limits(", "Depth must be between"}},
		{compress.LZ4V2(codecs.String(), compress.Since("3.23.9"), nil), []string{"3.23.9 of Redisson has no LZ4CodecV2, which came with 3.24.0", "option 2 is nil"}},
		{compress.Snappy(codecs.String(), compress.Since("4.1.0")), []string{"has no SnappyCodec: 4.1.0 removed it"}},
		{compress.SnappyV2(codecs.String(), compress.Since("3.7.2")), []string{"came with 3.7.3"}},
		{compress.ZStd(codecs.String(), compress.Since("3.38.1")), []string{"came with 3.39.0"}},
		{compress.ZStd(codecs.String(), compress.Since("new")), []string{`compress.Since("new")`, "no release"}},
		{compress.ZStd(codecs.String(), compress.Since("3.+4")), []string{"no release"}},
		{compress.LZ4(kryo5.New(kryo5.Since("soon"))), []string{"soon"}},
	} {
		_, bind := c.codec.Bind(reflect.TypeFor[string](), codecs.BindOptions{})
		_, encode := c.codec.Encode("a")
		_, decode := c.codec.Decode([]byte("0000"))
		var asBind *codecs.BindError
		var asEncode *codecs.EncodeError
		var asDecode *codecs.DecodeError
		if !errors.As(bind, &asBind) || !errors.As(encode, &asEncode) || !errors.As(decode, &asDecode) {
			t.Errorf("%v: %v, %v, %v", c.want, bind, encode, decode)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(bind.Error(), want) {
				t.Errorf("%v, want %q", bind, want)
			}
		}
	}
}

type order struct {
	ID    string `java:"id"`
	Items []item `java:"items"`
}

func (order) JavaClass() string { return "demo.Order" }

type item struct {
	Name  string `java:"name"`
	Count int32  `java:"count"`
}

func (item) JavaClass() string { return "demo.Item" }

func sample() order {
	return order{ID: "4711", Items: []item{{"pen", 1}, {"pen", 2}, {"pen", 3}}}
}

// TestBound: typed values go through all wrappers, nested too, also the direct way;
// buffers that are used again keep nothing of earlier values.
func TestBound(t *testing.T) {
	t.Parallel()
	for _, inner := range []codecs.Codec{kryo5.New(), jackson.JsonJackson()} {
		for _, c := range []codecs.Codec{
			compress.LZ4(inner), compress.LZ4V2(inner), compress.LZ4V2(inner, compress.Since("4.7.0")), compress.Snappy(inner),
			compress.SnappyV2(inner), compress.SnappyV2(inner, compress.Since("3.8.1")), compress.ZStd(inner), compress.ZStd(compress.Snappy(inner)),
		} {
			typed := codectest.Typed[order](t, c)
			plain := codectest.Typed[order](t, inner)
			for range 3 {
				payload := codectest.Must(typed.Encode(sample()))(t)
				got, err := typed.Decode(payload)
				if err != nil || !reflect.DeepEqual(got, sample()) {
					t.Errorf("%s: %v, %v", c.Name(), got, err)
				}
				short := codectest.Must(typed.Encode(order{ID: "1"}))(t)
				if got, err := typed.Decode(short); err != nil || got.ID != "1" || len(got.Items) != 0 {
					t.Errorf("%s: %v, %v", c.Name(), got, err)
				}
				bare := codectest.Must(plain.Encode(sample()))(t)
				if v, err := c.Decode(payload); err == nil {
					if w, err := inner.Decode(bare); err != nil || !equalAgain(inner, v, w) {
						t.Errorf("%s: %v, alone %v", c.Name(), v, w)
					}
				}
			}
		}
	}
}

// TestAppend: what stands in the buffer stays, also after an error.
func TestAppend(t *testing.T) {
	t.Parallel()
	for class, wrap := range byClass {
		c := wrap(codecs.String(codecs.PlainLimits(codecs.Limits{Bytes: 100})))
		b := codectest.Must(c.Bind(reflect.TypeFor[string](), codecs.BindOptions{}))(t)
		got, err := b.Append([]byte("head"), "value")
		var back string
		if err != nil || !bytes.HasPrefix(got, []byte("head")) {
			t.Errorf("%s: %q, %v", class, got, err)
		} else if err := b.Decode(got[4:], &back); err != nil || back != "value" {
			t.Errorf("%s: %q, %v", class, back, err)
		}
		for _, wrong := range []any{strings.Repeat("x", 101), 7} {
			if got, err := b.Append([]byte("head"), wrong); err == nil || string(got) != "head" || !strings.Contains(err.Error(), c.Name()) {
				t.Errorf("%s: %q, %v", class, got, err)
			}
		}
		if err := b.Decode(got[4:], new(int)); err == nil || !strings.Contains(err.Error(), "the target is *int, not *string") {
			t.Errorf("%s: %v", class, err)
		}
	}
}

// TestErrorsNameTheLayer: a broken frame is the wrapper's, a broken value the inner
// codec's, with its path and class, and an offset that says what it counts in.
func TestErrorsNameTheLayer(t *testing.T) {
	t.Parallel()
	c := compress.LZ4(compress.ZStd(kryo5.New()))
	_, err := c.Decode([]byte("0000"))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Codec != "lz4(zstd(kryo5))" || !strings.HasPrefix(e.Reason, "lz4: ") {
		t.Errorf("%v", err)
	}
	broken, err := compress.LZ4(codecs.ByteArray()).Encode([]byte{0, 0, 0, 5, 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Decode(broken); !errors.As(err, &e) || e.Codec != "lz4(zstd(kryo5))" || e.Offset != -1 ||
		!strings.HasPrefix(e.Reason, "zstd(kryo5), at byte 4 of 5 decompressed: zstd: ") {
		t.Errorf("%v", err)
	}
	// A map {"a": [1, <cut>
	inner, err := kryo5.New().Encode(&java.Map{Class: "java.util.HashMap", Entries: []java.Entry{
		{Key: "a", Value: &java.List{Class: "java.util.ArrayList", Elements: []any{int32(1), "abc"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	wrapped := codectest.Must(compress.ZStd(codecs.ByteArray()).Encode(inner[:len(inner)-1]))(t)
	_, alone := kryo5.New().Decode(inner[:len(inner)-1])
	var of *codecs.DecodeError
	if !errors.As(alone, &of) {
		t.Fatal(alone)
	}
	v, err := compress.ZStd(kryo5.New()).Decode(wrapped)
	if !errors.As(err, &e) || e.Codec != "zstd(kryo5)" || e.Path != of.Path || e.Class != of.Class ||
		!strings.Contains(e.Reason, "decompressed: "+of.Reason) || (v == nil) != (of.Offset == 0) {
		t.Errorf("%v\nalone %v\n%v", err, alone, v)
	}
}

// TestLimits: bytes before compression count, in both directions.
func TestLimits(t *testing.T) {
	t.Parallel()
	for class, wrap := range byClass {
		wide := wrap(codecs.ByteArray())
		payload := codectest.Must(wide.Encode(make([]byte, 1001)))(t)
		narrow := wrap(codecs.ByteArray(), compress.Limits(codecs.Limits{Bytes: 1000}))
		if l := narrow.Limits(); l.Bytes != 1000 || l.Elements != codecs.DefaultMaxElements {
			t.Errorf("%s: %+v", class, l)
		}
		if l := wrap(codecs.String(codecs.PlainLimits(codecs.Limits{Bytes: 77}))).Limits(); l.Bytes != 77 {
			t.Errorf("%s: %+v", class, l)
		}
		if _, err := narrow.Decode(payload); err == nil || !strings.Contains(err.Error(), "1000") {
			t.Errorf("%s: %v", class, err)
		}
		if _, err := narrow.Encode(make([]byte, 1001)); err == nil || !strings.Contains(err.Error(), "limit is 1000") {
			t.Errorf("%s: %v", class, err)
		}
		random := []byte(strings.Repeat("0", 1000))
		for i := range random {
			random[i] = byte(i * i * 31 >> 3)
		}
		payload = codectest.Must(narrow.Encode(random))(t)
		if got, err := narrow.Decode(payload); err != nil || !bytes.Equal(got.([]byte), random) {
			t.Errorf("%s: %d bytes that do not compress: %v", class, len(payload), err)
		}
		if _, err := narrow.Decode(make([]byte, 5000)); err == nil {
			t.Errorf("%s: a payload of 5000 bytes", class)
		}
	}
}

// TestBindAll: the mistakes of all layers, in options and in the type, come together.
func TestBindAll(t *testing.T) {
	t.Parallel()
	for _, c := range []codecs.Codec{
		compress.LZ4(compress.ZStd(kryo5.New(kryo5.Since("x")), compress.Since("3.8.1"), nil), compress.Since("y")),
		codecs.AnyOf(codecs.String(), nil, compress.LZ4(compress.ZStd(kryo5.New(kryo5.Since("x")), compress.Since("3.8.1"), nil), compress.Since("y"))),
	} {
		_, err := c.Bind(reflect.TypeFor[string](), codecs.BindOptions{})
		var bind *codecs.BindError
		if !errors.As(err, &bind) || bind.Codec != c.Name() {
			t.Errorf("%s: %v", c.Name(), err)
		}
		for _, want := range []string{`kryo5.Since("x")`, "no ZStdCodec, which came with 3.39.0", "option 2 is nil", `compress.Since("y")`} {
			if err == nil || strings.Count(err.Error(), want) != 1 {
				t.Errorf("%s: want %q once in %v", c.Name(), want, err)
			}
		}
	}
	_, err := compress.LZ4(jackson.JsonJackson(), compress.Since("x")).Bind(reflect.TypeFor[chan int](), codecs.BindOptions{})
	if err == nil || !strings.Contains(err.Error(), "no Java value corresponds") || !strings.Contains(err.Error(), `compress.Since("x")`) {
		t.Errorf("option and type: %v", err)
	}
}
