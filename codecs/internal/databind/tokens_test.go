package databind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/msgpack"
)

// tokens shows the tokens of a payload, or the error.
func tokens(t *testing.T, c codecs.Codec, payload string) string {
	t.Helper()
	tape, err := databindtest.Tape(c, codectest.FromHex(t, payload), codecs.Limits{})
	if err != nil {
		return strings.TrimPrefix(err.Error(), "decode "+c.Name()+" ")
	}
	return showTape(tape)
}

// TestTokens: what payloads hold, or what is wrong with them, and where in the value and
// in the bytes.
func TestTokens(t *testing.T) {
	t.Parallel()
	for c, rows := range map[codecs.Codec]map[string]string{
		cbor.Jackson(): {
			"bf 61 61 9f 01 02 ff 05 82 f4 f5 ff":        `object(2) key:"a" array(2) 1 2 key:5 array(2) false true`,
			"a2 24 80 20 a0":                             "object(2) key:-5 array(0) key:-1 object(0)",
			"7f 61 61 62 c3a9 ff":                        `"aé"`,
			"7f ff":                                      `""`,
			"5f 41 01 41 02 ff":                          "bytes:0102",
			"9f 5f 41 01 ff 7f 61 61 ff 61 62 ff":        `array(3) bytes:01 "a" "b"`,
			"66 eda0bdedb880":                            `"😀"`,
			"66 eda0bdeda0bd":                            `"\xed\xa0\xbd\xed\xa0\xbd"`,
			"69 eda0bdedb88061 6263":                     `"😀abc"`,
			"d9d9f7 82 f9 3c00 fa 3fc00000":              "array(2) float:1 float:1.5",
			"85 f9 0001 f9 83ff f9 7c00 f9 fc00 f9 7e00": "array(5) float:5.960464477539063e-08 float:-6.097555160522461e-05 float:+Inf float:-Inf float:NaN",
			"82 f9 7bff f9 8000":                         "array(2) float:65504 float:-0",
			"fb 3ff8000000000000":                        "double:1.5",
			"83 f6 01 f7":                                "array(3) null 1 null",
			"1b ffffffffffffffff":                        "big:18446744073709551615",
			"3b ffffffffffffffff":                        "big:-18446744073709551616",
			"3b 7fffffffffffffff":                        "-9223372036854775808",
			"82 c2 41 05 c4 82 21 19 04ce":               "array(2) big:5 decimal:12.30",
			"c4 82 1a 7fffffff 01":                       "decimal:1E+2147483647",
			"c4 82 3a 7ffffffe 01":                       "decimal:1E-2147483647",
			"a1 43 414243 f8ff":                          `object(1) key:"ABC" 255`,
			"a1 42 ff41 01":                              `object(1) key:"�A" 1`,
			"c1 d8 20 63 616263":                         `"abc"`,
			"":                                           "at byte 0: the payload ends where a value should begin",
			"9f 01":                                      "at [1] at byte 2: the payload ends where a value should begin",
			"bf 61 61 9f 01 62 61":                       "at a[1] at byte 5: text that is said to be longer than the 1 bytes that are left",
			"a1 61 61 1c":                                "at a at byte 3: byte 0x1c begins no value",
			"ff":                                         "at byte 0: a break where a value should begin",
			"bf 61 61 ff":                                "at a at byte 3: a break where a value should begin",
			"83 01 ff 00":                                "at [1] at byte 2: a break where a value should begin",
			"19 01":                                      "at byte 0: the payload ends within a value",
			"a1 f5 01":                                   "at byte 1: the key of a map is neither text nor integer: Java reads no other",
			"a1 1b 8000000000000000 01":                  "at byte 1: an integer of more than 64 bits as the key of a map: Java reads another number",
			"62 c328":                                    "at byte 0: text that is not UTF-8",
			"7f 61 61 41 61 ff":                          "at byte 3: byte 0x41 begins no chunk of what began at byte 0",
			"7f 7f 61 61 ffff":                           "at byte 1: byte 0x7f begins no chunk of what began at byte 0",
			"9a ffffffff 00":                             "at byte 0: an array that is said to be longer than the 1 bytes that are left",
			"bb 8000000000000001 00":                     "at byte 0: a map that is said to be longer than the 1 bytes that are left",
			"7b ffffffffffffffff 00":                     "at byte 0: text that is said to be longer than the 1 bytes that are left",
			"c4 83 01 01 01":                             "at byte 0: a decimal fraction (tag 4) is an array of two numbers of definite length",
			"c4 82 3a 7fffffff 01":                       "at byte 2: the exponent of a decimal fraction is no int of Java",
			"c4 82 00 f5":                                "at byte 3: the mantissa of a decimal fraction is no whole number",
			"d8 19 00":                                   "at byte 0: references to strings (tags 25 and 256",
			"d9 0100 80":                                 "at byte 0: references to strings (tags 25 and 256",
			"f8 18":                                      "at byte 0: simple value 24 in two bytes",
			"c2 59 03e9" + strings.Repeat("00", 1001): "at byte 0: a number of 1001 bytes: Java takes at most 1000",
		},
		msgpack.Jackson(): {
			"82 a161 92 01 ff 05 92 c2 c3":                         `object(2) key:"a" array(2) 1 -1 key:5 array(2) false true`,
			"de 0001 d0 e0 dc 0000":                                "object(1) key:-32 array(0)",
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
			"df 00000001 c0 00":         "at byte 5: nil as the key of a map: Java reads strings, numbers, booleans and binary there",
			"":                          "at byte 0: the payload ends where a value should begin",
			"92 01":                     "at byte 0: an array that is said to be longer than the 1 bytes that are left",
			"93 01 92 01":               "at [1] at byte 2: an array that is said to be longer than the 1 bytes that are left",
			"82 a161 92 01 c1 a162":     "at a[1] at byte 5: byte 0xc1 begins no value",
			"82 a161 01 90 01":          "at byte 4: an array as the key of a map: Java reads strings, numbers, booleans and binary there",
			"82 a161 01 c1 01":          "at byte 4: byte 0xc1 begins no value",
			"81 d4 05 01 06":            "at byte 1: an extension type as the key of a map: Java reads strings, numbers, booleans and binary there",
			"cd 00":                     "at byte 0: the payload ends within a number",
			"81 a161 a3 6162":           "at a at byte 3: the payload ends within a string",
			"da 00":                     "at byte 0: the payload ends within a string",
			"c9 ffffffff 05":            "at byte 0: the payload ends within an extension type",
			"c6 ffffffff 05":            "at byte 0: the payload ends within binary",
			"dd ffffffff 00":            "at byte 0: an array that is said to be longer than the 1 bytes that are left",
			"df ffffffff 00":            "at byte 0: a map that is said to be longer than the 1 bytes that are left",
		},
	} {
		for payload, want := range rows {
			if got := tokens(t, c, payload); got != want && (!strings.HasSuffix(want, "256") || !strings.HasPrefix(got, want)) {
				t.Errorf("%s %s: %s, want %s", c.Name(), payload, got, want)
			}
		}
	}
}

// TestTokensByRelease: what bytes of CBOR mean is a matter of the release, never of the
// value.
func TestTokensByRelease(t *testing.T) {
	t.Parallel()
	newest, old, next := cbor.Jackson(), cbor.Jackson(jackson.Since("3.8.1")), cbor.Jackson3()
	for payload, want := range map[string][3]string{
		"c4 82 21 19 04ce":  {"decimal:12.30", "decimal:1.230E+5", "decimal:12.30"},
		"c4 82 03 01":       {"decimal:1E+3", "decimal:0.001", "decimal:1E+3"},
		"c3 41 01":          {"big:-1", "big:-1", "big:-2"},
		"c3 41 ff":          {"big:1", "big:1", "big:-256"},
		"c2 41 ff":          {"big:-1", "big:-1", "big:-1"},
		"c4 82 00 c3 41 01": {"decimal:-1", "decimal:-1", "decimal:-2"},
		"01 02":             {"1", "1", "at byte 1: 1 bytes behind the value"},
	} {
		if got := [3]string{tokens(t, newest, payload), tokens(t, old, payload), tokens(t, next, payload)}; got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// lenient are the payloads that Java refuses and we read: what is missing is type
// information, or the value is one of a class that only Java knows.
var lenient = map[string]string{
	"tag beyond an int":      "unknown tags mean nothing, however large",
	"bare array":             "read as a list without a class",
	"bare map":               "read as an object without a class",
	"bare array of a number": "read as a list without a class",
	"bigfloat":               "an unknown tag before a bare array",
	// Only older releases refuse these.
	"empty bignum": "read as 0", "empty negative bignum": "read as 0",
	"simple value 0": "an int, as since Jackson 2.12", "simple value 19": "an int, as since Jackson 2.12",
	"simple value 32": "an int, as since Jackson 2.12", "simple value 255": "an int, as since Jackson 2.12",
	"two tags": "tags nest, as since Jackson 2.15", "three tags": "tags nest, as since Jackson 2.15",
	"tagged key": "tags of keys mean nothing, as since Jackson 2.15",
}

// strict are the payloads that Java reads and we refuse.
var strict = map[string]string{
	"decimal with the smallest exponent":        "Java negates the smallest int to itself",
	"key beyond a long":                         "Java reads another number",
	"negative key beyond a long":                "Java reads another number",
	"overlong":                                  "no UTF-8",
	"beyond Unicode":                            "no UTF-8, and Java makes surrogates of it that it cannot write",
	"broken UTF-8":                              "Jackson 2.9 does not look at the second byte",
	"references to strings":                     "Redisson's codecs have them switched off",
	"reference to a string without a namespace": "a number to Jackson 2.9, which knows no references",
	"simple value 0":                            "Java 3 makes a CBORSimpleValue of it, which it does not write back",
	"simple value 19":                           "the same", "simple value 32": "the same", "simple value 255": "the same",
	"extension as key": "Java makes a text of it with a hash code, that of MessagePackExtensionType.toString",
}

// otherWords are values that Java shows in other words: a date; a Long of an int in nine
// bytes or of a number in uint64; a Double of any float of MessagePack; a class of its own
// for extension types; Jackson 2.9 misreads keys beyond an int.
var otherWords = map[string]bool{"int in nine bytes": true, "Date": true, "long key": true, "int as uint64": true, "float": true}

// TestReadsWhatJavaReads: what Java reads of payloads that it never writes, we read as
// the same value, and what it refuses we refuse, but for what is listed.
func TestReadsWhatJavaReads(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, file := range []string{"cbor/testdata/accepts-4.7.0", "cbor/testdata/accepts-3.8.1", "msgpack/testdata/accepts-4.7.0", "msgpack/testdata/accepts-3.8.1"} {
		_, release, _ := strings.Cut(file, "-")
		for _, f := range codectest.Rows(t, "../../"+file+".tsv") {
			name, payload, java, want, remark := f[0], codectest.FromHex(t, f[1]), f[2] == "OK", f[3], f[4]
			v, err := codecOf(name, release).Decode(payload)
			what := fmt.Sprintf("%s %s %s: %x", release, name, remark, payload)
			switch got := ask(v); {
			case java && err != nil:
				if strict[remark] == "" {
					t.Errorf("%s: %v, Java reads %s", what, err, want)
				}
				used["strict "+remark] = true
			case !java && err == nil:
				if lenient[remark] == "" {
					t.Errorf("%s: read as %s, Java fails with %s", what, got, want)
				}
				used["lenient "+remark] = true
			case java && got != want && !otherWords[remark] && !strings.Contains(remark, "timestamp") && !strings.Contains(remark, "ext"):
				t.Errorf("%s: %s, Java reads %s", what, got, want)
			}
		}
	}
	if len(used) != len(lenient)+len(strict) {
		t.Errorf("%d of %d exceptions happen: %v", len(used), len(lenient)+len(strict), used)
	}
}
