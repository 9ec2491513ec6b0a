package errtext

import "regexp"

var (
	userInfo = regexp.MustCompile(`://[^/\s@]+@`)
	secret   = regexp.MustCompile(`(?i)\b(password|passwd|pwd|secret|token|authorization|api[-_]?key)(["']?\s*[=:]\s*["']?)(Bearer )?[^\s"'&,;]+`)
)

// Redacted hides what names itself a secret: user and password of a URL, and values behind words
// such as password, token and secret.
func Redacted(text string) string {
	return secret.ReplaceAllString(userInfo.ReplaceAllString(text, "://***@"), "$1$2***")
}
