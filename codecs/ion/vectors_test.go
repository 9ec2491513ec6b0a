package ion

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// row is one row of testdata/VERSION.tsv.
type row struct {
	codec, where, sample string
	payload              []byte // nil where Java's codec failed
}

// rows returns the rows of a release for a codec.
func rows(tb testing.TB, release, codec string) []row {
	tb.Helper()
	content, err := os.ReadFile("testdata/" + release + ".tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var out []row
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) < 4 || cells[0] != codec {
			continue
		}
		r := row{codec: cells[0], where: cells[1], sample: cells[2]}
		if !strings.HasPrefix(cells[3], "WRITEFAIL") {
			if r.payload, err = hex.DecodeString(cells[3]); err != nil {
				tb.Fatalf("%s: %v", lines.Text(), err)
			}
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		tb.Fatalf("no rows of %s in %s", codec, release)
	}
	return out
}

// TestVectors: what each release wrote decodes, and encodes to the same bytes.
func TestVectors(t *testing.T) {
	for _, release := range []string{"3.8.1", "3.12.5", "3.18.1", "3.19.0", "3.30.0", "3.45.1", "4.1.0", "4.7.0"} {
		t.Run(release, func(t *testing.T) {
			checkRows(t, Jackson(jackson.Since(release)), rows(t, release, "IonJacksonCodec"))
		})
	}
}

// needsDescription are beans with lists of final classes or records, which Java
// writes without a class: without a description of the bean that cannot be read.
var needsDescription = map[string]bool{"Order": true, "Times": true, "records in fields": true}

func checkRows(t *testing.T, codec codecs.Codec, rows []row) {
	t.Helper()
	for _, r := range rows {
		if r.payload == nil {
			continue
		}
		value, err := codec.Decode(r.payload)
		if err != nil && needsDescription[strings.TrimPrefix(r.sample, "POJO ")] && strings.Contains(err.Error(), "without the name of its class") {
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %s: %v", r.where, r.sample, r.payload, err)
			continue
		}
		again, err := codec.Encode(value)
		if err != nil || !bytes.Equal(again, r.payload) {
			t.Errorf("%s %s: %.200s became %.200s, %v", r.where, r.sample, r.payload, again, err)
		}
	}
}

// TestVectors3 is TestVectors for IonJackson3Codec.
func TestVectors3(t *testing.T) {
	checkRows(t, Jackson3(), rows(t, "4.7.0", "IonJackson3Codec"))
}
