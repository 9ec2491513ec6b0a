package javatext

import (
	"unicode/utf16"
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
func Surrogate[T string | []byte](b T) (unit uint16, ok bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2] < 0x80 || b[2] > 0xBF {
		return 0, false
	}
	return 0xD000 | uint16(b[1]&0x3F)<<6 | uint16(b[2]&0x3F), true
}

// DecodeRune is utf8.DecodeRuneInString that also reads the three bytes of a
// lone surrogate (U+D800…U+DFFF), as the strings of package java carry them.
// Other invalid bytes give U+FFFD and a length of 1; an empty string gives 0.
func DecodeRune(s string) (r rune, n int) {
	if r, n = utf8.DecodeRuneInString(s); r == utf8.RuneError && n == 1 {
		if unit, ok := Surrogate(s); ok {
			return rune(unit), 3
		}
	}
	return r, n
}

// AppendUnit appends one UTF-16 unit to the text that begins at dst[from]. A low
// surrogate joins the high one before it; one that stays alone keeps its three-byte form.
func AppendUnit(dst []byte, from int, unit uint16) []byte {
	if !utf16.IsSurrogate(rune(unit)) {
		return utf8.AppendRune(dst, rune(unit))
	}
	if n := len(dst); n-from >= 3 {
		if high, ok := Surrogate(dst[n-3:]); ok {
			if r := utf16.DecodeRune(rune(high), rune(unit)); r != utf8.RuneError {
				return utf8.AppendRune(dst[:n-3], r)
			}
		}
	}
	return append(dst, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0xBF, 0x80|byte(unit)&0xBF)
}

// AppendText appends text whose surrogates may have three bytes each, as Java's decoders
// take them. It returns where in the text something is no such UTF-8, -1 if nothing is.
func AppendText(dst, text []byte) (out []byte, wrong int) {
	from := len(dst)
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c != utf8.RuneError || n > 1 {
			dst = append(dst, text[i:i+n]...)
			i += n
			continue
		}
		unit, ok := Surrogate(text[i:])
		if !ok {
			return dst[:from], i
		}
		dst = AppendUnit(dst, from, unit)
		i += 3
	}
	return dst, -1
}
