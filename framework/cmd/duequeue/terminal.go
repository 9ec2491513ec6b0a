package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
)

// terminal is what all output of the program goes through: whatever a payload, a class
// name or an error text of others holds, no escape sequence and no mark that turns the
// direction of text reaches the terminal. Line ends and tabs stay. In JSON the rest is
// written as \u escapes, which mean the same; else as Go writes them.
type terminal struct {
	w    io.Writer
	json *bool
	rest []byte // of a rune that came in parts
}

// Write writes all but an incomplete rune at the end, which waits for its rest.
func (t *terminal) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	t.rest = append([]byte(nil), text[whole:]...)
	if whole == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(t.w, t.safe(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what waits for a rest that does not come.
func (t *terminal) flush() {
	if len(t.rest) > 0 {
		_, _ = io.WriteString(t.w, t.safe(string(t.rest))) // nobody is left to be told
	}
	t.rest = nil
}

func (t *terminal) safe(s string) string {
	if !*t.json {
		return codecs.PrintableLines(s, math.MaxInt)
	}
	if codecs.PrintableLines(s, math.MaxInt) == s {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch text := string(r); {
		case codecs.PrintableLines(text, math.MaxInt) == text:
			b.WriteString(text)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
