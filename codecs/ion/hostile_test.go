package ion

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// TestHostile: what is malformed, or more than the limits, is a typed error at its
// place.
func TestHostile(t *testing.T) {
	codec := Jackson(jackson.Limits(codecs.Limits{Elements: 100, Depth: 10, StringBytes: 50, Bytes: 1 << 20}))
	const list = "'java.util.ArrayList'::["
	for name, tc := range map[string]struct{ payload, want, path string }{
		"lists nested deeply":        {strings.Repeat("[", 100_000), "Limits.Depth", ""},
		"typed lists nested deeply":  {strings.Repeat(list, 40_000), "Limits.Depth", ""},
		"structs nested deeply":      {strings.Repeat("{a:", 100_000), "Limits.Depth", ""},
		"sexps nested deeply":        {strings.Repeat("(", 100_000), "Limits.Depth", ""},
		"one level too many":         {strings.Repeat(list, 11) + strings.Repeat("]", 11), "Limits.Depth", strings.Repeat("[0]", 10)},
		"many elements":              {list + strings.Repeat("1,", 101) + "]", "Limits.Elements", ""},
		"many fields":                {"'java.util.HashMap'::{" + strings.Repeat("a:1,", 1000) + "}", "Limits.Elements", ""},
		"many in parentheses":        {"'java.util.ArrayList'::(" + strings.Repeat("+ ", 1000) + ")", "Limits.Elements", ""},
		"a long string":              {`"` + strings.Repeat("a", 51) + `"`, "Limits.StringBytes", ""},
		"a long string with escapes": {`"` + strings.Repeat(`\n`, 51) + `"`, "Limits.StringBytes", ""},
		"long strings in a row":      {strings.Repeat("'''aaaaaaaaaa'''", 6), "Limits.StringBytes", ""},
		"a long identifier":          {strings.Repeat("a", 51), "Limits.StringBytes", ""},
		"a long quoted symbol":       {"'" + strings.Repeat("a", 51) + "'", "Limits.StringBytes", ""},
		"a long annotation":          {"'" + strings.Repeat("a", 51) + "'::1", "Limits.StringBytes", ""},
		"a long name of a field":     {"{'" + strings.Repeat("a", 51) + "':1}", "Limits.StringBytes", ""},
		"a long blob":                {"{{" + strings.Repeat("AAAA", 17) + "}}", "Limits.StringBytes", ""},
		"a long clob":                {`{{"` + strings.Repeat("a", 51) + `"}}`, "Limits.StringBytes", ""},
		"a number of 10,001 digits":  {strings.Repeat("9", 10_001), "more than 10000 characters", ""},
		"a huge exponent":            {"1d99999999999999999999", "exponent", ""},
		"a comment without its end":  {"/* " + strings.Repeat("*", 1000), "comment", ""},
		"not UTF-8":                  {"\"a\xff\"", "not UTF-8", ""},
		"a surrogate as UTF-8":       {"\"\xed\xa0\x80\"", "not UTF-8", ""},
		"not UTF-8 behind an escape": {"\"\\n\xff\"", "not UTF-8", ""},
		"too many bytes":             {strings.Repeat(" ", 1<<20+1), "Limits.Bytes", ""},
		"within a list":              {list + `1,{a:[2,"\q"]}]`, "no escape", "[1].a[1]"},
		"binary":                     {"\xe0\x01\x00\xea\x21\x05", "binary Ion", ""},
		"gzip":                       {"\x1f\x8b\x08\x00", "gzip", ""},
		"a symbol table":             {"$ion_symbol_table::{symbols:['x']} $10", "symbol table", ""},
		"nothing":                    {"", "no value", ""},
		"comments only":              {"/* */ // x", "no value", ""},
		"an annotation only":         {"a::", "the payload ends", ""},
		"a byte order mark":          {"\xef\xbb\xbf5", "byte 0xef", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.Decode([]byte(tc.payload))
			var e *codecs.DecodeError
			switch {
			case !errors.As(err, &e) || e.Codec != "ionjackson" || !strings.Contains(err.Error(), tc.want) || e.Offset > len(tc.payload):
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			case tc.path != "" && e.Path != tc.path:
				t.Errorf("%s: path %q, want %q", name, e.Path, tc.path)
			}
		})
	}
	if _, err := codec.Decode([]byte(strings.Repeat(list, 10) + strings.Repeat("]", 10))); err != nil {
		t.Errorf("ten levels: %v", err)
	}
	if _, err := codec.Decode([]byte(list + strings.Repeat("'java.lang.Long'::1,", 100) + "]")); err != nil {
		t.Errorf("100 elements: %v", err)
	}
}

// TestTrailing: Jackson 2 does not look behind the value, Jackson 3 refuses what
// stands there.
func TestTrailing(t *testing.T) {
	for _, payload := range []string{"5 garbage", "5]", "[1] 2", "5 /* open", `"a""b"`} {
		if _, err := Jackson().Decode([]byte(payload)); err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		var e *codecs.DecodeError
		if _, err := Jackson3().Decode([]byte(payload)); !errors.As(err, &e) || e.Codec != "ionjackson3" {
			t.Errorf("%s with Jackson 3: %v", payload, err)
		}
	}
	if v, err := Jackson3().Decode([]byte(" 5 /* end */ // x")); err != nil || v != int32(5) {
		t.Errorf("blanks behind: %v, %v", v, err)
	}
}

// TestTruncated: a cut of a payload is an error or a shorter value, never a panic.
func TestTruncated(t *testing.T) {
	for _, row := range databindtest.Golden(t, ".") {
		last := row.Payload[len(row.Payload)-1]
		if row.Release != "4.7.0" || row.Codec != "IonJacksonCodec" || len(row.Payload) > 2000 {
			continue
		}
		for n := range codectest.Places(len(row.Payload)) {
			v, err := Jackson().Decode(row.Payload[:n])
			if err != nil {
				codectest.Refused(t, Jackson(), row.Payload[:n], err)
			}
			// The annotation alone is a symbol, which Java too reads as a string.
			if _, isText := v.(string); err == nil && !isText && (last == ']' || last == '}' || last == '"') {
				t.Errorf("%s reads without its end", row.Payload[:n])
			}
		}
	}
}

// TestHugeExponents: a few bytes that stand for a number of two thousand million digits
// are never written out.
func TestHugeExponents(t *testing.T) {
	floats, err := codecs.For[float64](Jackson3(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := codecs.For[int64](Jackson3(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[string]float64{"1d2147483647": math.Inf(1), "-1d2147483647": math.Inf(-1), "1d-2147483647": 0, "1e2147483647": math.Inf(1)} {
		if f, err := floats.Decode([]byte(payload)); err != nil || f != want {
			t.Errorf("%s: %v, %v", payload, f, err)
		}
		var e *codecs.DecodeError
		if n, err := whole.Decode([]byte(payload)); !errors.As(err, &e) {
			t.Errorf("%s as int64: %d, %v", payload, n, err)
		}
	}
}
