package msgpack

import (
	"bytes"
	"testing"

	lib "github.com/vmihailenco/msgpack/v5"

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

// FuzzTokenize: what is read is well-formed, as a library sees it too, and ends where
// it does for the library, which takes no memory to step over a value.
func FuzzTokenize(f *testing.F) {
	for _, payload := range asked(f) {
		f.Add(payload)
	}
	for _, row := range databindtest.Golden(f, ".") {
		f.Add(row.Payload)
	}
	c := Jackson()
	f.Fuzz(func(t *testing.T, payload []byte) {
		var tape *token.Tape
		var err error
		codectest.Allocates(t, payload, func() { tape, err = databindtest.Tape(c, payload, databindtest.Hostile) })
		if err != nil {
			codectest.Refused(t, c, payload, err)
			return
		}
		if err := databindtest.CheckTape(tape); err != nil {
			t.Fatal(err)
		}
		rest := bytes.NewReader(payload)
		if err := lib.NewDecoder(rest).Skip(); err != nil {
			t.Fatalf("%x was read, and the library says %v", payload, err)
		}
		var b token.Builder
		if err := b.Begin(tape, Name, payload, token.Structure(databindtest.Hostile)); err != nil {
			t.Fatal(err)
		}
		if end, err := tokenize(&b, payload, nil); err != nil || end != len(payload)-rest.Len() {
			t.Fatalf("%x ends at %d, %v, for the library at %d", payload, end, err, len(payload)-rest.Len())
		}
	})
}

func FuzzDecode(f *testing.F) {
	limits := jackson.Limits(databindtest.Hostile)
	databindtest.Seed(f, asked(f))
	all := []codecs.Codec{Jackson(limits), Jackson(limits, jackson.Since("3.11.5")), Jackson(limits, jackson.Since("4.7.0"))}
	f.Fuzz(func(t *testing.T, payload []byte) { databindtest.Try(t, payload, all...) })
}
