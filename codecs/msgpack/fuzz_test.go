package msgpack

import (
	"encoding/hex"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	lib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
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

// skip has the library step over the value at the head of a payload, which allocates
// nothing and follows all lengths. It returns where the value ends.
func skip(payload []byte) (int, error) {
	src := &source{b: payload}
	err := lib.NewDecoder(src).Skip()
	return src.pos, err
}

func FuzzTokenize(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		var b token.Builder
		var tape token.Tape
		var err error
		allocations(t, payload, func() { err = tokenize(&b, &tape, payload, token.Structure(hostile), newestRules) })
		if err != nil {
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Codec != Name || e.Offset > len(payload) {
				t.Fatalf("%x: untyped error %v", payload, err)
			}
			if strings.Contains(e.Reason, "not MessagePack") || strings.Contains(e.Reason, "not here") {
				t.Fatalf("%x: the pass and the library disagree: %v", payload, err)
			}
			return
		}
		if err := databindtest.CheckTape(&tape); err != nil {
			t.Fatal(err)
		}
		p := pass{b: payload, lim: token.Structure(hostile)}
		end, err := skip(payload)
		if fault := p.run(); fault != nil || err != nil || end != p.pos || p.tokens != len(tape.Tokens) {
			t.Fatalf("%x: %v, %v, ends at %d, the library at %d, %d of %d tokens", payload, fault, err, p.pos, end, p.tokens, len(tape.Tokens))
		}
	})
}

func FuzzDecode(f *testing.F) {
	seed(f)
	limits := jackson.Limits(hostile)
	all := []codecs.Codec{Jackson(limits), Jackson(limits, jackson.Redisson3_8), Jackson(limits, jackson.Redisson4_2)}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range all {
			allocations(t, payload, func() { _, _ = codec.Decode(payload) })
			codectest.Stable(t, codec, payload)
		}
	})
}
