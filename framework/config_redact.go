package framework

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
)

const redacted = "(redacted)"

// Redacted returns a copy without passwords, fit for logs and health pages.
func (c Config) Redacted() Config {
	c.Redis = c.Redis.redacted()
	c.origin, c.unknown = nil, nil
	return c
}

func (r RedisConfig) redacted() RedisConfig {
	r.URL = redactURL(r.URL)
	r.Password = redactSecret(r.Password)
	r.SentinelPassword = redactSecret(r.SentinelPassword)
	r.Addrs = slices.Clone(r.Addrs)
	login := false // a login does not belong there, and may stand there: with a comma in several parts
	for i, addr := range slices.Backward(r.Addrs) {
		r.Addrs[i] = redactURL(addr)
		if login {
			r.Addrs[i] = redacted
		}
		login = login || strings.Contains(addr, "@")
	}
	return r
}

// String prints the configuration without passwords.
func (c Config) String() string {
	type plain Config // no methods: no recursion
	return fmt.Sprintf("%+v", plain(c.Redacted()))
}

// GoString prints as String does, for %#v.
func (c Config) GoString() string { return c.String() }

// LogValue logs as String prints.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String prints the settings without passwords.
func (r RedisConfig) String() string {
	type plain RedisConfig // no methods: no recursion
	return fmt.Sprintf("%+v", plain(r.redacted()))
}

// GoString prints as String does, for %#v.
func (r RedisConfig) GoString() string { return r.String() }

// LogValue logs as String prints.
func (r RedisConfig) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the settings without passwords: loggers write a struct in which
// they stand as JSON. They cannot be stored so and read again.
func (r RedisConfig) MarshalJSON() ([]byte, error) {
	type plain RedisConfig // no methods: no recursion
	return json.Marshal(plain(r.redacted()))
}

func redactSecret(s string) string {
	if s == "" {
		return ""
	}
	return redacted
}

// redactURL hides everything before the last @ and behind a ? or # after it, also in
// text that is no valid URL: there the password may stand anywhere. Without an @ it
// hides what is no host and port: the host may have been forgotten.
func redactURL(s string) string {
	if at := strings.IndexAny(s[strings.LastIndexByte(s, '@')+1:], "?#"); at >= 0 {
		at += strings.LastIndexByte(s, '@') + 1
		s = s[:at+1] + redacted
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
		return strings.TrimSuffix(s, host) + redacted
	}
	scheme, _, ok := strings.Cut(s[:at], "://")
	if !ok {
		return redacted + s[at:]
	}
	return scheme + "://" + redacted + s[at:]
}

// String names the server. Printing a client must not print what it logs in with.
func (c *Client) String() string { return "duequeue client of Redis on " + c.where }

// GoString prints as String does, for %#v.
func (c *Client) GoString() string { return c.String() }
