package screen

import (
	"strconv"
	"strings"
)

// Name shows the name of a queue: as it is or, where people could not tell what it is, as Go
// quotes it, which [Unquote] reads: "\x00odd\xff", " begins with a blank".
func Name(s string) string {
	if clean := Clean(s); clean != s || s == "" || s != strings.TrimSpace(s) {
		return strconv.Quote(s)
	}
	return s
}

// Unquote reads the name of a queue as [Name] shows it. A text that is not quoted stays.
func Unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	if name, err := strconv.Unquote(s); err == nil {
		return name
	}
	return s
}
