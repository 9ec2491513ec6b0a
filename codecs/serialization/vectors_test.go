package serialization

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

type vector struct {
	label   string
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
			out = append(out, vector{label: cells[0], payload: payload})
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

func TestVectors(t *testing.T) {
	t.Parallel()
	codec := vectorCodec()
	exceptions := 0
	for _, v := range vectors(t) {
		if otherBytes[v.label] != "" {
			exceptions++
		}
		t.Run(v.label, func(t *testing.T) {
			value, err := codec.Decode(v.payload)
			if err != nil {
				t.Fatal(err)
			}
			got, err := codec.Encode(value)
			if err != nil {
				t.Fatal(err)
			}
			reason, excepted := otherBytes[v.label]
			if same := bytes.Equal(got, v.payload); same == excepted {
				t.Errorf("same bytes: %v, excepted: %q\nencoded again: %x\nJava wrote:    %x", same, reason, got, v.payload)
			}
		})
	}
	if exceptions != len(otherBytes) {
		t.Errorf("%d of %d exceptions have a sample", exceptions, len(otherBytes))
	}
}
