package cbor

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

var (
	newestRules = &databind.Rules{Jackson: 2, Types: true, Release: option.Release{4, 7, 0}}
	oldRules    = &databind.Rules{Jackson: 2, Types: true, Release: option.Release{3, 8, 1}}
	rules3      = &databind.Rules{Jackson: 3, Release: option.Release{4, 7, 0}}
)

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return b
}

// tokens shows the tokens of a payload, or the error.
func tokens(payload []byte, r *databind.Rules) string {
	var b token.Builder
	var t token.Tape
	if err := tokenizer(Name)(&b, &t, payload, token.Structure(codecs.Limits{}.WithDefaults()), r); err != nil {
		return err.Error()
	}
	var s []string
	for i := range t.Tokens {
		s = append(s, databindtest.ShowToken(&t, &t.Tokens[i]))
	}
	return strings.Join(s, " ")
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		"bf 61 61 9f 01 02 ff 05 82 f4 f5 ff": `object(2) key:"a" array(2) 1 2 key:5 array(2) false true`,
		"a2 24 80 20 a0":                      "object(2) key:-5 array(0) key:-1 object(0)",
		"7f 61 61 62 c3a9 ff":                 `"aé"`,
		"7f ff":                               `""`,
		"5f 41 01 41 02 ff":                   "bytes:0102",
		"9f 5f 41 01 ff 7f 61 61 ff 61 62 ff": `array(3) bytes:01 "a" "b"`,
		"66 eda0bdedb880":                     `"😀"`,
		"66 eda0bdeda0bd":                     `"\xed\xa0\xbd\xed\xa0\xbd"`,
		"69 eda0bdedb88061 6263":              `"😀abc"`,
		"d9d9f7 82 f9 3c00 fa 3fc00000":       "array(2) float:1 float:1.5",
		"fb 3ff8000000000000":                 "double:1.5",
		"83 f6 01 f7":                         "array(3) null 1 null",
		"1b ffffffffffffffff":                 "big:18446744073709551615",
		"3b ffffffffffffffff":                 "big:-18446744073709551616",
		"3b 7fffffffffffffff":                 "-9223372036854775808",
		"82 c2 41 05 c4 82 21 19 04ce":        "array(2) big:5 decimal:12.30",
		"c4 82 1a 7fffffff 01":                "decimal:1E+2147483647",
		"c4 82 3a 7ffffffe 01":                "decimal:1E-2147483647",
		"a1 43 414243 f8ff":                   `object(1) key:"ABC" 255`,
		"a1 42 ff41 01":                       `object(1) key:"�A" 1`,
		"c1 d8 20 63 616263":                  `"abc"`,
	} {
		if got := tokens(unhex(t, payload), newestRules); got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}

// TestByRelease: what bytes mean is a matter of the release, never of the value.
func TestByRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		payload           string
		newest, old, next string
	}{
		{"c4 82 21 19 04ce", "decimal:12.30", "decimal:1.230E+5", "decimal:12.30"},
		{"c4 82 03 01", "decimal:1E+3", "decimal:0.001", "decimal:1E+3"},
		{"c3 41 01", "big:-1", "big:-1", "big:-2"},
		{"c3 41 ff", "big:1", "big:1", "big:-256"},
		{"c2 41 ff", "big:-1", "big:-1", "big:-1"},
		{"c4 82 00 c3 41 01", "decimal:-1", "decimal:-1", "decimal:-2"},
		{"01 02", "1", "1", "decode cborjackson at byte 1: 1 bytes behind the value"},
	} {
		for r, want := range map[*databind.Rules]string{newestRules: c.newest, oldRules: c.old, rules3: c.next} {
			if got := tokens(unhex(t, c.payload), r); !strings.HasPrefix(got, want) || len(want) < 20 && got != want {
				t.Errorf("%s by Jackson %d of %s: %s, want %s", c.payload, r.Jackson, r.Release, got, want)
			}
		}
	}
}

// TestErrors: an error says what is wrong, and where in the value and in the bytes.
func TestErrors(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		"":                          "at byte 0: the payload ends where a value should begin",
		"9f 01":                     "at [1] at byte 2: the payload ends where a value should begin",
		"bf 61 61 9f 01 62 61":      "at a[1] at byte 5: text that is said to be longer than the 1 bytes that are left",
		"a1 61 61 1c":               "at a at byte 3: byte 0x1c begins no value",
		"ff":                        "at byte 0: a break where a value should begin",
		"bf 61 61 ff":               "at a at byte 3: a break where a value should begin",
		"83 01 ff 00":               "at [1] at byte 2: a break where a value should begin",
		"19 01":                     "at byte 0: the payload ends within a value",
		"a1 f5 01":                  "at byte 1: the key of a map is neither text nor integer: Java reads no other",
		"a1 1b 8000000000000000 01": "at byte 1: an integer of more than 64 bits as the key of a map: Java reads another number",
		"62 c328":                   "at byte 0: text that is not UTF-8",
		"7f 61 61 41 61 ff":         "at byte 3: byte 0x41 begins no chunk of what began at byte 0",
		"7f 7f 61 61 ffff":          "at byte 1: byte 0x7f begins no chunk of what began at byte 0",
		"9a ffffffff 00":            "at byte 0: an array that is said to be longer than the 1 bytes that are left",
		"bb 8000000000000001 00":    "at byte 0: a map that is said to be longer than the 1 bytes that are left",
		"7b ffffffffffffffff 00":    "at byte 0: text that is said to be longer than the 1 bytes that are left",
		"c4 83 01 01 01":            "at byte 0: a decimal fraction (tag 4) is an array of two numbers of definite length",
		"c4 82 3a 7fffffff 01":      "at byte 2: the exponent of a decimal fraction is no int of Java",
		"c4 82 00 f5":               "at byte 3: the mantissa of a decimal fraction is no whole number",
		"d8 19 00":                  "references to strings (tags 25 and 256",
		"d9 0100 80":                "references to strings (tags 25 and 256",
		"f8 18":                     "at byte 0: simple value 24 in two bytes",
		"c2 59 03e9" + strings.Repeat("00", 1001): "at byte 0: a number of 1001 bytes: Java takes at most 1000",
	} {
		got := tokens(unhex(t, payload), newestRules)
		if !strings.HasPrefix(got, "decode cborjackson ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}
