package ion

import (
	"unicode/utf8"
)

const lowerHex = "0123456789abcdef"

// appendText appends s, which stands between quotes q, as ion-java's ASCII writer
// does. ok is false where s is not UTF-8.
func appendText(dst []byte, s string, q byte) (out []byte, ok bool) {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7F && c != q && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		if c < utf8.RuneSelf {
			dst = appendEscape(dst, c)
			i++
		} else {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				return dst, false
			}
			dst = appendRune(dst, r)
			i += n
		}
		done = i
	}
	return append(dst, s[done:]...), true
}

// appendEscape appends a character of ASCII that cannot stand for itself.
func appendEscape(dst []byte, c byte) []byte {
	letter := byte(0)
	switch c {
	case 0:
		letter = '0'
	case '\a':
		letter = 'a'
	case '\b':
		letter = 'b'
	case '\t':
		letter = 't'
	case '\n':
		letter = 'n'
	case '\v':
		letter = 'v'
	case '\f':
		letter = 'f'
	case '\r':
		letter = 'r'
	case '\\', '"', '\'':
		letter = c
	}
	if letter != 0 {
		return append(dst, '\\', letter)
	}
	return append(dst, '\\', 'x', lowerHex[c>>4], lowerHex[c&15])
}

// appendRune appends a code point beyond ASCII: \xe9, \u4e2d, \U0001f600.
func appendRune(dst []byte, r rune) []byte {
	letter, shift := byte('U'), 28
	switch {
	case r <= 0xFF:
		letter, shift = 'x', 4
	case r <= 0xFFFF:
		letter, shift = 'u', 12
	}
	dst = append(dst, '\\', letter)
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, lowerHex[r>>shift&15])
	}
	return dst
}

// appendSymbol appends a field name or annotation, in quotes unless it is an
// identifier.
func appendSymbol(dst []byte, name string) ([]byte, error) {
	if isIdentifier(name) {
		return append(dst, name...), nil
	}
	out, ok := appendText(append(dst, '\''), name, '\'')
	if !ok {
		return dst, errText
	}
	return append(out, '\''), nil
}

// isIdentifier reports whether a name needs no quotes: letters, digits, _ and $, no
// keyword, and not the number of a symbol, $10.
func isIdentifier(name string) bool {
	switch name {
	case "", "true", "false", "null", "nan":
		return false
	}
	if isDigit(name[0]) {
		return false
	}
	digits := name[0] == '$' && len(name) > 1
	for i := range len(name) {
		if class[name[i]]&(letter|digit) == 0 {
			return false
		}
		digits = digits && (i == 0 || isDigit(name[i]))
	}
	return !digits
}
