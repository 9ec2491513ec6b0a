package cbor_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// TestTwoWays compares typed plans with the way by values.
func TestTwoWays(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]jackson.Option{nil, {jackson.Redisson3_8}, {jackson.Redisson4_2}} {
		databindtest.Agree(t, cbor.Jackson(opts...))
	}
	databindtest.Agree(t, cbor.Jackson3())
}

// FuzzTyped compares the two ways on bytes of the fuzzer.
func FuzzTyped(f *testing.F) {
	s := databindtest.NewSuite(f, cbor.Jackson(jackson.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})))
	for _, seed := range s.Seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, payload []byte) { s.Check(t, payload) })
}
