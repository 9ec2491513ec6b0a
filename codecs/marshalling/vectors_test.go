package marshalling

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// vector is one payload that Java wrote.
type vector struct {
	library, label string
	payload        []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB, file string) []vector {
	tb.Helper()
	var out []vector
	for _, f := range codectest.Rows(tb, "testdata/"+file) {
		if len(f) == 3 && strings.HasPrefix(f[0], "river") {
			out = append(out, vector{library: f[0], label: f[1], payload: codectest.FromHex(tb, f[2])})
		}
	}
	if len(out) == 0 {
		tb.Fatalf("%s holds no payload", file)
	}
	return out
}

// sample returns what Java wrote for a sample.
func sample(tb testing.TB, label string) []byte {
	tb.Helper()
	for _, v := range vectors(tb, "samples.tsv") {
		if v.label == label {
			return v.payload
		}
	}
	tb.Fatalf("no sample %s", label)
	return nil
}
