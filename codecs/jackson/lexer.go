package jackson

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// Name is the canonical name of this codec.
const Name = "jsonjackson"

// lexer walks over one JSON text. Positions are byte offsets in the payload.
type lexer struct {
	b    []byte
	pos  int
	lim  codecs.Limits
	left int // elements that may still come
	nest int // containers now open

	path []step
}

// step is one part of the path to a value.
type step struct {
	key   string
	index int // -1 for a key
}

func (l *lexer) fail(at int, format string, args ...any) *codecs.DecodeError {
	return &codecs.DecodeError{Codec: Name, Path: l.where(), Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (l *lexer) failClass(at int, class, format string, args ...any) *codecs.DecodeError {
	e := l.fail(at, format, args...)
	e.Class = class
	return e
}

// where renders the path: items[3].price, and ["a.b"] for keys that are no words.
func (l *lexer) where() string {
	var b strings.Builder
	for _, s := range l.path {
		s.write(&b)
	}
	return b.String()
}

func (s step) write(b *strings.Builder) {
	switch {
	case s.index >= 0:
		b.WriteString("[" + strconv.Itoa(s.index) + "]")
	case s.key == "" || strings.ContainsAny(s.key, ".[]\" \n"):
		b.WriteString("[" + strconv.Quote(s.key) + "]")
	default:
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.key)
	}
}

// space skips blanks and returns the byte it stops at, 0 at the end.
func (l *lexer) space() byte {
	for l.pos < len(l.b) {
		switch c := l.b[l.pos]; c {
		case ' ', '\t', '\n', '\r':
			l.pos++
		default:
			return c
		}
	}
	return 0
}

// expect skips blanks and the byte c.
func (l *lexer) expect(c byte, where string) error {
	if l.space() != c || l.pos >= len(l.b) {
		return l.unexpected(fmt.Sprintf("%q %s", c, where))
	}
	l.pos++
	return nil
}

func (l *lexer) unexpected(wanted string) error {
	if l.pos >= len(l.b) {
		return l.fail(l.pos, "the payload ends where %s is due", wanted)
	}
	return l.fail(l.pos, "found %q where %s is due", l.b[l.pos], wanted)
}

// enter opens a container whose bracket is at l.pos.
func (l *lexer) enter() error {
	if l.nest >= l.lim.Depth {
		return l.fail(l.pos, "nested deeper than %d (Limits.Depth)", l.lim.Depth)
	}
	l.nest++
	l.pos++
	return nil
}

func (l *lexer) leave() { l.nest-- }

// element counts one value of a container.
func (l *lexer) element() error {
	if l.left--; l.left < 0 {
		return l.fail(l.pos, "more than %d values (Limits.Elements)", l.lim.Elements)
	}
	return nil
}

// more is called before each member of a container that ends with end. It skips
// the comma and reports whether a member follows.
func (l *lexer) more(end byte, first bool) (bool, error) {
	c := l.space()
	if l.pos < len(l.b) && c == end {
		l.pos++
		return false, nil
	}
	if !first {
		if c != ',' {
			return false, l.unexpected(fmt.Sprintf("',' or %q", end))
		}
		l.pos++
		if c = l.space(); c == end {
			return false, l.unexpected("a value after the comma")
		}
	}
	return true, nil
}

// literal reads true, false or null, whose first byte is at l.pos.
func (l *lexer) literal() (any, error) {
	for _, word := range [...]struct {
		text  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		end := l.pos + len(word.text)
		if end > len(l.b) || string(l.b[l.pos:end]) != word.text {
			continue
		}
		if end < len(l.b) && identifierByte(l.b[end]) {
			break
		}
		l.pos = end
		return word.value, nil
	}
	return nil, l.unexpected("a JSON value")
}
