package serial

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

var errText = errors.New("text is not modified UTF-8")

// String returns the text whose modified UTF-8 is b, with surrogate pairs joined
// and lone surrogates as three bytes (WTF-8). Each call makes a string of its
// own: [SameObject] tells equal strings apart by that.
func String(b []byte) (string, error) {
	if !plain(b) {
		return wide(b)
	}
	return own(b), nil
}

// plain reports whether a text is ASCII without U+0000, its own modified UTF-8.
func plain[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i]-1 >= utf8.RuneSelf-1 {
			return false
		}
	}
	return true
}

// own returns b as a string of its own memory; string(b) has none where b is one byte.
func own(b []byte) string {
	var out strings.Builder
	out.Write(b)
	return out.String()
}

// wide is String for text that is not plain.
func wide(b []byte) (string, error) {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := unit(b)
		if n == 0 {
			return "", errText
		}
		out, b = javatext.AppendUnit(out, 0, uint16(r)), b[n:]
	}
	return string(out), nil
}

// unit returns one UTF-16 code unit and its length in modified UTF-8; a length
// of 0 where there is none. A zero byte counts as U+0000, as Java reads it.
func unit(b []byte) (rune, int) {
	c := b[0]
	switch {
	case c < 0x80:
		return rune(c), 1
	case c>>5 == 6 && len(b) >= 2 && b[1]>>6 == 2:
		return rune(c&0x1f)<<6 | rune(b[1]&0x3f), 2
	case c>>4 == 14 && len(b) >= 3 && b[1]>>6 == 2 && b[2]>>6 == 2:
		return rune(c&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), 3
	}
	return 0, 0
}

// UnitsEnd returns how many bytes of b hold n code units of modified UTF-8; -1
// where b is too short or malformed.
func UnitsEnd(b []byte, n int) int {
	at := 0
	for at < n && at < len(b) && b[at] < utf8.RuneSelf {
		at++
	}
	for range n - at {
		if at >= len(b) {
			return -1
		}
		_, size := unit(b[at:])
		if size == 0 {
			return -1
		}
		at += size
	}
	return at
}

// IsText reports whether s is UTF-8, with lone surrogates as three bytes.
func IsText(s string) bool {
	if utf8.ValidString(s) {
		return true
	}
	for i := 0; i < len(s); {
		r, n := javatext.DecodeRune(s[i:])
		if i += n; r == utf8.RuneError && n == 1 {
			return false
		}
	}
	return true
}

// TextSize returns the number of bytes and of UTF-16 code units that s has in
// modified UTF-8.
func TextSize(s string) (size, units int) {
	if plain(s) {
		return len(s), len(s)
	}
	for i := 0; i < len(s); {
		r, n := javatext.DecodeRune(s[i:])
		i += n
		units++
		switch {
		case r > 0 && r < 0x80:
			size++
		case r < 0x800:
			size += 2
		case r < 0x10000:
			size += 3
		default:
			size += 6
			units++
		}
	}
	return size, units
}

// AppendText appends the modified UTF-8 of s. Bytes that are no text become
// U+FFFD.
func AppendText(dst []byte, s string) []byte {
	if plain(s) {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		r, n := javatext.DecodeRune(s[i:])
		i += n
		if r > 0xffff {
			r -= 0x10000
			dst = appendUnit(dst, 0xd800+r>>10)
			r = 0xdc00 + r&0x3ff
		}
		dst = appendUnit(dst, r)
	}
	return dst
}

func appendUnit(dst []byte, r rune) []byte {
	switch {
	case r > 0 && r < 0x80:
		return append(dst, byte(r))
	case r < 0x800:
		return append(dst, 0xc0|byte(r>>6), 0x80|byte(r)&0x3f)
	}
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}
