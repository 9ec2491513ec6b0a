package ion

import (
	"bytes"
	"fmt"
)

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

// hexValue returns the value of a hexadecimal digit, -1 for other characters.
func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
