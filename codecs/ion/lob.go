package ion

import (
	"encoding/base64"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// lob reads {{base64}} or {{"text"}}.
func (l *lexer) lob(start int) (int, error) {
	begin := l.pos
	l.pos += 2
	l.blanks()
	from := len(l.Extra)
	var err error
	switch {
	case l.longQuote(l.pos):
		for l.longQuote(l.pos) && err == nil {
			l.pos += 3
			err = l.clob(begin, true)
			l.blanks()
		}
	case l.take('"'):
		err = l.clob(begin, false)
		l.blanks()
	default:
		err = l.base64(begin)
	}
	if err != nil {
		return 0, err
	}
	if l.pos+1 >= len(l.p) || l.p[l.pos] != '}' || l.p[l.pos+1] != '}' {
		return 0, l.Fail(l.pos, "binary data without its end, }}")
	}
	l.pos += 2
	if len(l.Extra)-from > l.Limits().StringBytes {
		return 0, l.StringTooLong(begin)
	}
	return l.AddExtra(token.Bytes, 0, start, from), nil
}

// blanks moves over blanks; there are no comments in a lob.
func (l *lexer) blanks() {
	for l.pos < len(l.p) && class[l.p[l.pos]]&blank != 0 {
		l.pos++
	}
}

// base64 appends what the base64 text at l.pos means.
func (l *lexer) base64(begin int) error {
	from := len(l.Extra)
	for l.pos < len(l.p) && l.p[l.pos] != '}' {
		if c := l.p[l.pos]; class[c]&blank == 0 {
			l.Extra = append(l.Extra, c)
		}
		l.pos++
	}
	n, err := base64.StdEncoding.Decode(l.Extra[from:], l.Extra[from:])
	if err != nil {
		return l.Fail(begin, "binary data that is not base64 with its padding")
	}
	l.Extra = l.Extra[:from+n]
	return nil
}

// clob appends the bytes of a text in quotes up to its end.
func (l *lexer) clob(begin int, long bool) error {
	for l.pos < len(l.p) {
		c := l.p[l.pos]
		switch {
		case c == '"' && !long:
			l.pos++
			return nil
		case long && l.longQuote(l.pos):
			l.pos += 3
			return nil
		case c == '\\':
			if l.pos+1 < len(l.p) && (l.p[l.pos+1] == 'u' || l.p[l.pos+1] == 'U') {
				return l.Fail(l.pos, "an escape of Unicode in binary text")
			}
			r, newline, err := l.escapedRune()
			if err != nil {
				return err
			}
			if !newline {
				l.Extra = append(l.Extra, byte(r))
			}
		case c == '\r' && long:
			l.pos++
			l.take('\n')
			l.Extra = append(l.Extra, '\n')
		case c == '\n' && long, c >= 0x20 && c < 0x80, class[c]&blank != 0 && c != '\n' && c != '\r':
			l.Extra = append(l.Extra, c)
			l.pos++
		default:
			return l.Fail(l.pos, "%s in binary text: it must be escaped", show(c))
		}
	}
	return l.Fail(len(l.p), "the payload ends within the binary text that begins at byte %d", begin)
}
