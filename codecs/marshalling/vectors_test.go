package marshalling

import (
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
