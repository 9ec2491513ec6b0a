package serialization

import (
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) {
	codec, small := New(), New(Limits(codecs.Limits{Elements: 4096}))
	for _, h := range hostile(t) {
		t.Run(h.name, func(t *testing.T) {
			codectest.Hostile[*sampleItem](t, codec, small, h.payload, h.reason)
		})
	}
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		if v.name != "laughs" && len(v.payload) < 16<<10 { // which unfolds to a tree of 2^30 lists
			f.Add(v.payload)
		}
	}
	for _, h := range hostile(f) {
		if len(h.payload) < 4<<10 {
			f.Add(h.payload)
		}
	}
	codec := New(Limits(codecs.Limits{Elements: 4096}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
	})
}
