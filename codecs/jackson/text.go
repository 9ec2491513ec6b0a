package jackson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// text reads the string or key whose opening quote is at s.pos.
func (s *scanner) text(kind token.Kind) error {
	start := s.pos
	end, escaped, ascii, err := s.span()
	if err != nil {
		return err
	}
	raw := s.p[start+1 : end]
	if !escaped && (ascii || utf8.Valid(raw)) {
		if len(raw) > s.max {
			return s.b.StringTooLong(start)
		}
		s.pos = end + 1
		var flags token.Flags
		if ascii {
			flags = token.FlagASCII
		}
		s.b.AddText(kind, flags, start, start+1, len(raw))
		return nil
	}
	if len(raw)/6 > s.max {
		return s.b.StringTooLong(start)
	}
	from := len(s.b.Extra)
	if err := s.unescape(raw, start+1); err != nil {
		return err
	}
	if len(s.b.Extra)-from > s.max {
		return s.b.StringTooLong(start)
	}
	s.pos = end + 1
	s.b.AddExtra(kind, 0, start, from)
	return nil
}

// span finds the closing quote of the string at s.pos, and whether there are escapes
// and nothing but ASCII.
func (s *scanner) span() (end int, escaped, ascii bool, err error) {
	var all uint64
	i := s.pos + 1
	for i < len(s.p) {
		if i+8 <= len(s.p) {
			eight := binary.LittleEndian.Uint64(s.p[i:])
			found := stops(eight)
			if found == 0 {
				all |= eight
				i += 8
				continue
			}
			n := bits.TrailingZeros64(found) / 8
			all |= eight & (1<<(8*n) - 1)
			i += n
		}
		switch c := s.p[i]; {
		case c == '"':
			return i, escaped, all&highBits == 0, nil
		case c == '\\':
			escaped = true
			i += 2
		case c < 0x20:
			return 0, false, false, s.b.Fail(i, "control character %#02x in a string: it must be escaped", c)
		default:
			all |= uint64(c)
			i++
		}
	}
	return 0, false, false, s.b.Fail(len(s.p), "the payload ends within the string that begins at byte %d", s.pos)
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// stops marks the top bit of the first of eight bytes that is a quote, a backslash or a
// control character; bytes behind it may be marked too.
func stops(eight uint64) uint64 {
	quote, backslash := eight^'"'*eachByte, eight^'\\'*eachByte
	return ((quote-eachByte)&^quote | (backslash-eachByte)&^backslash | (eight-0x20*eachByte)&^eight) & highBits
}

// unescape appends the inside of a string to Extra; at is its offset.
func (s *scanner) unescape(raw []byte, at int) error {
	out := s.b.Extra
	from := len(out)
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\':
			more, n := appendEscape(out, from, raw[i:])
			if n == 0 {
				return s.b.Fail(at+i, "bad escape in a string")
			}
			out = more
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n <= 1 {
				u, ok := javatext.Surrogate(raw[i:])
				if !ok {
					return s.b.Fail(at+i, "not UTF-8 in a string")
				}
				out = javatext.AppendUnit(out, from, u)
				i += 3
				continue
			}
			out = append(out, raw[i:i+n]...)
			i += n
		}
	}
	s.b.Extra = out
	return nil
}

// appendEscape appends what the escape at the head of s means and returns
// its length, 0 where it is none. The string begins at out[from].
func appendEscape(out []byte, from int, s []byte) ([]byte, int) {
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
		return javatext.AppendUnit(out, from, u), 6
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
