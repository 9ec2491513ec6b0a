package marshalling

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// vector is one payload that Java wrote.
type vector struct {
	library, label string
	payload        []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB, file string) []vector {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	var out []vector
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || !strings.HasPrefix(f[0], "river") {
			continue
		}
		payload, err := hex.DecodeString(f[2])
		if err != nil {
			tb.Fatalf("%s: %v", f[1], err)
		}
		out = append(out, vector{library: f[0], label: f[1], payload: payload})
	}
	if len(out) == 0 {
		tb.Fatalf("%s holds no payload", file)
	}
	return out
}

// differs are the vectors that are not written as Java wrote them, with the
// reason.
var differs = func() map[string]string {
	out := map[string]string{}
	for _, label := range []string{"MyList", "MyList[e]", "MyAd", "MyLL", "dblbrace list", "tags"} {
		out["river4-2.0.9/"+label] = "the superclass of a list is written as library 2.0.10 and later do"
	}
	for _, label := range []string{"String fffffffff1", "HashMap {orderId:100}", "Color.GREEN", "Order"} {
		out["river2/"+label] = "protocol 4 is written, as Redisson does"
		out["river3/"+label] = "protocol 4 is written, as Redisson does"
	}
	return out
}()

func TestVectors(t *testing.T) {
	t.Parallel()
	codec := New()
	seen := map[string]bool{}
	for _, v := range append(vectors(t, "legacy.tsv"), vectors(t, "samples.tsv")...) {
		key := v.library + "/" + v.label
		seen[key] = true
		t.Run(key, func(t *testing.T) {
			if _, err := codec.Decode(v.payload); err != nil {
				t.Fatal(err)
			}
			value, err := codec.Decode(v.payload) // now that its classes are known
			if err != nil {
				t.Fatal(err)
			}
			got, err := codec.Encode(value)
			same := err == nil && bytes.Equal(got, v.payload)
			switch reason := differs[key]; {
			case reason == "" && !same:
				t.Errorf("encoded again: %x, %v\nJava wrote:    %x", got, err, v.payload)
			case reason != "" && same:
				t.Errorf("it is written as Java wrote it: take it off the list of exceptions (%s)", reason)
			}
		})
	}
	for key := range differs {
		if !seen[key] {
			t.Errorf("the list of exceptions names %s, which is no vector", key)
		}
	}
}
