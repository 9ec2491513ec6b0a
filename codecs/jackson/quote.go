package jackson

import (
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

const upperHex = "0123456789ABCDEF"

// appendQuoted appends s as Jackson writes it: control characters escaped
// with upper-case digits, code points above U+FFFF, unless raw is set, as an escaped pair of
// surrogates, everything else as it is, also / < > & and U+2028. ok is false
// where s is neither UTF-8 nor a lone surrogate in its three bytes.
func appendQuoted(dst []byte, s string, raw bool) (out []byte, ok bool) {
	out = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := javatext.DecodeRune(s[i:])
			if r == utf8.RuneError && n <= 1 {
				return dst, false
			}
			if r > 0xFFFF && !raw || r >= 0xD800 && r < 0xE000 {
				out = appendEscaped(append(out, s[done:i]...), r)
				done = i + n
			}
			i += n
			continue
		}
		i++
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[done:i-1]...)
		done = i
		out = appendControl(out, c)
	}
	return append(append(out, s[done:]...), '"'), true
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, '\\', 'b')
	case '\f':
		return append(out, '\\', 'f')
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	return appendUnicode(out, uint16(c))
}

func appendEscaped(out []byte, r rune) []byte {
	if r <= 0xFFFF {
		return appendUnicode(out, uint16(r))
	}
	r -= 0x10000
	out = appendUnicode(out, 0xD800|uint16(r>>10))
	return appendUnicode(out, 0xDC00|uint16(r&0x3FF))
}

func appendUnicode(out []byte, u uint16) []byte {
	return append(out, '\\', 'u', upperHex[u>>12], upperHex[u>>8&15], upperHex[u>>4&15], upperHex[u&15])
}
