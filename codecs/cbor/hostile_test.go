package cbor_test

import (
	"bytes"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

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

// allocated returns the bytes that a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileLengths: a declared length never costs memory. It counts what the process
// allocates, so it runs alone.
func TestHostileLengths(t *testing.T) {
	for _, c := range []codecs.Codec{cbor.Jackson(), cbor.Jackson3()} {
		for name, payload := range map[string]string{
			"array of 2^31":          "\x9a\x7f\xff\xff\xff\x00",
			"array of 4 GiB":         "\x9a\xff\xff\xff\xff\x00",
			"array of 2^64":          "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x00",
			"map of 4 GiB":           "\xba\xff\xff\xff\xff\x00",
			"map of 2^63":            "\xbb\x80\x00\x00\x00\x00\x00\x00\x00\x00",
			"text of 4 GiB":          "\x7a\xff\xff\xff\xffabc",
			"text of 2^64":           "\x7b\xff\xff\xff\xff\xff\xff\xff\xffabc",
			"bytes of 4 GiB":         "\x5a\xff\xff\xff\xffabc",
			"chunk of 4 GiB":         "\x7f\x7a\xff\xff\xff\xffabc\xff",
			"number of 4 GiB":        "\xc2\x5a\xff\xff\xff\xffabc",
			"decimal of 4 GiB":       "\xc4\x82\x00\xc2\x5a\xff\xff\xff\xffabc",
			"list of 2^31":           "\x9f\x73java.util.ArrayList\x9a\x7f\xff\xff\xff\x00\xff",
			"arrays of 16 in a row":  strings.Repeat("\x90", 400),
			"a million empty chunks": "\x7f" + strings.Repeat("\x60", 1<<20),
		} {
			b := []byte(payload)
			if used := allocated(func() { _ = refused(t, c, name, b) }); used > 1<<20 {
				t.Errorf("%s: allocated %d bytes", name, used)
			}
		}
	}
}

// TestNesting: 100,000 levels are refused at the limit, whatever they are made of.
func TestNesting(t *testing.T) {
	t.Parallel()
	const levels = 100_000
	for name, level := range map[string]string{
		"arrays": "\x81", "indefinite arrays": "\x9f", "maps": "\xa1\x61a", "indefinite maps": "\xbf\x61a", "tags": "\xc1",
		"wrappers": "\x9f\x73java.util.ArrayList\x81",
	} {
		e := refused(t, cbor.Jackson(), name, []byte(strings.Repeat(level, levels)))
		if e.Offset > 100_000 {
			t.Errorf("%s: %v", name, e)
		}
		_ = refused(t, cbor.Jackson3(), name, []byte(strings.Repeat(level, levels)))
	}
}

// TestTruncation: no payload of Java's can be read without its last bytes.
func TestTruncation(t *testing.T) {
	t.Parallel()
	for _, f := range rows(t, "4.7.0.tsv", 1600) {
		if strings.HasPrefix(f[3], "WRITEFAIL") || len(f[3]) > 1000 {
			continue
		}
		payload, c := unhex(t, f[3]), codecOf(t, f[0], "4.7.0")
		for n := range codectest.Places(len(payload)) {
			_ = refused(t, c, f[2], payload[:n])
		}
	}
}

// TestLimits: each limit of the codec holds for this format, too.
func TestLimits(t *testing.T) {
	t.Parallel()
	text := append([]byte{0x7f}, bytes.Repeat([]byte("\x61x"), 11)...)
	for name, c := range map[string]struct {
		limits  codecs.Limits
		payload string
		want    string
	}{
		"bytes":          {codecs.Limits{Bytes: 4}, "\x64abcd", "(Limits.Bytes)"},
		"string":         {codecs.Limits{StringBytes: 3}, "\x64abcd", "(Limits.StringBytes)"},
		"string, chunks": {codecs.Limits{StringBytes: 10}, string(text) + "\xff", "(Limits.StringBytes)"},
		"key":            {codecs.Limits{StringBytes: 3}, "\xbf\x64abcd\x01\xff", "(Limits.StringBytes)"},
		"depth":          {codecs.Limits{Depth: 2}, strings.Repeat("\x9f", 7) + strings.Repeat("\xff", 7), "(Limits.Depth)"},
		"elements":       {codecs.Limits{Elements: 2}, "\x9f" + strings.Repeat("\x01", 15) + "\xff", "(Limits.Elements)"},
	} {
		t.Run(name, func(t *testing.T) {
			if e := refused(t, cbor.Jackson3(jackson.Limits(c.limits)), name, []byte(c.payload)); !strings.Contains(e.Reason, c.want) {
				t.Errorf("%s: %v", name, e)
			}
		})
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
		typed, err := codecs.For[numbers](c, codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []string{"\xc4\x82\x1a\x7f\xff\xff\xff\x01", "\xc4\x82\x3a\x7f\xff\xff\xfe\x01", "\xc4\x82\x1a\x00\x98\x96\x80\x01"} {
			for _, class := range []string{"", "java.lang.Long", "java.lang.Double", "java.math.BigInteger", "java.math.BigDecimal", "java.util.Date"} {
				for _, field := range []string{"i", "n", "f", "b", "d", "s", "t", "a"} {
					value := number
					if class != "" {
						value = "\x9f" + string(rune(0x60+len(class))) + class + number + "\xff"
					}
					payload := []byte("\xbf\x66@class\x71java.util.HashMap\x61" + field + value + "\xff")
					if used := allocated(func() { _, _ = typed.Decode(payload); _, _ = c.Decode(payload) }); used > 1<<16 {
						t.Errorf("%s, %q as %s in field %s: allocated %d bytes", c.Name(), number, class, field, used)
					}
				}
			}
		}
	}
}

// TestDuplicateKeys: many members of one name are one entry, the last.
func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	payload := "\xbf\x66@class\x71java.util.HashMap" + strings.Repeat("\x61a\x01", 100_000) + "\x61a\x02\xff"
	typed, err := codecs.For[map[string]int64](cbor.Jackson(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := typed.Decode([]byte(payload)); err != nil || len(m) != 1 || m["a"] != 2 {
		t.Errorf("%v, %v", m, err)
	}
	v, err := cbor.Jackson().Decode([]byte(payload))
	if m, ok := v.(*java.Map); err != nil || !ok || len(m.Entries) != 1 || m.Entries[0].Value != int32(2) {
		t.Errorf("%v, %v", v, err)
	}
}
