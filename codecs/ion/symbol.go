package ion

import (
	"math"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// symbol is a name as it stands in the payload.
type symbol struct {
	text
	at   int
	bare bool // an identifier, not in quotes
	id   bool // $10: the number of a name in the symbol table
}

// keyword reports whether the symbol is a word that means something else unless it
// is in quotes. The name was looked at when it was read.
func (s symbol) keyword() bool { return s.bare && s.flags&flagKeyword != 0 }

// flagKeyword marks true, false, null and nan while they are read.
const flagKeyword token.Flags = 1 << 7

// symbol reads an identifier or a quoted symbol, where one comes next.
func (l *lexer) symbol() (sym symbol, ok bool, err error) {
	start := l.pos
	if start == len(l.p) {
		return sym, false, nil
	}
	sym.at = start
	switch c := l.p[start]; {
	case c == '\'':
		if l.longQuote(start) {
			return sym, false, nil
		}
		sym.text, err = l.short('\'')
	case class[c]&letter != 0:
		end := start + 1
		for end < len(l.p) && class[l.p[end]]&(letter|digit) != 0 {
			end++
		}
		l.pos = end
		if end-start > l.Limits().StringBytes {
			return sym, false, l.StringTooLong(start)
		}
		sym.text, sym.bare = text{off: start, n: end - start, flags: token.FlagASCII}, true
		switch name := l.p[start:end]; string(name) {
		case "true", "false", "null", "nan":
			sym.flags |= flagKeyword
		default:
			sym.id = c == '$' && len(name) > 1 && allDigits(name[1:])
		}
	default:
		return sym, false, nil
	}
	sym.flags |= token.FlagSymbol
	return sym, err == nil, err
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// symbolValue adds a symbol that is a value: a keyword, or the text Java makes of it.
// End is where the symbol itself ends.
func (l *lexer) symbolValue(start, end int, sym symbol, class text) error {
	var i int
	switch {
	case sym.keyword():
		l.pos = end
		var err error
		if i, err = l.word(start, sym); err != nil {
			return err
		}
	case sym.id:
		t, err := l.lookUp(sym)
		if err != nil {
			return err
		}
		i = l.AddText(token.String, t.flags, start, t.off, t.n)
	default:
		i = l.AddText(token.String, sym.flags, start, sym.off, sym.n)
	}
	return l.annotate(i, class)
}

// word adds what a keyword means.
func (l *lexer) word(start int, sym symbol) (int, error) {
	switch l.p[sym.off] {
	case 't':
		return l.Add(token.Bool, start, 1), nil
	case 'f':
		return l.Add(token.Bool, start, 0), nil
	}
	if sym.n == len("nan") {
		return l.AddFloat(start, math.NaN()), nil
	}
	if !l.take('.') {
		return l.Add(token.Null, start, 0), nil
	}
	from := l.pos
	for l.pos < len(l.p) && class[l.p[l.pos]]&(letter|digit) != 0 {
		l.pos++
	}
	switch name := string(l.p[from:l.pos]); name {
	case "null", "bool", "int", "float", "decimal", "timestamp", "symbol", "string", "blob", "clob", "list", "sexp", "struct":
		return l.Add(token.Null, start, 0), nil
	}
	return 0, l.Fail(from, "not a type of null")
}

// operator adds a symbol of operators, within parentheses.
func (l *lexer) operator(start int) int {
	from := l.pos
	for l.pos < len(l.p) && isOperator(l.p[l.pos]) {
		if l.pos > from && l.p[l.pos] == '/' && l.pos+1 < len(l.p) && (l.p[l.pos+1] == '/' || l.p[l.pos+1] == '*') {
			break // a comment
		}
		l.pos++
	}
	return l.AddText(token.String, token.FlagSymbol|token.FlagASCII, start, from, l.pos-from)
}

// systemSymbols are the names that every symbol table begins with, from $1 on.
var systemSymbols = []string{
	"$ion", "$ion_1_0", "$ion_symbol_table", "name", "version", "imports", "symbols", "max_id", "$ion_shared_symbol_table",
}

// lookUp returns the name with the number of the symbol.
func (l *lexer) lookUp(sym symbol) (text, error) {
	digits := string(l.bytes(sym.text)[1:])
	n, err := strconv.Atoi(digits)
	if err != nil || n == 0 || n > len(systemSymbols) {
		return text{}, l.Fail(sym.at, "symbol $%.20s: only those of Ion itself, $1 to $9, have a name without a symbol table", digits)
	}
	name := systemSymbols[n-1]
	from := len(l.Extra)
	l.Extra = append(l.Extra, name...)
	return text{off: from, n: len(name), flags: token.FlagExtra | token.FlagSymbol}, nil
}

// system reports whether the value on the tape is a version marker, which is taken
// off the tape. A symbol table is refused: it would make few bytes stand for many,
// and Redisson writes none.
func (l *lexer) system() (bool, error) {
	root := &l.Tokens[0]
	switch {
	case root.Kind == token.Object && l.Class(root) == "$ion_symbol_table":
		return false, l.Fail(int(root.At), "a symbol table: Redisson's codec writes none, and none is read here")
	case root.Kind != token.String || root.Flags&token.FlagSymbol == 0 || root.Type != 0:
		return false, nil
	}
	version, ok := strings.CutPrefix(string(l.Text(root)), "$ion_")
	major, minor, two := strings.Cut(version, "_")
	if !ok || !two || major == "" || minor == "" || !allDigits([]byte(major)) || !allDigits([]byte(minor)) {
		return false, nil
	}
	if version != "1_0" {
		return false, l.Fail(int(root.At), "Ion version %.40q: Java's Ion reads 1_0", version)
	}
	l.Tokens = l.Tokens[:0]
	return true, nil
}
