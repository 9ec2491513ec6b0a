package databind_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
	"github.com/duequeue/duequeue/codecs/view"
)

// makers are all codecs of the family by the Java class and its options.
var makers = map[string]func(...jackson.Option) codecs.Codec{
	"JsonJacksonCodec": jackson.JsonJackson, "TypedJsonJacksonCodec": jackson.TypedJsonJackson,
	"JsonJackson3Codec": jackson.JsonJackson3, "TypedJsonJackson3Codec": jackson.TypedJsonJackson3,
	"CborJacksonCodec": cbor.Jackson, "CborJackson3Codec": cbor.Jackson3, "MsgPackJacksonCodec": msgpack.Jackson,
	"SmileJacksonCodec": smile.Jackson, "SmileJackson3Codec": smile.Jackson3, "IonJacksonCodec": ion.Jackson, "IonJackson3Codec": ion.Jackson3,
}

// formats are all formats, with the releases and options between which they differ.
func formats(opts ...jackson.Option) map[string]codecs.Codec {
	with := func(o ...jackson.Option) []jackson.Option { return append(o, opts...) }
	return map[string]codecs.Codec{
		"json":        jackson.JsonJackson(opts...),
		"json 3.8":    jackson.JsonJackson(with(jackson.Since("3.11.5"))...),
		"json 4.2":    jackson.JsonJackson(with(jackson.Since("4.7.0"))...),
		"json times":  jackson.JsonJackson(with(jackson.Mapper{Dates: jackson.Timestamps})...),
		"json texts":  jackson.JsonJackson(with(jackson.Mapper{Dates: jackson.DateTexts})...),
		"json3":       jackson.JsonJackson3(opts...),
		"typed json":  jackson.TypedJsonJackson(opts...),
		"typed json3": jackson.TypedJsonJackson3(opts...),
		"cbor":        cbor.Jackson(opts...),
		"cbor 4.2":    cbor.Jackson(with(jackson.Since("4.7.0"))...),
		"cbor3":       cbor.Jackson3(opts...),
		"msgpack":     msgpack.Jackson(opts...),
		"smile":       smile.Jackson(opts...),
		"smile3":      smile.Jackson3(opts...),
		"ion":         ion.Jackson(opts...),
		"ion 3.12":    ion.Jackson(with(jackson.Since("3.12.0"))...),
		"ion3":        ion.Jackson3(opts...),
	}
}

var optionsOf = map[string][]jackson.Option{"JavaTime": {jackson.Mapper{Dates: jackson.Timestamps}}, "DatesAsText": {jackson.Mapper{Dates: jackson.DateTexts}}}

// codecOf returns the codec of a Java class, with its options behind a plus, and of a release.
func codecOf(name, release string) codecs.Codec {
	class, option, _ := strings.Cut(name, "+")
	return makers[class](append(optionsOf[option], jackson.Since(release))...)
}

// sameBytes holds a codec to write the payload again that it read.
func sameBytes(t *testing.T, c codecs.Codec, name string, payload, want []byte) {
	t.Helper()
	v, err := c.Decode(payload)
	if err != nil {
		t.Errorf("%s: %v\n%x", name, err, payload)
		return
	}
	again, err := c.Encode(v)
	if err != nil || !bytes.Equal(again, want) {
		t.Errorf("%s: %v\nJava %x\nwe   %x\n%s", name, err, want, again, view.Of(v))
	}
}

// unequal are rows that are not written again as they came.
func unequal(row databindtest.Row) bool {
	switch row.Codec {
	case "JsonJackson3Codec": // a Long at the root is bare, unless it was in an Optional
		return row.Where == "root" && row.Sample == "Optional of Long"
	case "CborJackson3Codec": // a bean without fields has its length, the LinkedHashMap that Java reads has not
		return row.Sample == "Object" || row.Sample == "empty POJO"
	case "SmileJacksonCodec": // Jackson wrote these, and cannot read them
		return strings.HasPrefix(row.Sample, "Optional") || row.Sample == "POJO Maybe"
	case "IonJacksonCodec": // see TestVectorsReadable there
		return row.Release == "3.8.1" || row.Release == "3.12.5"
	}
	return false
}

// TestGolden: what every release wrote is read, and written again to the byte.
func TestGolden(t *testing.T) {
	t.Parallel()
	for folder, least := range map[string]int{"jackson": 3000, "cbor": 1900, "msgpack": 1000, "smile": 1900, "ion": 1000} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			rows := databindtest.Golden(t, "../../"+folder)
			if len(rows) < least {
				t.Errorf("only %d rows", len(rows))
			}
			made := map[string]codecs.Codec{}
			for _, row := range rows {
				if unequal(row) {
					continue
				}
				key := row.Codec + " " + row.Release
				if made[key] == nil {
					made[key] = codecOf(row.Codec, row.Release)
				}
				want := row.Payload
				if folder == "smile" {
					want = alone(want)
				}
				sameBytes(t, made[key], fmt.Sprint(key, row.Where, row.Sample), row.Payload, want)
			}
		})
	}
	for _, file := range []string{"cbor/testdata/random-4.7.0", "cbor/testdata/random-3.8.1", "msgpack/testdata/random-4.7.0", "msgpack/testdata/random-3.8.1"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, release, _ := strings.Cut(file, "-")
			for _, f := range codectest.Rows(t, "../../"+file+".tsv") {
				payload := codectest.FromHex(t, f[2])
				sameBytes(t, codecOf(f[0], release), f[1], payload, payload)
			}
		})
	}
}

// alone returns a payload of Smile as a thread writes it that has not written CBOR before:
// the program behind the rows has, and some releases of Jackson then take over CBOR's
// buffer of 16,000 bytes, in which ASCII strings of up to 5,332 characters fit.
func alone(payload []byte) []byte {
	if len(payload) > 4+2666+2 && payload[4] == 0xE0 {
		payload = bytes.Clone(payload)
		payload[4] = 0xE4
	}
	return payload
}

// refused decodes a payload and returns the error, which must be a typed one.
func refused(t *testing.T, c codecs.Codec, name string, payload []byte) *codecs.DecodeError {
	t.Helper()
	v, err := c.Decode(payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Codec != c.Name() || e.Offset > len(payload) {
		t.Fatalf("%s: %v, %v", name, v, err)
	}
	return e
}

// TestTruncation: no payload of Java's can be read without its last bytes, but for a number as JSON.
func TestTruncation(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"cbor", "msgpack", "smile", "jackson"} {
		for _, row := range databindtest.Golden(t, "../../"+folder) {
			if row.Release != "4.7.0" || len(row.Payload) > 500 || folder == "jackson" && row.Payload[0] != '{' && row.Payload[0] != '[' {
				continue
			}
			c := codecOf(row.Codec, row.Release)
			for n := range codectest.Places(len(row.Payload)) {
				_ = refused(t, c, row.Sample, row.Payload[:n:n])
			}
		}
	}
}

// TestHostileLengths: a declared length never costs memory. It counts what the process
// allocates, so it runs alone.
func TestHostileLengths(t *testing.T) {
	all := map[string][]string{
		"cbor": {
			"\x9a\x7f\xff\xff\xff\x00", "\x9a\xff\xff\xff\xff\x00", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x00", "\xba\xff\xff\xff\xff\x00",
			"\xbb\x80\x00\x00\x00\x00\x00\x00\x00\x00", "\x7a\xff\xff\xff\xffabc", "\x7b\xff\xff\xff\xff\xff\xff\xff\xffabc", "\x5a\xff\xff\xff\xffabc",
			"\x7f\x7a\xff\xff\xff\xffabc\xff", "\xc2\x5a\xff\xff\xff\xffabc", "\xc4\x82\x00\xc2\x5a\xff\xff\xff\xffabc",
			"\x9f\x73java.util.ArrayList\x9a\x7f\xff\xff\xff\x00\xff", strings.Repeat("\x90", 400), "\x7f" + strings.Repeat("\x60", 1<<20),
		},
		"msgpack": {
			"\xdd\x7f\xff\xff\xff", "\xdd\xff\xff\xff\xff\xc0", "\xdf\xff\xff\xff\xff\xa1a", "\xdb\xff\xff\xff\xffabc", "\xc6\xff\xff\xff\xffabc",
			"\xc9\xff\xff\xff\xff\x05abc", "\x92\xb3java.util.ArrayList\xdd\x7f\xff\xff\xff", "\xdc\xff\xff\xc0", "\xde\xff\xff\xa1a\xc0",
			strings.Repeat("\x9f", 400), "\x81\xdb\xff\xff\xff\xffabc", "\x92\xa2[I\xdd\x7f\xff\xff\xff\x01",
		},
		"smile": {
			"\xe8\x1f\x7f\x7f\x7f\xbf\x00", "\xe8\x7f\x7f\x7f\x7f\xbf\x00", "\xfd\x1f\x7f\x7f\x7f\xbf\x00", "\xfd\x0f\x7f\x7f\x7f\xbf\x00",
			"\xe8\x0f\x7f\x7f\x7f\xbf\x00", "\x26\x0f\x7f\x7f\x7f\xbf\x00", "\x2a\x80\x0f\x7f\x7f\x7f\xbf\x00", "\x2a\x1f\x7f\x7f\x7f\xbf\x81\x01\x01",
			"\x26\x0f\xa9" + strings.Repeat("\x00", 1144), "\xe0" + strings.Repeat("a", 100_000), "\xfa\x34" + strings.Repeat("a", 100_000),
			"\xf8" + strings.Repeat("\x21", 100_000) + "\xf9", "\xfa" + strings.Repeat("\x20\xc0", 100_000) + "\xfb", strings.Repeat("\xf8\xf9", 100_000)[1:],
			"\xf8\xfa\x34" + strings.Repeat("a", 100_000) + "\xfc\xc0\xfb" + strings.Repeat("\xfa\x40\xc0\xfb", 2000) + "\xf9",
			":)\n\x02\xf8\x7f" + strings.Repeat("a", 64) + strings.Repeat("\x01", 100_000) + "\xf9",
		},
	}
	for name, c := range formats(jackson.Limits(hostile)) {
		format, _, _ := strings.Cut(strings.TrimSuffix(name, "3"), " ")
		for _, p := range all[format] {
			payload := []byte(p)
			codectest.Allocates(t, payload, func() { _ = refused(t, c, name, payload) })
		}
	}
}

// TestNesting: 100,000 levels are refused at the limit, whatever they are made of.
func TestNesting(t *testing.T) {
	t.Parallel()
	all := formats()
	for format, levels := range map[string][]string{
		"cbor":    {"\x81", "\x9f", "\xa1\x61a", "\xbf\x61a", "\xc1", "\x9f\x73java.util.ArrayList\x81"},
		"msgpack": {"\x91", "\xdc\x00\x01", "\x81\xa1a", "\x92\xb3java.util.ArrayList\x91"},
		"smile":   {"\xf8", "\xfa\x20", "\xf8\x53java.math.BigInteger"},
		"ion":     {"[", "'java.util.ArrayList'::[", "{a:", "("},
		"json":    {"[", `{"a":`, `["a.B",`, `["java.util.ArrayList",[`, `{"@class":"a.B","b":`},
	} {
		for _, level := range levels {
			payload := []byte(strings.Repeat(level, 100_000))
			e := refused(t, all[format], level, payload)
			if !strings.Contains(e.Reason, "(Limits.Depth)") && level != "\xc1" {
				t.Errorf("%s %q: %v", format, level, e)
			}
			if all[format+"3"] != nil {
				_ = refused(t, all[format+"3"], level, payload)
			}
		}
	}
}

// TestLimits: each limit of the codec holds for each format.
func TestLimits(t *testing.T) {
	t.Parallel()
	list := "\x92\xb3java.util.ArrayList"
	for _, c := range []struct {
		maker   string
		limits  codecs.Limits
		payload string
		want    string
	}{
		{"CborJackson3Codec", codecs.Limits{Bytes: 4}, "\x64abcd", "Bytes"},
		{"CborJackson3Codec", codecs.Limits{StringBytes: 3}, "\x64abcd", "StringBytes"},
		{"CborJackson3Codec", codecs.Limits{StringBytes: 10}, "\x7f" + strings.Repeat("\x61x", 11) + "\xff", "StringBytes"},
		{"CborJackson3Codec", codecs.Limits{StringBytes: 3}, "\xbf\x64abcd\x01\xff", "StringBytes"},
		{"CborJackson3Codec", codecs.Limits{Depth: 2}, strings.Repeat("\x9f", 7) + strings.Repeat("\xff", 7), "Depth"},
		{"CborJackson3Codec", codecs.Limits{Elements: 2}, "\x9f" + strings.Repeat("\x01", 15) + "\xff", "Elements"},
		{"MsgPackJacksonCodec", codecs.Limits{Bytes: 4}, "\xa4abcd", "Bytes"},
		{"MsgPackJacksonCodec", codecs.Limits{StringBytes: 3}, "\xa4abcd", "StringBytes"},
		{"MsgPackJacksonCodec", codecs.Limits{StringBytes: 30}, "\x81\xd9\x1f" + strings.Repeat("a", 31) + "\x01", "StringBytes"},
		{"MsgPackJacksonCodec", codecs.Limits{Depth: 2}, list + "\x91" + list + "\x91" + list + "\x90", "Depth"},
		{"MsgPackJacksonCodec", codecs.Limits{Elements: 2}, list + "\x9f" + strings.Repeat("\x01", 15), "Elements"},
	} {
		e := refused(t, makers[c.maker](jackson.Limits(c.limits)), c.want, []byte(c.payload))
		if !strings.Contains(e.Reason, "(Limits."+c.want+")") || (c.want == "Elements") != (e.Limit == c.want) {
			t.Errorf("%s %q: %v, limit %q", c.maker, c.payload, e, e.Limit)
		}
	}
}

// TestHugeNumbers: a number of few bytes may stand for one of billions of digits, which
// must not be spelt out, whatever it is read into.
func TestHugeNumbers(t *testing.T) {
	type numbers struct {
		I int32           `java:"i"`
		N int64           `java:"n"`
		F float64         `java:"f"`
		B *big.Int        `java:"b"`
		D java.BigDecimal `java:"d"`
		S string          `java:"s"`
		T time.Time       `java:"t"`
		A any             `java:"a"`
	}
	for _, c := range []codecs.Codec{cbor.Jackson(), cbor.Jackson3()} {
		typed := codectest.Typed[numbers](t, c)
		for _, number := range []string{"\xc4\x82\x1a\x7f\xff\xff\xff\x01", "\xc4\x82\x3a\x7f\xff\xff\xfe\x01", "\xc4\x82\x1a\x00\x98\x96\x80\x01"} {
			for _, class := range []string{"", "java.lang.Long", "java.lang.Double", "java.math.BigInteger", "java.math.BigDecimal", "java.util.Date"} {
				for _, field := range []string{"i", "n", "f", "b", "d", "s", "t", "a"} {
					value := number
					if class != "" {
						value = "\x9f" + string(rune(0x60+len(class))) + class + number + "\xff"
					}
					payload := []byte("\xbf\x66@class\x71java.util.HashMap\x61" + field + value + "\xff")
					codectest.Allocates(t, payload, func() { _, _ = typed.Decode(payload); _, _ = c.Decode(payload) })
				}
			}
		}
	}
}

// TestDuplicateKeys: many members of one name are one entry, the last.
func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	payload := []byte("\xbf\x66@class\x71java.util.HashMap" + strings.Repeat("\x61a\x01", 100_000) + "\x61a\x02\xff")
	if m, err := codectest.Into[map[string]int64](t, cbor.Jackson(), payload); err != nil || len(m) != 1 || m["a"] != 2 {
		t.Errorf("%v, %v", m, err)
	}
	v, err := cbor.Jackson().Decode(payload)
	if m, ok := v.(*java.Map); err != nil || !ok || len(m.Entries) != 1 || m.Entries[0].Value != int32(2) {
		t.Errorf("%v, %v", v, err)
	}
}

// TestNumbersAsKeys: keys that are numbers are read again as what they were in the format, and as
// texts where the Go type says so.
func TestNumbersAsKeys(t *testing.T) {
	t.Parallel()
	in := &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: int32(7), Value: "a"}, {Key: int64(1) << 40, Value: "b"}}}
	for name, c := range formats() {
		payload := codectest.Must(c.Encode(in))(t)
		v, err := c.Decode(payload)
		if m, ok := v.(*java.Map); !ok || fmt.Sprint(m.Entries) != fmt.Sprint(in.Entries) {
			t.Errorf("%s: %x is %s, %v", name, payload, view.Of(v), err)
		}
		if m, err := codectest.Into[map[string]string](t, c, payload); err != nil || m["7"] != "a" || len(m) != 2 {
			t.Errorf("%s: %x into texts: %v, %v", name, payload, m, err)
		}
	}
}
