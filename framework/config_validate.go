package framework

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// Validate reports all mistakes together as [fault.ConfigErrors], or nil. It reads the TLS files
// and the password file, but connects to nothing. [LoadConfig] and [Open] call it.
func (c Config) Validate() error { return orNil(c.mistakes()) }

// mistakes checks the configuration with its defaults filled in.
func (c Config) mistakes() fault.ConfigErrors {
	v := configCheck{cfg: c.withDefaults()}
	v.cfg.origin = c.origin
	v.timing()
	v.where()
	v.mode()
	v.login()
	v.tls()
	v.pool()
	return v.errs
}

// orNil returns nil as a plain error if there are no mistakes.
func orNil(errs fault.ConfigErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// configCheck collects the mistakes of one configuration.
type configCheck struct {
	cfg  Config
	url  config.URL
	errs fault.ConfigErrors
}

func (v *configCheck) wrong(field string, value any, format string, args ...any) {
	text := ""
	if value != nil {
		text = fmt.Sprint(value)
	}
	v.errs = append(v.errs, &fault.ConfigError{
		Field: field, Origin: v.cfg.origin[field], Value: text, Reason: fmt.Sprintf(format, args...),
	})
}

func (v *configCheck) embedded() bool { return v.cfg.Redis.URL == EmbeddedURL }

func (v *configCheck) timing() {
	c := &v.cfg
	if c.Lease < time.Second {
		v.wrong("lease", c.Lease, "must be at least 1s")
	}
	switch {
	case c.Block < time.Second || c.Block%time.Second != 0:
		v.wrong("block", c.Block, "must be whole seconds, at least 1s")
	case c.Block >= c.Lease && c.Lease >= time.Second:
		v.wrong("block", c.Block, "must be shorter than lease (%v): a waiting process must be able to renew", c.Lease)
	}
	if c.Sweep < 100*time.Millisecond || c.Sweep > DefaultSweep && !v.embedded() {
		v.wrong("sweep", c.Sweep, "must be from 100ms to %v: it is the longest that a lost wake-up can delay a message", DefaultSweep)
	}
	if c.BlockingWaits < 0 {
		v.wrong("blocking_waits", c.BlockingWaits, "must be at least 1; leave it out for the default")
	}
	if c.StartRetryFor < 0 {
		v.wrong("start_retry_for", c.StartRetryFor, "must not be negative; 0 means one try")
	}
	if !(c.ShutdownShare > 0 && c.ShutdownShare <= 1) { // also refuses NaN
		v.wrong("shutdown_share", c.ShutdownShare, "must be above 0 and at most 1")
	}
	if !c.ForeignPayloads.Known() {
		v.wrong("foreign_payloads", c.ForeignPayloads, "must be refuse, warn or ignore, or left out")
	}
	if strings.ContainsFunc(c.ClientName, func(r rune) bool { return r < '!' || r > '~' }) {
		v.wrong("client_name", c.ClientName, "must be printable ASCII without spaces: Redis accepts nothing else")
	}
}

// where checks that there is one way to Redis, and that it can be read.
func (v *configCheck) where() {
	r := &v.cfg.Redis
	switch {
	case r.URL == "" && len(r.Addrs) == 0:
		v.wrong("redis.url", nil, "no Redis is configured: set redis.url (DUEQUEUE_REDIS_URL) to redis://host:6379, "+
			"or redis.addrs for a cluster or Sentinels; to try things without a server, set it to %q and add embedded.Module", EmbeddedURL)
	case r.URL != "" && len(r.Addrs) != 0:
		v.wrong("redis.addrs", strings.Join(r.redacted().Addrs, ","), "redis.url%s is set too: use one of the two", v.at("redis.url"))
	}
	if r.URL != "" && !v.embedded() {
		u, err := config.ParseURL(r.URL)
		if err != nil {
			v.wrong("redis.url", config.HideURL(r.URL), "%v", err)
		}
		v.url = u
	}
	shown := r.redacted().Addrs
	for i, addr := range r.Addrs {
		if err := config.CheckAddr(addr); err != nil {
			v.wrong("redis.addrs", shown[i], "%v", err)
		}
	}
}

// at says where a field was set, for messages about another one.
func (v *configCheck) at(field string) string {
	if o := v.cfg.origin[field]; o != "" {
		return " (" + o + ")"
	}
	return ""
}

func (v *configCheck) mode() {
	r := &v.cfg.Redis
	switch r.Mode {
	case ModeStandalone:
		if len(r.Addrs) > 1 {
			v.wrong("redis.addrs", strings.Join(r.redacted().Addrs, ","), "a standalone Redis has one address; set redis.mode to cluster, or redis.master_name for Sentinels")
		}
	case ModeSentinel:
		if r.MasterName == "" {
			v.wrong("redis.master_name", nil, "must name the master that the Sentinels watch")
		}
	case ModeCluster:
		if r.DB != 0 || v.url.DB != 0 {
			v.wrong("redis.db", max(r.DB, v.url.DB), "a cluster has only database 0")
		}
	default:
		v.wrong("redis.mode", r.Mode, "must be standalone, sentinel or cluster, or left out")
	}
	if r.Mode != ModeSentinel {
		if r.MasterName != "" {
			v.wrong("redis.master_name", r.MasterName, "belongs to mode sentinel, but redis.mode is %s", r.Mode)
		}
		if r.SentinelUsername != "" || r.SentinelPassword != "" {
			v.wrong("redis.sentinel_username", nil, "redis.sentinel_username and _password need redis.master_name")
		}
	}
	if v.embedded() && r.Mode != ModeStandalone {
		v.wrong("redis.mode", r.Mode, "the embedded Redis is standalone")
	}
}

func (v *configCheck) login() {
	r := &v.cfg.Redis
	if r.DB < 0 {
		v.wrong("redis.db", r.DB, "must not be negative")
	}
	if r.DB != 0 && v.url.HasDB && r.DB != v.url.DB {
		v.wrong("redis.db", r.DB, "redis.url%s names database %d: use one of the two", v.at("redis.url"), v.url.DB)
	}
	if r.Username != "" && v.url.Username != "" && r.Username != v.url.Username {
		v.wrong("redis.username", r.Username, "redis.url%s names another user: use one of the two", v.at("redis.url"))
	}
	if r.Password != "" && v.url.Password != "" && r.Password != v.url.Password {
		v.wrong("redis.password", config.Hidden, "redis.url%s carries another password: use one of the two", v.at("redis.url"))
	}
	if r.PasswordFile != "" {
		if r.Password != "" || v.url.Password != "" {
			v.wrong("redis.password_file", r.PasswordFile, "redis.password or redis.url%s carries a password, too: use one of them", v.at("redis.url"))
		}
		if _, _, err := connect.LoginByFile(errtext.Guard(nil), "", r.PasswordFile)(context.Background()); err != nil { //nolint:forbidigo // a file has no context
			v.wrong("redis.password_file", r.PasswordFile, "must hold the password: %v", err)
		}
	}
	if r.Password == "" && r.PasswordFile == "" && v.url.Password == "" {
		const alone = "needs redis.password or redis.password_file: Redis has no login by name alone"
		switch {
		case r.Username != "":
			v.wrong("redis.username", r.Username, alone)
		case v.url.Username != "": // often it is the password, and a colon is missing
			v.wrong("redis.username", config.Hidden, alone+"; a URL with nothing but a password is redis://:password@host")
		}
	}
	if v.embedded() && (r.Username != "" || r.Password != "" || r.PasswordFile != "") {
		v.wrong("redis.username", r.Username, "the embedded Redis has no users and no password")
	}
}

func (v *configCheck) tls() {
	t := &v.cfg.Redis.TLS
	on := t.Enabled || v.url.TLS
	switch {
	case on && v.embedded():
		v.wrong("redis.tls.enabled", t.Enabled, "the embedded Redis speaks no TLS")
		return
	case t.Enabled && v.url.Addr != "" && !v.url.TLS:
		v.wrong("redis.tls.enabled", t.Enabled, "redis.url%s says redis://: write rediss:// for TLS", v.at("redis.url"))
		return
	case !on:
		if *t != (TLSConfig{}) {
			v.wrong("redis.tls.enabled", t.Enabled, "must be true (or redis.url start with rediss://) for the other tls settings to have effect")
		}
		return
	}
	_, errs := connect.TLS(*t).Build()
	for _, e := range errs {
		e.Origin = v.cfg.origin[e.Field]
	}
	v.errs = append(v.errs, errs...)
}

func (v *configCheck) pool() {
	r := &v.cfg.Redis
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"redis.dial_timeout", r.DialTimeout}, {"redis.read_timeout", r.ReadTimeout}, {"redis.write_timeout", r.WriteTimeout},
	} {
		if f.value < time.Millisecond {
			v.wrong(f.name, f.value, "must be at least 1ms; leave it out for the default")
		}
	}
	if r.PoolSize < 1 {
		v.wrong("redis.pool_size", r.PoolSize, "must be at least 1")
	}
	if r.PoolSize > 0 && (r.PoolIdle < 1 || r.PoolIdle > r.PoolSize) {
		v.wrong("redis.pool_idle", r.PoolIdle, "must be from 1 to redis.pool_size (%d)", r.PoolSize)
	}
}
