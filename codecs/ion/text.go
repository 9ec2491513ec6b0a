package ion

import (
	"encoding/base64"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

func (l *lexer) longQuote(at int) bool {
	return at+2 < len(l.p) && l.p[at] == '\'' && l.p[at+1] == '\'' && l.p[at+2] == '\''
}

// short reads the string or symbol whose quote, q, is at l.pos.
func (l *lexer) short(q byte) (text, error) {
	start, from := l.pos, len(l.Extra)
	l.pos++
	if err := l.unescape(start, q, false, false); err != nil {
		return text{}, err
	}
	return l.extra(start, from)
}

// long reads a string in triple quotes, and those right behind it, which continue
// it.
func (l *lexer) long() (text, error) {
	start, from := l.pos, len(l.Extra)
	for l.longQuote(l.pos) {
		l.pos += 3
		if err := l.unescape(start, '\'', true, false); err != nil {
			return text{}, err
		}
		if err := l.skip(); err != nil {
			return text{}, err
		}
	}
	return l.extra(start, from)
}

func (l *lexer) extra(start, from int) (text, error) {
	t := text{off: from, n: len(l.Extra) - from, flags: token.FlagExtra}
	if t.n > l.Limits().StringBytes {
		return t, l.StringTooLong(start)
	}
	return t, nil
}

// unescape appends the text up to its closing quote, three of them if long, to
// Extra: that of binary data has bytes. Start is where the text begins, for errors.
func (l *lexer) unescape(start int, q byte, long, binary bool) error {
	for l.pos < len(l.p) {
		c := l.p[l.pos]
		switch {
		case c == q && !long:
			l.pos++
			return nil
		case c == q && long && l.longQuote(l.pos):
			l.pos += 3
			return nil
		case c == '\\':
			if err := l.escape(binary); err != nil {
				return err
			}
		case c < 0x20 && class[c]&blank == 0, !long && (c == '\n' || c == '\r'):
			return l.Fail(l.pos, "%s in a string or symbol: it must be escaped", show(c))
		case c == '\r': // a line ends in \n, however it is written
			l.pos++
			l.take('\n')
			l.Extra = append(l.Extra, '\n')
		case c < utf8.RuneSelf:
			l.Extra = append(l.Extra, c)
			l.pos++
		case binary:
			return l.Fail(l.pos, "%s in binary text: it must be escaped", show(c))
		default:
			r, n := utf8.DecodeRune(l.p[l.pos:])
			if r == utf8.RuneError && n == 1 {
				return l.Fail(l.pos, "not UTF-8")
			}
			l.Extra = append(l.Extra, l.p[l.pos:l.pos+n]...)
			l.pos += n
		}
	}
	return l.Fail(len(l.p), "the payload ends within the text that begins at byte %d", start)
}

// escape appends what the escape at l.pos stands for, in binary data a byte.
func (l *lexer) escape(binary bool) error {
	at := l.pos
	if binary && at+1 < len(l.p) && l.p[at+1]|0x20 == 'u' {
		return l.Fail(at, "an escape of Unicode in binary text")
	}
	r, newline, err := l.escapedRune()
	switch {
	case err != nil || newline:
		return err
	case binary:
		l.Extra = append(l.Extra, byte(r))
		return nil
	case utf16.IsSurrogate(r):
		low := rune(-1)
		if l.pos < len(l.p) && l.p[l.pos] == '\\' {
			if low, _, err = l.escapedRune(); err != nil {
				return err
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return l.Fail(at, "half of a surrogate pair: Ion text has none")
		}
	}
	l.Extra = utf8.AppendRune(l.Extra, r)
	return nil
}

// escapedRune reads one escape. Newline says that it is an escaped end of line,
// which is no text.
func (l *lexer) escapedRune() (r rune, newline bool, err error) {
	at := l.pos
	if at+1 == len(l.p) {
		return 0, false, l.Fail(at, "the payload ends within an escape")
	}
	c := l.p[at+1]
	l.pos += 2
	if e := escapes[c]; e != 0 {
		return rune(e) - 1, false, nil
	}
	switch c {
	case '\n':
		return -1, true, nil
	case '\r':
		l.take('\n')
		return -1, true, nil
	case 'x':
		r, err = l.hex(at, 2)
	case 'u':
		r, err = l.hex(at, 4)
	case 'U':
		r, err = l.hex(at, 8)
	default:
		err = l.Fail(at, "a backslash before %s is no escape", show(c))
	}
	return r, false, err
}

// escapes holds what a character after a backslash stands for, plus one.
var escapes = [256]byte{
	'0': 1, 'a': 7 + 1, 'b': 8 + 1, 't': '\t' + 1, 'n': '\n' + 1, 'f': '\f' + 1, 'r': '\r' + 1, 'v': '\v' + 1,
	'"': '"' + 1, '\'': '\'' + 1, '?': '?' + 1, '\\': '\\' + 1, '/': '/' + 1,
}

func (l *lexer) hex(at, n int) (rune, error) {
	if l.pos+n > len(l.p) {
		return 0, l.Fail(at, "the payload ends within an escape")
	}
	u, err := strconv.ParseUint(string(l.p[l.pos:l.pos+n]), 16, 32)
	switch {
	case err != nil:
		return 0, l.Fail(at, "an escape without its %d hexadecimal digits", n)
	case u > utf8.MaxRune:
		return 0, l.Fail(at, "an escape beyond Unicode")
	}
	l.pos += n
	return rune(u), nil
}

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
			err = l.unescape(begin, '\'', true, true)
			l.blanks()
		}
	case l.take('"'):
		err = l.unescape(begin, '"', false, true)
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
	return l.AddExtra(token.Bytes, start, from), nil
}

func (l *lexer) blanks() {
	for l.pos < len(l.p) && class[l.p[l.pos]]&blank != 0 {
		l.pos++
	}
}

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
