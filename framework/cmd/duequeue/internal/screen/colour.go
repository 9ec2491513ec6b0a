package screen

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Paint is a way to show text at a terminal that has colours. Between programs, in files and
// with NO_COLOR set, text stays as it is.
type Paint rune

// The paints. Their runes are ones that no text has: what others wrote is cleaned of them.
const (
	plain Paint = 0xFDD0 + iota
	Bold
	Faint
	Red
	Yellow
	Green
)

var sequences = [...]string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[32m"}

func isMark(r rune) bool { return r >= rune(plain) && r <= rune(Green) }

// On paints a text. Clean it first, if others wrote it.
func (p Paint) On(text string) string {
	if text == "" {
		return ""
	}
	return string(rune(p)) + text + string(rune(plain))
}

// HasColours reports whether a stream is a terminal that may show colours: see
// https://no-color.org.
func HasColours(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// IsTerminal reports whether a person sits at the other end of a stream.
func IsTerminal(stream any) bool {
	f, ok := file(stream)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns how many characters a line of a stream has, 0 where it is no terminal.
func Width(stream any) int {
	width, _ := size(stream)
	return width
}

// Height returns how many lines a terminal shows, 0 where a stream is none.
func Height(stream any) int {
	_, height := size(stream)
	return height
}

func size(stream any) (width, height int) {
	f, ok := file(stream)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

func file(stream any) (*os.File, bool) {
	if w, ok := stream.(*Writer); ok {
		stream = w.W
	}
	f, ok := stream.(*os.File)
	return f, ok
}
