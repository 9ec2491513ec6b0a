package smile

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// FuzzTokens: what is on the tape is written by every kind of generator, unless Java
// refuses it, and read back as the same tokens.
func FuzzTokens(f *testing.F) {
	for i, v := range vectors(f) {
		if v.payload != nil && i%5 == 0 {
			f.Add(v.payload, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte, flags byte) {
		tape, err := tokenize(payload, codecs.Limits{Elements: 1 << 12, Depth: 64}, jackson2)
		if err != nil {
			return
		}
		g := newGenerator(flags&(flagNames|flagValues|flagRaw), flags&0x80 != 0)
		once, err := replayed(g, tape)
		if err != nil {
			return // a lone surrogate, a number that is too long
		}
		again, err := tokenize(once, codecs.Limits{Elements: 1 << 12, Depth: 64}, jackson3)
		if err != nil {
			t.Fatalf("%x became %x: %v", payload, once, err)
		}
		if a, b := dump(tape), dump(again); a != b {
			t.Fatalf("%x became %x:\n%s\n%s", payload, once, a, b)
		}
		if twice, err := replayed(g, again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%x became %x, then %x, %v", payload, once, twice, err)
		}
	})
}
