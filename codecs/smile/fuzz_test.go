package smile

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
)

// FuzzTokens: what is on the tape is written by every kind of generator, unless Java
// refuses it, and read back as what is written the same.
func FuzzTokens(f *testing.F) {
	for i, row := range databindtest.Golden(f, ".") {
		if i%5 == 0 {
			f.Add(row.Payload, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte, flags byte) {
		tape, err := databindtest.Tape(Jackson(), payload, codecs.Limits{})
		if err != nil {
			return
		}
		g := &generator{flags: flags & (flagNames | flagValues | flagRaw), signed: flags&0x80 != 0}
		once, err := replayed(g, tape)
		if err != nil {
			return // a lone surrogate, a number that is too long
		}
		again, err := databindtest.Tape(Jackson3(), once, codecs.Limits{})
		if err != nil {
			t.Fatalf("%x became %x: %v", payload, once, err)
		}
		if twice, err := replayed(g, again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%x became %x, then %x, %v", payload, once, twice, err)
		}
	})
}
