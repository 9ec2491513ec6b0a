package config

import (
	"net/url"
	"strings"
)

// Hidden replaces a secret.
const Hidden = "(redacted)"

// HideSecret returns [Hidden], or "" for an empty text.
func HideSecret(s string) string {
	if s == "" {
		return ""
	}
	return Hidden
}

// HideURL returns a URL without its login. It hides everything before the last @ and behind a ? or # after it, also in
// text that is no valid URL: there the password may stand anywhere. Without an @ it
// hides what is no host and port: the host may have been forgotten.
func HideURL(s string) string {
	if at := strings.IndexAny(s[strings.LastIndexByte(s, '@')+1:], "?#"); at >= 0 {
		at += strings.LastIndexByte(s, '@') + 1
		s = s[:at+1] + Hidden
	}
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		_, host, ok := strings.Cut(s, "://")
		if !ok {
			host = s
		}
		if u, err := url.Parse("//" + host); err == nil && !strings.Contains(u.Path, ":") && (u.Hostname() != "" || u.Port() == "") {
			return s
		}
		return strings.TrimSuffix(s, host) + Hidden
	}
	scheme, _, ok := strings.Cut(s[:at], "://")
	if !ok {
		return Hidden + s[at:]
	}
	return scheme + "://" + Hidden + s[at:]
}
