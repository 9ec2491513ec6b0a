package smile

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// vector is a row of testdata.
type vector struct {
	release string
	codec   string // SmileJacksonCodec or SmileJackson3Codec
	name    string
	payload []byte // nil: Java failed to write it
}

// vectors returns the rows of all releases, the newest first.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	files, err := filepath.Glob("testdata/[0-9]*.tsv")
	if err != nil || len(files) < 8 {
		tb.Fatalf("files with vectors: %d, %v", len(files), err)
	}
	var all []vector
	for i := range files {
		path := files[len(files)-1-i]
		release := strings.TrimSuffix(filepath.Base(path), ".tsv")
		for _, c := range rows(tb, path) {
			v := vector{release: release, codec: c[0], name: c[1] + " " + c[2]}
			if !strings.HasPrefix(c[3], "WRITEFAIL") {
				v.payload = unhex(tb, c[3])
			}
			all = append(all, v)
		}
	}
	return all
}

// rows returns the rows of a file, by columns.
func rows(tb testing.TB, path string) [][]string {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var all [][]string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if c := strings.Split(s.Text(), "\t"); len(c) >= 2 && !strings.HasPrefix(c[0], "#") {
			all = append(all, c)
		}
	}
	if s.Err() != nil {
		tb.Fatal(s.Err())
	}
	return all
}

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return b
}

// alone returns payload as a thread writes it that has not written CBOR before: the
// program behind the rows has, and some releases of Jackson then take over CBOR's buffer
// of 16,000 bytes, in which ASCII strings of up to 5,332 characters fit.
func alone(payload []byte) []byte {
	if len(payload) > headerLength+maxLongASCII+2 && payload[headerLength] == byteLongASCII {
		payload = bytes.Clone(payload)
		payload[headerLength] = byteLongUTF8
	}
	return payload
}

// signs reports whether the release's Jackson extends the sign of a Float.
func signs(release string) bool { return strings.HasPrefix(release, "3.") }

// TestTokensOfVectors reads what Java wrote and writes the same bytes from its tokens.
func TestTokensOfVectors(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.payload == nil {
			continue
		}
		rules := jackson2
		if v.codec == "SmileJackson3Codec" {
			rules = jackson3
		}
		tape, err := tokenize(v.payload, codecs.Limits{}, rules)
		if err != nil {
			t.Errorf("%s %s %s: %.200x: %v", v.release, v.codec, v.name, v.payload, err)
			continue
		}
		if again := replay(t, newGenerator(flagNames, signs(v.release)), tape); !bytes.Equal(again, alone(v.payload)) {
			t.Errorf("%s %s %s: %.200x became %.200x", v.release, v.codec, v.name, v.payload, again)
		}
		n++
	}
	if n < 1500 {
		t.Errorf("%d rows were read", n)
	}
}
