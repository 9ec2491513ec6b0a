package serialization

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/serial/serialtest"
)

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []serialtest.Vector {
	tb.Helper()
	var out []serialtest.Vector
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
			out = append(out, serialtest.Vector{Name: cells[0], Payload: payload})
		}
	}
	return out
}

// vectorCodec has the option that one payload needs.
func vectorCodec() *Codec { return New(NoFields("Samples2$NoDef")) }

// otherBytes are the payloads that do not come back byte for byte, and why.
var otherBytes = map[string]string{
	"spare room":       "a StringBuilder keeps its text, not its capacity",
	"empty strings":    "all empty strings are one",
	"numbers distinct": "small numbers are one, and new Integer makes another one",
	"digits distinct":  "decimals of few digits share them, and new BigDecimal(new BigInteger(…)) has its own",
	"numbers shared":   "numbers below 256 that Java does not keep are distinct",
}
