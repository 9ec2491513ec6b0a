// Package databindtest is what the tests of the formats of Jackson's family have in common.
package databindtest

import (
	"path/filepath"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// Row is one value that Java wrote.
type Row struct {
	Release, Codec, Where, Sample string
	Payload                       []byte
}

// Golden returns what the released jars wrote, those that differ between releases for
// each: the rows of the folder's files that are named by a release.
func Golden(tb codectest.TB, folder string) []Row {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "testdata", "[0-9]*.tsv"))
	if err != nil || len(files) < 8 {
		tb.Fatalf("files of %s: %d, %v", folder, len(files), err)
	}
	var all []Row
	for _, path := range files {
		for _, c := range codectest.Rows(tb, path) {
			if strings.HasPrefix(c[3], "WRITEFAIL") {
				continue
			}
			all = append(all, Row{strings.TrimSuffix(filepath.Base(path), ".tsv"), c[0], c[1], c[2], codectest.FromHex(tb, c[3])})
		}
	}
	return all
}

// Tape returns the tokens that a codec of the family reads from a payload.
func Tape(c codecs.Codec, payload []byte, lim codecs.Limits) (*token.Tape, error) {
	t := new(token.Tape)
	err := c.(*databind.Codec).Tape(new(token.Builder), t, payload, token.Structure(lim.WithDefaults()))
	return t, err
}
