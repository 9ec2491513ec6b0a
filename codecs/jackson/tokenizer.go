package jackson

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// scanner walks over one JSON text and puts it on a tape. Positions are byte offsets
// in the payload. It does not recurse: the builder keeps what is open.
type scanner struct {
	b   *token.Builder
	p   []byte
	pos int
	max int // Limits.StringBytes
}

const byteOrderMark = "\xef\xbb\xbf"

// tokenize reads one JSON value, and the blanks behind it.
func tokenize(b *token.Builder, payload []byte, _ *databind.Rules) (end int, err error) {
	s := scanner{b: b, p: payload, max: b.Limits().StringBytes}
	if bytes.HasPrefix(payload, []byte(byteOrderMark)) {
		s.pos = len(byteOrderMark)
	}
	if s.space(); s.pos >= len(s.p) {
		return 0, b.Fail(s.pos, "no JSON value in the payload")
	}
	err = s.value()
	for err == nil && b.Nest() > 0 {
		err = s.next()
	}
	s.space()
	return s.pos, err
}

// next reads the next member of the container that is open, or its end.
func (s *scanner) next() error {
	top := s.b.Parent()
	end := byte(']')
	if top.Kind == token.Object {
		end = '}'
	}
	c := s.space()
	if c == end {
		s.pos++
		s.b.Close()
		return nil
	}
	if top.N > 0 {
		if c != ',' {
			return s.unexpected(fmt.Sprintf("',' or %q", end))
		}
		s.pos++
		if c = s.space(); c == end {
			return s.unexpected("a value after the comma")
		}
	}
	if err := s.b.Element(s.pos); err != nil {
		return err
	}
	if end == ']' {
		return s.value()
	}
	if c != '"' {
		return s.unexpected("a key in quotes")
	}
	if err := s.text(token.Key); err != nil {
		return err
	}
	if s.space() != ':' {
		return s.unexpected("':' after a key")
	}
	s.pos++
	return s.value()
}

// value reads a scalar, or the head of a container.
func (s *scanner) value() error {
	switch c := s.space(); c {
	case '"':
		return s.text(token.String)
	case '{', '[':
		kind := token.Object
		if c == '[' {
			kind = token.Array
		}
		if err := s.b.Open(kind, s.pos); err != nil {
			return err
		}
		s.pos++
		return nil
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	}
	return s.literal()
}

// space skips blanks and returns the byte it stops at, 0 at the end.
func (s *scanner) space() byte {
	for s.pos < len(s.p) {
		c := s.p[s.pos]
		if !blank(c) {
			return c
		}
		s.pos++
	}
	return 0
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (s *scanner) unexpected(wanted string) error {
	if s.pos >= len(s.p) {
		return s.b.Fail(s.pos, "the payload ends where %s is due", wanted)
	}
	return s.b.Fail(s.pos, "found %q where %s is due", s.p[s.pos], wanted)
}

// literal reads true, false or null.
func (s *scanner) literal() error {
	for _, word := range [...]struct {
		text string
		kind token.Kind
		num  uint64
	}{{"true", token.Bool, 1}, {"false", token.Bool, 0}, {"null", token.Null, 0}} {
		end := s.pos + len(word.text)
		if end > len(s.p) || string(s.p[s.pos:end]) != word.text {
			continue
		}
		if end < len(s.p) && databind.IdentifierByte(s.p[end]) {
			break
		}
		s.b.Add(word.kind, s.pos, word.num)
		s.pos = end
		return nil
	}
	return s.unexpected("a JSON value")
}

// number reads the number at s.pos.
func (s *scanner) number() error {
	start := s.pos
	whole, err := s.numberEnd()
	if err != nil {
		return err
	}
	lit := s.p[start:s.pos]
	if len(lit) > databind.MaxNumber {
		return s.b.Fail(start, "a number of %d characters; the limit is %d", len(lit), databind.MaxNumber)
	}
	if s.b.Nest() == 0 && s.pos < len(s.p) && !blank(s.p[s.pos]) {
		return s.b.Fail(start, "a number with %q right after it", s.p[s.pos])
	}
	if !whole {
		s.b.AddNumber(token.Float, start, start, len(lit), 0)
		return nil
	}
	if n, err := strconv.ParseInt(string(lit), 10, 64); err == nil {
		s.b.AddNumber(token.Int, start, start, len(lit), uint64(n))
		return nil
	}
	n, _ := new(big.Int).SetString(string(lit), 10)
	k := &s.b.Tokens[s.b.AddBig(start, n)]
	k.Flags, k.Off, k.Len = k.Flags|token.FlagLiteral, uint32(start), uint32(len(lit))
	return nil
}

// numberEnd moves behind the number; whole says that it has neither fraction nor
// exponent.
func (s *scanner) numberEnd() (whole bool, err error) {
	i := s.pos
	if s.p[i] == '-' {
		i++
	}
	digits := s.digits(i)
	switch {
	case digits == i:
		s.pos = i
		return false, s.unexpected("a digit")
	case s.p[i] == '0' && digits > i+1:
		return false, s.b.Fail(i, "a number with a leading zero")
	}
	i, whole = digits, true
	if i < len(s.p) && s.p[i] == '.' {
		whole = false
		if digits = s.digits(i + 1); digits == i+1 {
			s.pos = digits
			return false, s.unexpected("a digit after the decimal point")
		}
		i = digits
	}
	if i < len(s.p) && s.p[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(s.p) && (s.p[i] == '+' || s.p[i] == '-') {
			i++
		}
		if digits = s.digits(i); digits == i {
			s.pos = digits
			return false, s.unexpected("a digit of the exponent")
		}
		i = digits
	}
	s.pos = i
	return whole, nil
}

func (s *scanner) digits(i int) int {
	for i < len(s.p) && s.p[i] >= '0' && s.p[i] <= '9' {
		i++
	}
	return i
}

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
		s.b.AddText(kind, 0, start, start+1, len(raw))
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
	s.b.AddExtra(kind, start, from)
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
		u, err := strconv.ParseUint(string(s[2:6]), 16, 16)
		if err != nil {
			return out, 0
		}
		return javatext.AppendUnit(out, from, uint16(u)), 6
	}
	return out, 0
}
