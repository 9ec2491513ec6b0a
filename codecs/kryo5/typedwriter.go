package kryo5

import (
	"encoding/binary"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// typedWriter writes one Go value straight to bytes. Like the reader's, its
// methods answer false for whatever is not usual; the value is then lowered to
// Java values and written by the dynamic engine, or refused by it in words.
type typedWriter struct {
	codec   *Codec
	types   *typedTypes
	out     []byte
	depth   int
	classes []*class // in the order of their name ids
	names   uint64   // bits of their names
	scope   layout.Scope
	keys    []string     // scratch for the order of maps
	entries []plainEntry // scratch for small maps
	word    memory.Place // a pointer or map that is the whole value
	refused bool         // a class that allowedClasses does not name
	e       *encoder     // of the dynamic engine, from its first use on
}

func (w *typedWriter) byte(b byte) { w.out = append(w.out, b) }

func (w *typedWriter) uv32(v uint32) {
	if v < 0x80 {
		w.out = append(w.out, byte(v))
		return
	}
	w.out = binary.AppendUvarint(w.out, uint64(v))
}

func (w *typedWriter) zz32(v int32) { w.uv32(uint32(v<<1) ^ uint32(v>>31)) }

func (w *typedWriter) zz64(v int64) { w.out = appendUV64(w.out, uint64(v<<1)^uint64(v>>63)) }

func (w *typedWriter) fixed64(v uint64) { w.out = binary.LittleEndian.AppendUint64(w.out, v) }

// text writes a string; false for one that is not UTF-8.
func (w *typedWriter) text(s string) bool {
	if len(s) < 2 || len(s) > maxASCII {
		return w.longText(s)
	}
	at := len(w.out)
	w.out = append(w.out, s...)
	written := w.out[at:]
	if !isASCII(written) {
		w.out = w.out[:at]
		return w.longText(s)
	}
	written[len(written)-1] |= 0x80
	return true
}

// longText writes what is not bare ASCII.
func (w *typedWriter) longText(s string) bool {
	if units, ok := plainUnits(s); ok {
		w.out = append(appendFlagged(w.out, uint32(units)+1, true), s...)
		return true
	}
	out, ok := appendString(w.out, s)
	w.out = out
	return ok
}

// plainUnits returns the UTF-16 length of s where its UTF-8 is what Kryo writes:
// no surrogates.
func plainUnits(s string) (int, bool) {
	units := 0
	for i := 0; i < len(s); units++ {
		switch c := s[i]; {
		case c < 0x80:
			i++
		case c >= 0xe0 && c < 0xf0 && i+3 <= len(s):
			next := s[i+1]
			if next&0xc0 != 0x80 || s[i+2]&0xc0 != 0x80 || c == 0xe0 && next < 0xa0 || c == 0xed && next >= 0xa0 {
				return 0, false
			}
			i += 3
		case c >= 0xc2 && c < 0xe0 && i+2 <= len(s) && s[i+1]&0xc0 == 0x80:
			i += 2
		default:
			return 0, false
		}
	}
	return units, len(s) > 1
}

func isASCII(b []byte) bool {
	if n := len(b); n >= 8 {
		all := binary.LittleEndian.Uint64(b[n-8:])
		for ; len(b) > 8; b = b[8:] {
			all |= binary.LittleEndian.Uint64(b)
		}
		return all&highBits == 0
	}
	var all byte
	for _, c := range b {
		all |= c
	}
	return all < 0x80
}

// class writes a class id; nil means null.
func (w *typedWriter) class(c *class) {
	switch {
	case c == nil:
		w.out = append(w.out, idNull)
		return
	case c.id != 0:
		w.uv32(c.id)
		return
	case w.types.known.allowed != nil:
		w.refused = true // Java would not write the class
		return
	}
	if bit := nameBit(c.name); w.names&bit == 0 {
		w.names |= bit
	} else {
		for i, seen := range w.classes {
			if seen == c || seen.name == c.name {
				w.out = append(w.out, idByName)
				w.uv32(uint32(i))
				return
			}
		}
	}
	w.byte(idByName)
	w.uv32(uint32(len(w.classes)))
	w.out = append(w.out, c.wire...)
	w.classes = append(w.classes, c)
}

// nameBit returns a bit that tells most names apart.
func nameBit(name string) uint64 {
	return 1 << ((len(name) + int(name[len(name)-1])*5) & 63)
}

// enter begins a container of n values.
func (w *typedWriter) enter(n int) bool {
	if w.depth >= w.codec.limits.Depth || n >= math.MaxInt32 {
		return false
	}
	w.depth++
	return true
}
