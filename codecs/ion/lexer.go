package ion

import (
	"bytes"
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// lexer walks over one Ion text and puts it on the builder's tape. Positions are
// byte offsets in the payload.
type lexer struct {
	*token.Builder
	p   []byte
	pos int
}

// text is a text that was read: where it stands, and what is known of it.
type text struct {
	off, n int
	flags  token.Flags
}

func (l *lexer) bytes(t text) []byte {
	if t.flags&token.FlagExtra != 0 {
		return l.Extra[t.off : t.off+t.n]
	}
	return l.p[t.off : t.off+t.n]
}

// tokenize reads what Jackson's IonParser reads of a text.
func tokenize(b *token.Builder, payload []byte, r *databind.Rules) (end int, err error) {
	l := lexer{Builder: b, p: payload}
	if err = l.root(); err == nil && r.Strict() {
		err = l.skip()
	}
	return l.pos, err
}

// root reads the first value behind the version markers.
func (l *lexer) root() error {
	if err := l.notText(); err != nil {
		return err
	}
	for {
		if err := l.skip(); err != nil {
			return err
		}
		if l.pos == len(l.p) {
			return l.Fail(l.pos, "no value: Java finds no content to map")
		}
		if err := l.value(false); err != nil {
			return err
		}
		again, err := l.system()
		if err != nil || !again {
			return err
		}
	}
}

// notText refuses the two other forms in which Ion comes.
func (l *lexer) notText() error {
	switch {
	case bytes.HasPrefix(l.p, []byte{0xE0, 0x01, 0x00, 0xEA}):
		return l.Fail(0, "this is binary Ion: Redisson's codec writes Ion text, which is all that is read here. "+
			"Java reads both; a producer that uses Ion by itself must make a text writer")
	case bytes.HasPrefix(l.p, []byte{0x1F, 0x8B}):
		return l.Fail(0, "this is compressed with gzip: Java's Ion reads that, Redisson's codec does not write it")
	}
	return nil
}

// value reads annotations and the value behind them.
func (l *lexer) value(sexp bool) error {
	start, class := l.pos, text{n: -1}
	for {
		sym, ok, err := l.symbol()
		if err != nil {
			return err
		}
		at := l.pos
		if !ok {
			break
		}
		if err = l.skip(); err != nil {
			return err
		}
		if !l.annotates() {
			return l.symbolValue(start, at, sym, class)
		}
		if sym.keyword() {
			return l.Fail(sym.at, "the keyword %s as an annotation must be quoted", l.bytes(sym.text))
		}
		if class.n < 0 {
			class = sym.text // Java takes the first
			if sym.id {
				if class, err = l.lookUp(sym); err != nil {
					return err
				}
			}
		}
		l.pos += 2
		if err = l.skip(); err != nil {
			return err
		}
	}
	i, err := l.plain(start, sexp)
	if err != nil {
		return err
	}
	return l.annotate(i, class)
}

func (l *lexer) annotates() bool {
	return l.pos+1 < len(l.p) && l.p[l.pos] == ':' && l.p[l.pos+1] == ':'
}

// annotate gives token i the annotation. Java drops that of a null.
func (l *lexer) annotate(i int, class text) error {
	if class.n < 0 || l.Tokens[i].Kind == token.Null {
		return nil
	}
	name := l.bytes(class)
	if len(name) > l.Limits().StringBytes {
		return l.StringTooLong(int(l.Tokens[i].At))
	}
	if !l.Annotate(i, name) {
		return l.Fail(int(l.Tokens[i].At), "more than 65,535 annotations")
	}
	return nil
}

// plain reads a value that is no symbol and returns the index of its token. Start
// is where its annotations begin.
func (l *lexer) plain(start int, sexp bool) (int, error) {
	if l.pos == len(l.p) {
		return 0, l.Fail(l.pos, "the payload ends where a value is due")
	}
	next := func(n int) byte {
		if l.pos+n < len(l.p) {
			return l.p[l.pos+n]
		}
		return 0
	}
	c := l.p[l.pos]
	switch {
	case c == '"':
		t, err := l.short('"')
		return l.addText(start, t, err)
	case c == '\'': // of a long string, or it would be a symbol
		t, err := l.long()
		return l.addText(start, t, err)
	case c == '{' && next(1) == '{':
		return l.lob(start)
	case c == '{':
		return l.container(start, token.Object, '}')
	case c == '[':
		return l.container(start, token.Array, ']')
	case c == '(':
		return l.container(start, token.Array, ')')
	case isDigit(c), c == '-' && isDigit(next(1)):
		return l.number(start)
	case (c == '+' || c == '-') && next(1) == 'i' && next(2) == 'n' && next(3) == 'f' && l.endsAt(l.pos+4):
		l.pos += 4
		f := math.Inf(1)
		if c == '-' {
			f = -f
		}
		return l.AddFloat(start, f), nil
	case sexp && isOperator(c):
		return l.operator(start), nil
	}
	return 0, l.Fail(l.pos, "%s where a value is due", show(c))
}

func (l *lexer) addText(start int, t text, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return l.AddText(token.String, t.flags, start, t.off, t.n), nil
}

// container reads [ value, … ], { name: value, … } or ( value … ), which Java makes a list
// of too.
func (l *lexer) container(start int, kind token.Kind, end byte) (int, error) {
	i := len(l.Tokens)
	if err := l.Open(kind, start); err != nil {
		return 0, err
	}
	l.pos++
	for {
		if err := l.skip(); err != nil {
			return 0, err
		}
		if l.take(end) {
			break
		}
		if err := l.Element(l.pos); err != nil {
			return 0, err
		}
		if kind == token.Object {
			if err := l.field(); err != nil {
				return 0, err
			}
		}
		if err := l.value(end == ')'); err != nil {
			return 0, err
		}
		if end == ')' {
			continue
		}
		if done, err := l.after(end); err != nil {
			return 0, err
		} else if done {
			break
		}
	}
	l.Close()
	return i, nil
}

func (l *lexer) after(end byte) (done bool, err error) {
	if err := l.skip(); err != nil {
		return false, err
	}
	switch {
	case l.take(','):
		return false, nil
	case l.take(end):
		return true, nil
	case l.pos == len(l.p):
		return false, l.Fail(l.pos, "the payload ends where %q or %q is due", ',', end)
	}
	return false, l.Fail(l.pos, "%s where %q or %q is due", show(l.p[l.pos]), ',', end)
}

func (l *lexer) field() error {
	start := l.pos
	if start == len(l.p) {
		return l.Fail(start, "the payload ends where the name of a field is due")
	}
	var name text
	var err error
	switch {
	case l.p[start] == '"':
		name, err = l.short('"')
	case l.longQuote(start):
		name, err = l.long()
	default:
		sym, ok, symErr := l.symbol()
		name, err = sym.text, symErr
		switch {
		case err != nil:
		case !ok:
			err = l.Fail(start, "%s where the name of a field is due", show(l.p[start]))
		case sym.keyword():
			err = l.Fail(start, "the keyword %s as the name of a field must be quoted", l.bytes(name))
		case sym.id:
			name, err = l.lookUp(sym)
		}
	}
	if err != nil {
		return err
	}
	l.AddText(token.Key, name.flags&^token.FlagSymbol, start, name.off, name.n)
	if err := l.skip(); err != nil {
		return err
	}
	if l.annotates() || !l.take(':') {
		return l.Fail(l.pos, "no colon behind the name of a field")
	}
	return l.skip()
}

// take moves over c if it comes next.
func (l *lexer) take(c byte) bool {
	if l.pos < len(l.p) && l.p[l.pos] == c {
		l.pos++
		return true
	}
	return false
}

// operators are the characters of which symbols within parentheses are made.
const operators = "<>=+-*&^%~/?.;!|@`#"

const (
	blank = 1 << iota
	digit
	letter   // of an identifier, a digit apart
	operator // in parentheses
	stop     // what may stand right behind a number
)

// class says what each character is.
var class = func() (t [256]uint8) {
	for _, c := range []byte(" \t\n\r\v\f") {
		t[c] |= blank
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= digit
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= letter
		t[c-'a'+'A'] |= letter
	}
	t['_'] |= letter
	t['$'] |= letter
	for _, c := range []byte(operators) {
		t[c] |= operator
	}
	for _, c := range []byte("{}[](),\"' \t\n\r\v\f") {
		t[c] |= stop
	}
	return t
}()

func isDigit(c byte) bool    { return class[c]&digit != 0 }
func isOperator(c byte) bool { return class[c]&operator != 0 }

// skip moves over blanks and comments.
func (l *lexer) skip() error {
	for l.pos < len(l.p) {
		c := l.p[l.pos]
		if class[c]&blank != 0 {
			l.pos++
			continue
		}
		if c != '/' || l.pos+1 == len(l.p) {
			return nil
		}
		rest := l.p[l.pos+2:]
		switch l.p[l.pos+1] {
		case '/':
			n := bytes.IndexAny(rest, "\n\r")
			if n < 0 {
				n = len(rest)
			}
			l.pos += 2 + n
		case '*':
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return l.Fail(l.pos, "a comment without its end")
			}
			l.pos += 2 + n + 2
		default:
			return nil
		}
	}
	return nil
}

// endsAt reports whether a number or keyword that ends before offset at ends there.
func (l *lexer) endsAt(at int) bool {
	if at >= len(l.p) || class[l.p[at]]&stop != 0 {
		return true
	}
	return l.p[at] == '/' && at+1 < len(l.p) && (l.p[at+1] == '/' || l.p[at+1] == '*')
}

// show returns a character as errors name it.
func show(c byte) string {
	if c >= 0x20 && c < 0x7F {
		return fmt.Sprintf("%q", rune(c))
	}
	return fmt.Sprintf("byte %#02x", c)
}
