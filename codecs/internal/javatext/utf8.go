package javatext

import (
	"unicode/utf8"
)

// DecodeUTF8 returns b as Java's `new String(b, UTF_8)` reads it: each maximal
// malformed part becomes one U+FFFD.
func DecodeUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			n = malformed(b)
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}

// malformed returns how many bytes at the head of b one replacement stands
// for: the longest part that could still begin a well-formed sequence.
func malformed(b []byte) int {
	need, lo, hi := sequence(b[0])
	n := 1
	for n < need && n < len(b) {
		if b[n] < lo || b[n] > hi {
			break
		}
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// sequence returns the length of the sequence that the first byte announces
// and the range of its second byte (Unicode table 3-7).
func sequence(first byte) (need int, lo, hi byte) {
	switch {
	case first >= 0xC2 && first <= 0xDF:
		return 2, 0x80, 0xBF
	case first == 0xE0:
		return 3, 0xA0, 0xBF
	case first == 0xED:
		// Java reports a surrogate (ED A0..BF xx) as one malformed part of
		// three bytes; Unicode's own practice would make it three.
		return 3, 0x80, 0xBF
	case first >= 0xE1 && first <= 0xEF:
		return 3, 0x80, 0xBF
	case first == 0xF0:
		return 4, 0x90, 0xBF
	case first >= 0xF1 && first <= 0xF3:
		return 4, 0x80, 0xBF
	case first == 0xF4:
		return 4, 0x80, 0x8F
	}
	return 1, 0, 0
}

// Surrogate reports whether b begins with a lone surrogate in its three-byte
// form (WTF-8), the way such Java chars are kept in Go strings, and returns it.
func Surrogate(b string) (unit uint16, ok bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2] < 0x80 || b[2] > 0xBF {
		return 0, false
	}
	return 0xD000 | uint16(b[1]&0x3F)<<6 | uint16(b[2]&0x3F), true
}

// DecodeRune is utf8.DecodeRuneInString that also reads the three bytes of a
// lone surrogate (U+D800…U+DFFF), as the strings of package java carry them.
// Other invalid bytes give U+FFFD and a length of 1; an empty string gives 0.
func DecodeRune(s string) (r rune, n int) {
	r, n = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xed &&
		s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return r, n
}
