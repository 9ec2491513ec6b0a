package msgpack

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

var newestRules = &databind.Rules{Jackson: 2, Types: true, Release: option.Release{4, 7, 0}}

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return b
}

// tokens shows the tokens of a payload, or the error.
func tokens(payload []byte) string {
	var b token.Builder
	var t token.Tape
	if err := tokenize(&b, &t, payload, token.Structure(codecs.Limits{}.WithDefaults()), newestRules); err != nil {
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
		"82 a161 92 01 ff 05 92 c2 c3":                         `object(2) key:"a" array(2) 1 -1 key:5 array(2) false true`,
		"de 0001 d0 e0 dc 0000":                                "object(1) key:-32 array(0)",
		"df 00000001 c0 00":                                    "decode msgpackjackson at byte 5: nil as the key of a map: Java reads strings, numbers, booleans and binary there",
		"dd 00000001 d9 01 61":                                 `array(1) "a"`,
		"92 da 0002 c3a9 db 00000000":                          `array(2) "é" ""`,
		"93 c4 01 ff c5 0001 fe c6 0000 0001 fd":               "array(3) bytes:ff bytes:fe bytes:fd",
		"92 ca 3fc00000 cb 3ff8000000000000":                   "array(2) float:1.5 double:1.5",
		"94 cc ff cd ffff ce ffffffff cf 7fffffffffffffff":     "array(4) 255 65535 4294967295 9223372036854775807",
		"94 d0 80 d1 8000 d2 80000000 d3 8000000000000000":     "array(4) -128 -32768 -2147483648 -9223372036854775808",
		"cf 8000000000000000":                                  "big:9223372036854775808",
		"d6 ff 00000001":                                       "ext(-1):00000001",
		"92 d4 05 01 c7 00 80":                                 "array(2) ext(5):01 ext(-128):",
		"92 d8 01 00112233445566778899aabbccddeeff d5 02 0102": "array(2) ext(1):00112233445566778899aabbccddeeff ext(2):0102",
		"a2 ff41":   `"�A"`,
		"a3 eda080": `"�"`,
		"86 c3 00 c2 00 cb 3ff0000000000000 00 ca 3f8ccccd 00 c4 02 4142 00 cf ffffffffffffffff 00": `object(6) key:"true" 0 key:"false" 0 key:"1.0" 0 key:"1.100000023841858" 0 key:"AB" 0 key:"18446744073709551615" 0`,
		"81 cf 7fffffffffffffff 00": "object(1) key:9223372036854775807 0",
		"c0 c1":                     "null",
	} {
		if got := tokens(unhex(t, payload)); got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}

// TestErrors: an error says what is wrong, and where in the value and in the bytes.
func TestErrors(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		"":                      "decode msgpackjackson at byte 0: the payload ends where a value should begin",
		"92 01":                 "decode msgpackjackson at byte 0: an array that is said to be longer than the 1 bytes that are left",
		"93 01 92 01":           "decode msgpackjackson at [1] at byte 2: an array that is said to be longer than the 1 bytes that are left",
		"82 a161 92 01 c1 a162": "decode msgpackjackson at a[1] at byte 5: byte 0xc1 begins no value",
		"82 a161 01 90 01":      "decode msgpackjackson at byte 4: an array as the key of a map: Java reads strings, numbers, booleans and binary there",
		"81 d4 05 01 06":        "decode msgpackjackson at byte 1: an extension type as the key of a map: Java reads strings, numbers, booleans and binary there",
		"cd 00":                 "decode msgpackjackson at byte 0: the payload ends within a number",
		"81 a161 a3 6162":       "decode msgpackjackson at a at byte 3: the payload ends within a string",
		"da 00":                 "decode msgpackjackson at byte 0: the payload ends within a string",
		"c9 ffffffff 05":        "decode msgpackjackson at byte 0: the payload ends within an extension type",
		"c6 ffffffff 05":        "decode msgpackjackson at byte 0: the payload ends within binary",
		"dd ffffffff 00":        "decode msgpackjackson at byte 0: an array that is said to be longer than the 1 bytes that are left",
		"df ffffffff 00":        "decode msgpackjackson at byte 0: a map that is said to be longer than the 1 bytes that are left",
	} {
		if got := tokens(unhex(t, payload)); got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}
