package cbor_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// rows reads a table of testdata, which has at least so many rows.
func rows(tb testing.TB, file string, least int) [][]string {
	tb.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	if len(out) < least {
		tb.Fatalf("%s: only %d rows", file, len(out))
	}
	return out
}

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return b
}

// codecOf returns the codec by which a release of Redisson wrote.
func codecOf(tb testing.TB, name, release string) codecs.Codec {
	tb.Helper()
	switch name {
	case "CborJacksonCodec":
		return cbor.Jackson(jackson.Since(release))
	case "CborJackson3Codec":
		return cbor.Jackson3(jackson.Since("4.7.0"))
	}
	tb.Fatalf("no codec %s", name)
	return nil
}

// sameBytes holds a codec to write the payload again that it read.
func sameBytes(t *testing.T, c codecs.Codec, name string, payload []byte) {
	t.Helper()
	v, err := c.Decode(payload)
	if err != nil {
		t.Errorf("%s: %v\n%x", name, err, payload)
		return
	}
	again, err := c.Encode(v)
	if err != nil || !bytes.Equal(again, payload) {
		t.Errorf("%s: %v\nJava %x\nwe   %x\n%s", name, err, payload, again, java.View(v))
	}
}

// TestSameBytes: whatever Java wrote, of any class and by any release, comes back and
// is written again byte for byte.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	// Java writes a bean without fields as a definite map, and reads it as a
	// LinkedHashMap, as we do, which it writes as an indefinite one.
	untyped := map[string]bool{"CborJackson3Codec Object": true, "CborJackson3Codec empty POJO": true}
	for release, least := range map[string]int{
		"4.7.0": 1600, "4.1.0": 10, "3.45.1": 10, "3.30.0": 10, "3.19.0": 32, "3.18.1": 32, "3.12.5": 250, "3.8.1": 290,
	} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			for _, f := range rows(t, release+".tsv", least) {
				if !strings.HasPrefix(f[3], "WRITEFAIL") && !untyped[f[0]+" "+f[2]] {
					sameBytes(t, codecOf(t, f[0], release), strings.Join(f[:3], " "), unhex(t, f[3]))
				}
			}
		})
	}
	for _, release := range []string{"4.7.0", "3.8.1"} {
		t.Run("random "+release, func(t *testing.T) {
			t.Parallel()
			for _, f := range rows(t, "random-"+release+".tsv", 160) {
				sameBytes(t, codecOf(t, f[0], release), f[0]+" "+f[1], unhex(t, f[2]))
			}
		})
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
}

// TestReadsWhatJavaReads: what Java reads of payloads that it never writes, we read as
// the same value, and what it refuses we refuse, but for what is listed.
func TestReadsWhatJavaReads(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for release, least := range map[string]int{"4.7.0": 220, "3.8.1": 110} {
		for _, f := range rows(t, "accepts-"+release+".tsv", least) {
			name, payload, java, want, remark := f[0], unhex(t, f[1]), f[2] == "OK", f[3], f[4]
			v, err := codecOf(t, name, release).Decode(payload)
			what := fmt.Sprintf("%s %s %s: %x", release, name, remark, payload)
			switch got := databindtest.Show(v); {
			case java && err != nil:
				if strict[remark] == "" {
					t.Errorf("%s: %v, Java reads %s", what, err, want)
				}
				used[remark] = true
			case !java && err == nil:
				if lenient[remark] == "" {
					t.Errorf("%s: read as %s, Java fails with %s", what, got, want)
				}
				used[remark] = true
			case java && got != want && !sameInOurWords(remark):
				t.Errorf("%s: %s, Java reads %s", what, got, want)
			}
		}
	}
	for _, m := range []map[string]string{lenient, strict} {
		for remark := range m {
			if !used[remark] {
				t.Errorf("%s is listed and happens nowhere", remark)
			}
		}
	}
}

// sameInOurWords: Java makes a Long of an int in nine bytes and decides by the bytes;
// a date is shown in words; Jackson 2.9 misreads keys beyond an int.
func sameInOurWords(remark string) bool {
	return remark == "int in nine bytes" || remark == "Date" || remark == "long key"
}
