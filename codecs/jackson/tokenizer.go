package jackson

import (
	"bytes"
	"fmt"

	"github.com/duequeue/duequeue/codecs/internal/databind"
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
		if end < len(s.p) && identifierByte(s.p[end]) {
			break
		}
		s.b.Add(word.kind, s.pos, word.num)
		s.pos = end
		return nil
	}
	return s.unexpected("a JSON value")
}

func identifierByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
