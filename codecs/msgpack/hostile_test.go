package msgpack_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/msgpack"
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
// allocates, so it runs alone. The five bytes of an array of 2^31 elements have the
// library's own decoding of slices allocate tens of gigabytes (its issue 401).
func TestHostileLengths(t *testing.T) {
	for name, payload := range map[string]string{
		"array of 2^31 in five bytes": "\xdd\x7f\xff\xff\xff",
		"array of 2^32":               "\xdd\xff\xff\xff\xff\xc0",
		"map of 2^32":                 "\xdf\xff\xff\xff\xff\xa1a",
		"string of 4 GiB":             "\xdb\xff\xff\xff\xffabc",
		"binary of 4 GiB":             "\xc6\xff\xff\xff\xffabc",
		"extension of 4 GiB":          "\xc9\xff\xff\xff\xff\x05abc",
		"list of 2^31":                "\x92\xb3java.util.ArrayList\xdd\x7f\xff\xff\xff",
		"array of 65,535":             "\xdc\xff\xff\xc0",
		"map of 65,535":               "\xde\xff\xff\xa1a\xc0",
		"arrays of 15 in a row":       strings.Repeat("\x9f", 400),
		"key of 4 GiB":                "\x81\xdb\xff\xff\xff\xffabc",
		"int array of 2^31":           "\x92\xa2[I\xdd\x7f\xff\xff\xff\x01",
	} {
		t.Run(name, func(t *testing.T) {
			b := []byte(payload)
			if used := allocated(func() { _ = refused(t, msgpack.Jackson(), name, b) }); used > 1<<20 {
				t.Errorf("%s: allocated %d bytes", name, used)
			}
		})
	}
}

// TestNesting: 100,000 levels are refused at the limit, whatever they are made of.
func TestNesting(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]string{
		"arrays": "\x91", "array16": "\xdc\x00\x01", "maps": "\x81\xa1a", "wrappers": "\x92\xb3java.util.ArrayList\x91",
	} {
		t.Run(name, func(t *testing.T) {
			e := refused(t, msgpack.Jackson(), name, []byte(strings.Repeat(level, 100_000)))
			if !strings.Contains(e.Reason, "(Limits.Depth)") {
				t.Errorf("%s: %v", name, e)
			}
		})
	}
}

// TestTruncation: no payload of Java's can be read without its last bytes.
func TestTruncation(t *testing.T) {
	t.Parallel()
	for _, f := range rows(t, "4.7.0.tsv", 800) {
		if strings.HasPrefix(f[3], "WRITEFAIL") || len(f[3]) > 1000 {
			continue
		}
		payload, c := unhex(t, f[3]), codecOf("4.7.0")
		for n := range codectest.Places(len(payload)) {
			_ = refused(t, c, f[2], payload[:n])
		}
	}
}

// TestLimits: each limit of the codec holds for this format, too.
func TestLimits(t *testing.T) {
	t.Parallel()
	list := "\x92\xb3java.util.ArrayList"
	for name, c := range map[string]struct {
		limits  codecs.Limits
		payload string
		want    string
	}{
		"bytes":    {codecs.Limits{Bytes: 4}, "\xa4abcd", "(Limits.Bytes)"},
		"string":   {codecs.Limits{StringBytes: 3}, "\xa4abcd", "(Limits.StringBytes)"},
		"key":      {codecs.Limits{StringBytes: 30}, "\x81\xd9\x1f" + strings.Repeat("a", 31) + "\x01", "(Limits.StringBytes)"},
		"depth":    {codecs.Limits{Depth: 2}, list + "\x91" + list + "\x91" + list + "\x90", "(Limits.Depth)"},
		"elements": {codecs.Limits{Elements: 2}, list + "\x9f" + strings.Repeat("\x01", 15), "(Limits.Elements)"},
	} {
		t.Run(name, func(t *testing.T) {
			if e := refused(t, msgpack.Jackson(jackson.Limits(c.limits)), name, []byte(c.payload)); !strings.Contains(e.Reason, c.want) {
				t.Errorf("%s: %v", name, e)
			}
		})
	}
}
