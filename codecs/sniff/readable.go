package sniff

import (
	"unicode"
	"unicode/utf8"
)

// readable reports whether p is UTF-8 without control characters other than
// blanks and line ends. A rune cut by the bound of what is looked at is fine.
func readable(p []byte) bool {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n <= 1 {
			return len(p) == most && len(p)-i < utf8.UTFMax
		}
		if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return false
		}
		i += n
	}
	return true
}
