package screen

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
)

// Writer is what all output of the program goes through: whatever a payload, a class name
// or an error text of others holds, no escape sequence and no mark that turns the direction
// of text reaches the terminal. Line ends and tabs stay. In JSON the rest is written as \u
// escapes, which mean the same; else as Go writes them. The marks of [Paint] become colours
// where Coloured says so.
type Writer struct {
	W        io.Writer
	JSON     *bool
	Coloured bool
	rest     []byte // of a rune that came in parts
}

// Write writes all but an incomplete rune at the end, which waits for its rest.
func (t *Writer) Write(p []byte) (int, error) {
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
	if _, err := io.WriteString(t.W, t.safe(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what waits for a rest that does not come.
func (t *Writer) Flush() {
	if len(t.rest) > 0 {
		_, _ = io.WriteString(t.W, t.safe(string(t.rest))) // no reader is left to be told
	}
	t.rest = nil
}

func (t *Writer) safe(s string) string {
	if t.JSON == nil || !*t.JSON {
		return t.painted(s)
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

// painted makes the text between two marks printable, and of the marks what they mean.
func (t *Writer) painted(s string) string {
	var b strings.Builder
	for {
		at := strings.IndexFunc(s, isMark)
		if at < 0 {
			b.WriteString(codecs.PrintableLines(s, math.MaxInt))
			return b.String()
		}
		b.WriteString(codecs.PrintableLines(s[:at], math.MaxInt))
		mark, size := utf8.DecodeRuneInString(s[at:])
		if t.Coloured {
			b.WriteString(sequences[mark-rune(plain)])
		}
		s = s[at+size:]
	}
}

// Clean keeps control characters of a hostile name or payload away from the terminal, and
// shows where the text begins and ends if it has any.
func Clean(s string) string {
	q := strconv.Quote(s)
	if q[1:len(q)-1] == s {
		return s
	}
	return q
}
