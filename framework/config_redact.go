package framework

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

const redacted = "(redacted)"

// Redacted returns a copy without passwords, fit for logs and health pages.
func (c Config) Redacted() Config {
	c.Redis = c.Redis.redacted()
	c.origin = nil
	return c
}

func (r RedisConfig) redacted() RedisConfig {
	r.URL = redactURL(r.URL)
	r.Password = redactSecret(r.Password)
	r.SentinelPassword = redactSecret(r.SentinelPassword)
	r.Addrs = slices.Clone(r.Addrs)
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

func redactSecret(s string) string {
	if s == "" {
		return ""
	}
	return redacted
}

// redactURL hides everything before the last @, also in text that is no valid URL:
// there the password may stand anywhere.
func redactURL(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	scheme, _, ok := strings.Cut(s[:at], "://")
	if !ok {
		return redacted + s[at:]
	}
	return scheme + "://" + redacted + s[at:]
}
