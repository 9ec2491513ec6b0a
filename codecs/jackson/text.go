package jackson

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// text reads the string whose opening quote is at l.pos.
func (l *lexer) text() (string, error) {
	start := l.pos
	end, plain, err := l.span()
	if err != nil {
		return "", err
	}
	raw := l.b[start+1 : end]
	if len(raw) > l.lim.StringBytes && (plain || len(raw)/6 > l.lim.StringBytes) {
		return "", l.tooLong(start)
	}
	l.pos = end + 1
	if plain {
		if s, ok := common[string(raw)]; ok {
			return s, nil
		}
		return string(raw), nil
	}
	out, err := l.unescape(raw, start+1)
	if err == nil && len(out) > l.lim.StringBytes {
		return "", l.tooLong(start)
	}
	return string(out), err
}

// common holds the texts that nearly every payload repeats, so that they are
// not allocated each time.
var common = func() map[string]string {
	m := map[string]string{}
	for _, s := range [...]string{
		classKey, java.ClassHashMap, java.ClassArrayList, java.ClassHashSet, java.ClassDate,
		"java.util.LinkedHashMap", "java.lang.Long", "java.lang.Float", "java.lang.Short", "java.lang.Byte",
		"java.math.BigDecimal", "java.math.BigInteger", "java.util.UUID", "[B",
	} {
		m[s] = s
	}
	return m
}()

func (l *lexer) tooLong(at int) error {
	return l.fail(at, "string of more than %d bytes (Limits.StringBytes)", l.lim.StringBytes)
}

// span finds the closing quote of the string at l.pos. plain says that the
// bytes between are the text itself: no escape, nothing outside ASCII.
func (l *lexer) span() (end int, plain bool, err error) {
	plain = true
	for i := l.pos + 1; i < len(l.b); i++ {
		switch c := l.b[i]; {
		case c == '"':
			return i, plain, nil
		case c == '\\':
			plain = false
			i++
		case c < 0x20:
			return 0, false, l.fail(i, "control character %#02x in a string: it must be escaped", c)
		case c >= 0x80:
			plain = false
		}
	}
	return 0, false, l.fail(len(l.b), "the payload ends within the string that begins at byte %d", l.pos)
}

// unescape turns the inside of a string into text; at is its offset.
func (l *lexer) unescape(raw []byte, at int) ([]byte, error) {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\':
			var n int
			if out, n = appendEscape(out, raw[i:]); n == 0 {
				return nil, l.fail(at+i, "bad escape in a string")
			}
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n <= 1 {
				u, ok := javatext.Surrogate(string(raw[i:min(i+3, len(raw))]))
				if !ok {
					return nil, l.fail(at+i, "not UTF-8 in a string")
				}
				out = appendUnit(out, u)
				i += 3
				continue
			}
			out = append(out, raw[i:i+n]...)
			i += n
		}
	}
	return out, nil
}

// appendEscape appends what the escape at the head of s stands for and returns
// its length, 0 where it is none.
func appendEscape(out, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return out, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return append(out, s[1]), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
		if len(s) < 6 {
			return out, 0
		}
		var u uint16
		for _, c := range s[2:6] {
			d := hexDigit(c)
			if d > 15 {
				return out, 0
			}
			u = u<<4 | uint16(d)
		}
		return appendUnit(out, u), 6
	}
	return out, 0
}

func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xFF
}

// appendUnit appends one UTF-16 unit. A low surrogate joins the high one before
// it; one that stays alone keeps its three-byte form (WTF-8).
func appendUnit(out []byte, u uint16) []byte {
	if !utf16.IsSurrogate(rune(u)) {
		return utf8.AppendRune(out, rune(u))
	}
	if n := len(out); n >= 3 {
		if high, ok := javatext.Surrogate(string(out[n-3:])); ok {
			if r := utf16.DecodeRune(rune(high), rune(u)); r != utf8.RuneError {
				return utf8.AppendRune(out[:n-3], r)
			}
		}
	}
	return append(out, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0xBF, 0x80|byte(u)&0xBF)
}
