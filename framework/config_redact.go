package framework

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/config"
)

// Redacted returns a copy without passwords, fit for logs and health pages.
func (c Config) Redacted() Config {
	c.Redis = c.Redis.redacted()
	c.origin, c.unknown = nil, nil
	return c
}

func (r RedisConfig) redacted() RedisConfig {
	r.URL = config.HideURL(r.URL)
	r.Password = config.HideSecret(r.Password)
	r.SentinelPassword = config.HideSecret(r.SentinelPassword)
	r.Addrs = slices.Clone(r.Addrs)
	login := false // a login does not belong there, and may stand there: with a comma in several parts
	for i, addr := range slices.Backward(r.Addrs) {
		r.Addrs[i] = config.HideURL(addr)
		if login {
			r.Addrs[i] = config.Hidden
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

// LogValue logs the text of String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String prints the settings without passwords.
func (r RedisConfig) String() string {
	type plain RedisConfig // no methods: no recursion
	return fmt.Sprintf("%+v", plain(r.redacted()))
}

// GoString prints as String does, for %#v.
func (r RedisConfig) GoString() string { return r.String() }

// LogValue logs the text of String.
func (r RedisConfig) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the settings without passwords, since loggers write the structs that
// contain them as JSON. The result cannot be loaded again.
func (r RedisConfig) MarshalJSON() ([]byte, error) {
	type plain RedisConfig // no methods: no recursion
	return json.Marshal(plain(r.redacted()))
}
