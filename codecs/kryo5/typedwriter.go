package kryo5

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

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
	scope   layout.Scope
	keys    []string // scratch for the order of maps
	word    place    // a pointer or map that is the whole value
	refused bool     // a class that allowedClasses does not name
	e       *encoder // of the dynamic engine, from its first use on
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
	if units, ok := plainUnits(s); ok && len(s) > 1 {
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
	for i := range len(s) {
		if s[i] >= 0xf0 {
			return 0, false
		}
		if s[i]&0xc0 != 0x80 {
			units++
		}
	}
	return units, utf8.ValidString(s)
}

func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&highBits != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
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
	w.out = append(w.out, idByName)
	for i, seen := range w.classes {
		if seen == c || seen.name == c.name {
			w.uv32(uint32(i))
			return
		}
	}
	w.uv32(uint32(len(w.classes)))
	w.out = append(w.out, c.wire...)
	w.classes = append(w.classes, c)
}

// enter begins a container of n values.
func (w *typedWriter) enter(n int) bool {
	if w.depth >= w.codec.limits.Depth || n >= math.MaxInt32 {
		return false
	}
	w.depth++
	return true
}
