package marshalling

import (
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// few are limits for payloads that anybody may have written.
var few = codecs.Limits{Elements: 4096, Depth: 64}

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) {
	codec, small := New(Limits(few)), New(Limits(codecs.Limits{Elements: few.Elements}))
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			codectest.Hostile[*order](t, codec, small, h.payload, h.reason)
		})
	}
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"legacy.tsv", "samples.tsv"} {
		for _, v := range vectors(f, file) {
			f.Add(v.payload)
		}
	}
	for _, u := range unsharedVectors(f) {
		f.Add(u.payload)
	}
	for _, h := range hostile() {
		f.Add(h.payload)
	}
	codec := New(Limits(few))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
	})
}
