package codecs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable returns s in a form that fits one line of a log, an error or a terminal,
// whoever wrote it: line ends, control characters (escape sequences among them), marks
// that turn the direction of text and bytes that are not UTF-8 are written as Go
// escapes (\n, \x1b, \u202e, \xff). Of more than most bytes only the beginning is kept,
// with a word about how many there were. What is printable already is returned as it
// is, so that doing it again changes nothing.
func Printable(s string, most int) string { return printable(s, most, false) }

// PrintableLines is [Printable] for text of several lines, such as a stack: line ends
// and tabs stay.
func PrintableLines(s string, most int) string { return printable(s, most, true) }

func printable(s string, most int, lines bool) string {
	if len(s) <= most && clean(s, lines) {
		return s
	}
	whole, cut := len(s), len(s) > most
	if cut {
		s = s[:wholeRunes(s, most)]
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if shown(r, n, lines) {
			b.WriteString(s[i : i+n])
		} else {
			q := strconv.QuoteToASCII(s[i : i+n])
			b.WriteString(q[1 : len(q)-1])
		}
		if i += n; b.Len() > most { // an escape is longer than its character
			cut = cut || i < len(s)
			break
		}
	}
	if cut {
		fmt.Fprintf(&b, "… (%d bytes)", whole)
	}
	return b.String()
}

// wholeRunes returns the greatest length up to most at which no rune is cut in two.
func wholeRunes(s string, most int) int {
	for n := most; n > max(0, most-utf8.UTFMax); n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return most
}

func clean(s string, lines bool) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !shown(r, n, lines) {
			return false
		}
		i += n
	}
	return true
}

func shown(r rune, size int, lines bool) bool {
	switch {
	case r == utf8.RuneError && size <= 1:
		return false
	case r == '\n' || r == '\t':
		return lines
	}
	return strconv.IsGraphic(r)
}
