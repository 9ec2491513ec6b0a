package smile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// FuzzDecode: no payload makes the decoder panic or take more memory than its bytes
// justify; every error is a DecodeError; what was decoded can be written, and that is
// stable.
func FuzzDecode(f *testing.F) {
	var seeds [][]byte
	for _, seed := range []string{
		"3a290a02 f8 416161 01 ec00 bf" + strings.Repeat("61", 65) + "02 f9", "3a290a04 fd820102", "c4ff",
		"3a290a01 f8 fa 346162fcc6 fb fa 40c8 fb f9", "3a290a01 84 eda0bdedb880", "26810005", "2a80810005", "287b7c000000",
		"fa8061c43000c6fb", "e8870000000000000000", "250000000081", "240f7f7f7fbf",
	} {
		seeds = append(seeds, codectest.FromHex(f, seed))
	}
	limits := jackson.Limits(databindtest.Hostile)
	databindtest.Fuzz(f, seeds, Jackson(limits), Jackson3(limits))
}

// FuzzTokens: what is on the tape is written by every kind of generator, unless Java
// refuses it, and read back as the same tokens.
func FuzzTokens(f *testing.F) {
	for i, row := range databindtest.Golden(f, ".") {
		if i%5 == 0 {
			f.Add(row.Payload, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte, flags byte) {
		tape, err := databindtest.Tape(Jackson(), payload, databindtest.Hostile)
		if err != nil {
			return
		}
		g := newGenerator(flags&(flagNames|flagValues|flagRaw), flags&0x80 != 0)
		once, err := replayed(g, tape)
		if err != nil {
			return // a lone surrogate, a number that is too long
		}
		again, err := databindtest.Tape(Jackson3(), once, databindtest.Hostile)
		if err != nil {
			t.Fatalf("%x became %x: %v", payload, once, err)
		}
		if a, b := databindtest.Show(tape), databindtest.Show(again); a != b {
			t.Fatalf("%x became %x:\n%s\n%s", payload, once, a, b)
		}
		if twice, err := replayed(g, again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%x became %x, then %x, %v", payload, once, twice, err)
		}
	})
}
