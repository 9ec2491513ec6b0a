package marshalling

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// Texts in River are Java's modified UTF-8, counted in UTF-16 code units: one to
// three bytes a unit, U+0000 as C0 80 and a character beyond U+FFFF as two
// surrogates of three bytes. Go strings are UTF-8, with lone surrogates as the
// three bytes they have here (WTF-8).

// maxShared is the payload size up to which strings are cut from one copy of the
// payload. In larger ones a string that outlives the others would keep too much.
const maxShared = 4096

// utf reads n code units.
func (d *input) utf(n int) (string, error) {
	start := d.At
	if n < 0 || n > d.remaining() {
		return "", d.fault(start, "a text of %d characters does not fit into the %d bytes left", n, d.remaining())
	}
	if ascii(d.In[start : start+n]) {
		d.At += n
		if n > d.limits.StringBytes {
			return "", d.longText(start, n)
		}
		return d.cut(start, d.At), nil
	}
	plain, err := d.skipUTF(n)
	if err != nil {
		return "", err
	}
	if d.At-start > d.limits.StringBytes {
		return "", d.longText(start, d.At-start)
	}
	if plain {
		return d.cut(start, d.At), nil
	}
	return serial.String(d.In[start:d.At])
}

func (d *input) longText(start, n int) error {
	return d.fault(start, "a text of %d bytes, more than %d: raise Limits.StringBytes if that is right", n, d.limits.StringBytes)
}

// ascii reports whether all bytes are below 0x80.
func ascii(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut returns in[from:to] as a string. Each call has its own memory, also for
// texts of one byte: two texts of a payload are never one string, so that they
// are told apart when they are written again.
func (d *input) cut(from, to int) string {
	if from == to {
		return ""
	}
	if len(d.In) > maxShared {
		return serial.Own(d.In[from:to])
	}
	if d.text == "" || from < d.textAt {
		d.text, d.textAt = serial.Own(d.In[from:]), from
	}
	return d.text[from-d.textAt : to-d.textAt]
}

// skipUTF passes n code units. Plain is true when their bytes are UTF-8 as well.
func (d *input) skipUTF(n int) (plain bool, err error) {
	plain = true
	in, i := d.In, d.At
	for ; n > 0; n-- {
		if i >= len(in) {
			return false, d.ended()
		}
		width := 1
		switch c := in[i]; {
		case c < 0x80:
		case c&0xE0 == 0xC0:
			width = 2
			plain = plain && c >= 0xC2
		case c&0xF0 == 0xE0:
			width = 3
		default:
			return false, d.fault(i, "byte 0x%02x begins no character of modified UTF-8", c)
		}
		if i+width > len(in) {
			return false, d.ended()
		}
		for k := 1; k < width; k++ {
			if in[i+k]&0xC0 != 0x80 {
				return false, d.fault(i+k, "byte 0x%02x inside a character of modified UTF-8", in[i+k])
			}
		}
		if width == 3 {
			plain = plain && (in[i] != 0xE0 || in[i+1] >= 0xA0) && (in[i] != 0xED || in[i+1] < 0xA0)
		}
		i += width
	}
	d.At = i
	return plain, nil
}

// units returns the number of UTF-16 code units of s and whether its bytes are
// modified UTF-8 as they are; ok is false when they are no text.
func units(s string) (n int, plain, ok bool) {
	if asciiText(s) {
		return len(s), true, true
	}
	plain = true
	for i := 0; i < len(s); {
		r, width := javatext.DecodeRune(s[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			return 0, false, false
		case r > 0xFFFF:
			n++
			plain = false
		case r == 0:
			plain = false
		}
		n++
		i += width
	}
	return n, plain, true
}

// asciiText reports whether s has the characters U+0001 to U+007F only.
func asciiText(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (w|(w-ones)&^w)&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i]-1 >= 0x7F {
			return false
		}
	}
	return true
}
