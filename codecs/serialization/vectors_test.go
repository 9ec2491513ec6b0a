package serialization

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// vector is a payload that Java wrote.
type vector struct {
	name    string
	payload []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	var out []vector
	for _, file := range []string{"testdata/vectors.tsv", "testdata/samples.tsv"} {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(cells) < 2 || strings.HasPrefix(line, "#") {
				continue
			}
			payload, err := hex.DecodeString(cells[1])
			if err != nil {
				tb.Fatalf("%s: %v", cells[0], err)
			}
			out = append(out, vector{cells[0], payload})
		}
	}
	return out
}

// vectorCodec has the option that one payload needs.
func vectorCodec() *Codec { return New(NoFields("Samples2$NoDef")) }
