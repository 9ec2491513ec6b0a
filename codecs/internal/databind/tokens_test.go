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
	rows := codectest.Rows(t, "testdata/tokens.tsv")
	for _, row := range rows {
		got := tokens(t, map[string]codecs.Codec{"cbor": cbor.Jackson(), "msgpack": msgpack.Jackson()}[row[0]], row[1])
		if want := row[2]; got != want && (!strings.HasSuffix(want, "256") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s %.200s: %s, want %s", row[0], row[1], got, want)
		}
	}
	if len(rows) < 78 {
		t.Errorf("only %d rows", len(rows))
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
