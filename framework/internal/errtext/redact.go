package errtext

import "regexp"

var (
	userInfo = regexp.MustCompile(`://\S*@`)
	dsn      = regexp.MustCompile(`[^\s:@/]+:\S+@(tcp|unix)\(`) // of MySQL's driver
	secret   = regexp.MustCompile(`(?i)([\w-]*(?:password|passwd|pwd|secret|token|authorization|api[-_]?key)[\w-]*["']?\s*[=:]\s*)(?:"[^"]*"?|'[^']*'?|(?:(?:bearer|basic|digest) )?[^\s"'&,;]+)`)
)

// Redacted hides what names itself a secret: user and password of a URL, and values behind words
// such as password, token and secret. Give it the whole text: a secret that was cut may not be known
// as one.
func Redacted(text string) string {
	text = dsn.ReplaceAllString(userInfo.ReplaceAllString(text, "://***@"), "***@$1(")
	return secret.ReplaceAllString(text, "$1***")
}
