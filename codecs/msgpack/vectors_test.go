package msgpack_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
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
func codecOf(release string) codecs.Codec { return msgpack.Jackson(jackson.Since(release)) }

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
	for release, least := range map[string]int{
		"4.7.0": 800, "4.1.0": 4, "3.45.1": 4, "3.30.0": 4, "3.19.0": 26, "3.18.1": 26, "3.12.5": 240, "3.8.1": 240,
	} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			for _, f := range rows(t, release+".tsv", least) {
				if !strings.HasPrefix(f[3], "WRITEFAIL") {
					sameBytes(t, codecOf(release), strings.Join(f[:3], " "), unhex(t, f[3]))
				}
			}
		})
	}
	for _, release := range []string{"4.7.0", "3.8.1"} {
		t.Run("random "+release, func(t *testing.T) {
			t.Parallel()
			for _, f := range rows(t, "random-"+release+".tsv", 160) {
				sameBytes(t, codecOf(release), f[0]+" "+f[1], unhex(t, f[2]))
			}
		})
	}
}

// lenient are the payloads that Java refuses and we read: type information is missing.
var lenient = map[string]string{
	"bare array":             "read as a list without a class",
	"bare map":               "read as an object without a class",
	"bare array of a number": "read as a list without a class",
}

// strict are the payloads that Java reads and we refuse.
var strict = map[string]string{
	"extension as key": "Java makes a text of it with a hash code, that of MessagePackExtensionType.toString",
}

// TestReadsWhatJavaReads: what Java reads of payloads that it never writes, we read as
// the same value, and what it refuses we refuse, but for what is listed.
func TestReadsWhatJavaReads(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for release, least := range map[string]int{"4.7.0": 70, "3.8.1": 70} {
		for _, f := range rows(t, "accepts-"+release+".tsv", least) {
			name, payload, java, want, remark := f[0], unhex(t, f[1]), f[2] == "OK", f[3], f[4]
			v, err := codecOf(release).Decode(payload)
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

// sameInOurWords: Java makes a Long of a number in uint64 and a Double of a float,
// whatever it is, of extension types a class of its own, and shows a date in words.
func sameInOurWords(remark string) bool {
	switch remark {
	case "int as uint64", "float", "Date":
		return true
	}
	return strings.Contains(remark, "timestamp") || strings.Contains(remark, "ext")
}
