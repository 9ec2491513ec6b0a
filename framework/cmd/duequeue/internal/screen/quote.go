package screen

import (
	"strconv"
	"strings"
	"unicode"
)

// Quote quotes an argument in a way that means the same at the prompt of
// redis-cli, in its input, and to a POSIX shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("@%+-_=:,./", r)
	}
	bare := s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0
	switch {
	case bare:
		return s
	case !strings.Contains(s, "'"):
		// Both take all that stands between these as it is; redis-cli knows \' there,
		// and that cannot stand here.
		if !strings.HasSuffix(s, `\`) {
			return "'" + s + "'"
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(s) + `"`
}

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
