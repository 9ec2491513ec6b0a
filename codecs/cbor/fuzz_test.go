package cbor

import (
	"errors"
	"testing"

	lib "github.com/fxamacker/cbor/v2"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// asked returns the payloads that Java was asked to read.
func asked(f *testing.F) (all [][]byte) {
	f.Helper()
	for _, row := range codectest.Rows(f, "testdata/accepts-4.7.0.tsv") {
		all = append(all, codectest.FromHex(f, row[1]))
	}
	return all
}

// FuzzTokenize: what is read is well-formed, as a library sees it too.
func FuzzTokenize(f *testing.F) {
	for _, payload := range asked(f) {
		f.Add(payload)
	}
	for _, row := range databindtest.Golden(f, ".") {
		f.Add(row.Payload)
	}
	theirs, err := lib.DecOptions{MaxNestedLevels: 65535, MaxArrayElements: 1 << 30, MaxMapPairs: 1 << 30}.DecMode()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range []codecs.Codec{Jackson(), Jackson(jackson.Since("3.8.1")), Jackson3()} {
			var tape *token.Tape
			var err error
			codectest.Allocates(t, payload, func() { tape, err = databindtest.Tape(c, payload, databindtest.Hostile) })
			if err != nil {
				codectest.Refused(t, c, payload, err)
				continue
			}
			if err := databindtest.CheckTape(tape); err != nil {
				t.Fatal(err)
			}
			var behind *lib.ExtraneousDataError
			if err := theirs.Wellformed(payload); err != nil && (c.Name() == Name3 || !errors.As(err, &behind)) {
				t.Fatalf("%x was read, and the library says %v", payload, err)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	limits := jackson.Limits(databindtest.Hostile)
	databindtest.Seed(f, asked(f))
	all := []codecs.Codec{Jackson(limits), Jackson(limits, jackson.Since("3.11.5")), Jackson(limits, jackson.Since("4.7.0")), Jackson3(limits)}
	f.Fuzz(func(t *testing.T, payload []byte) { databindtest.Try(t, payload, all...) })
}
