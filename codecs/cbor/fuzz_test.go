package cbor

import (
	"encoding/hex"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	lib "github.com/fxamacker/cbor/v2"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// hostile are the limits under which hostile payloads are tried.
var hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}

// seed adds what Java wrote and what it was asked to read.
func seed(f *testing.F) {
	for file, column := range map[string]int{"4.7.0.tsv": 3, "3.8.1.tsv": 3, "accepts-4.7.0.tsv": 1} {
		raw, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			payload, err := hex.DecodeString(strings.TrimSpace(strings.Split(line, "\t")[column]))
			if err == nil && len(payload) < 1000 {
				f.Add(payload)
			}
		}
	}
}

// allocations holds the memory that a call takes to what the payload justifies.
func allocations(tb testing.TB, payload []byte, call func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	if used, bound := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > bound {
		tb.Fatalf("%x: allocated %d bytes, more than %d", payload, used, bound)
	}
}

func FuzzTokenize(f *testing.F) {
	seed(f)
	all, err := lib.DecOptions{MaxNestedLevels: 4096, MaxArrayElements: 1 << 30, MaxMapPairs: 1 << 30}.DecMode()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, r := range []*databind.Rules{newestRules, oldRules, rules3} {
			var b token.Builder
			var tape token.Tape
			var err error
			allocations(t, payload, func() { err = tokenizer(Name)(&b, &tape, payload, token.Structure(hostile), r) })
			formed := all.Wellformed(payload)
			if err != nil {
				var e *codecs.DecodeError
				if !errors.As(err, &e) || e.Codec != Name || e.Offset > len(payload) {
					t.Fatalf("%x: untyped error %v", payload, err)
				}
				continue
			}
			if formed != nil && (r.Jackson == 3 || !trailing(formed)) {
				t.Fatalf("%x was read, and the library says %v", payload, formed)
			}
			if err := databindtest.CheckTape(&tape); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	seed(f)
	limits := jackson.Limits(hostile)
	all := []codecs.Codec{Jackson(limits), Jackson(limits, jackson.Redisson3_8), Jackson(limits, jackson.Redisson4_2), Jackson3(limits)}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range all {
			allocations(t, payload, func() { _, _ = codec.Decode(payload) })
			codectest.Stable(t, codec, payload)
		}
	})
}
