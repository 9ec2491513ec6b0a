package words

import (
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
