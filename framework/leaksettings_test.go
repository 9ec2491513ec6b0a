package framework_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The password of these tests; each half betrays it, raw and percent-encoded.
const hidden = "s3cr3t/#%Zq8"

func loginURL(scheme, user, addr string) string {
	return (&url.URL{Scheme: scheme, User: url.UserPassword(user, hidden), Host: addr}).String()
}

// mustHide fails the test where what was said shows the password or holds a character
// that a terminal obeys.
func mustHide(t *testing.T, what, said string) {
	t.Helper()
	for _, half := range []string{"s3cr3t", "Zq8"} {
		if at := strings.Index(said, half); at >= 0 {
			t.Errorf("%s: shown: …%q", what, said[max(0, at-300):min(len(said), at+40)])
		}
	}
	if said != codecs.PrintableLines(said, len(said)*10) {
		t.Errorf("%s: not printable: %q", what, said)
	}
}

// Whatever is wrong with a file or a variable, the message shows no password and keeps
// to its line.
func TestNoPasswordByLoadingTheConfiguration(t *testing.T) {
	for name, c := range map[string]struct{ yaml, env, says string }{
		"no host":           {yaml: "redis:\n  url: redis://u:s3cr3t\n", says: "yaml:2"},
		"no scheme":         {yaml: "redis:\n  url: u:s3cr3t\n", says: "yaml:2"},
		"password alone":    {yaml: "redis:\n  url: redis://s3cr3t@h\n", says: "needs redis.password"},
		"not escaped":       {yaml: "redis:\n  url: 'redis://u:s3cr3t#/%Zq8@h'\n", says: "percent-encoded"},
		"open quote":        {yaml: "redis:\n  password: \"s3cr3t\n", says: "not valid YAML"},
		"no blank":          {yaml: "redis:\n  password:s3cr3t\n", says: "must be a mapping"},
		"no blank, another": {yaml: "redis:\n  password:s3cr3t\n  db: 1\n", says: "yaml"},
		"no blank, as key":  {yaml: "redis:\n  password:s3cr3t:\n", says: "redis.password (duequeue.yaml:2): a colon in a key"},
		"braces, no blank":  {yaml: "redis: {password:s3cr3t, db: 1}\n", says: "no Redis is configured"},
		"a URL as key":      {yaml: "redis:\n  redis://u:s3cr3t@h: 1\n", says: "a colon in a key"},
		"a colon":           {yaml: "redis:\n  password: s3cr3t: Zq8\n", says: "not valid YAML"},
		"a tab":             {yaml: "redis:\n\tpassword: s3cr3t\n", says: "yaml"},
		"reserved":          {yaml: "redis:\n  password: @s3cr3t\n", says: "not valid YAML"},
		"an alias":          {yaml: "redis:\n  password: *s3cr3t\n", says: "yaml"},
		"a tag":             {yaml: "redis:\n  password: !s3cr3t Zq8\n", says: "yaml"},
		"an escape":         {yaml: "redis:\n  password: \"\\s3cr3t\"\n", says: "not valid YAML"},
		"a list":            {yaml: "redis:\n  password: [s3cr3t]\n", says: "not a list"},
		"a mapping":         {yaml: "redis:\n  password: {s3cr3t: Zq8}\n", says: "plain value"},
		"twice":             {yaml: "redis:\n  password: s3cr3t\n  password: Zq8\n", says: "not valid YAML"},
		"addresses":         {yaml: "redis:\n  addrs: ['redis://u:s3cr3t', 'Zq8@h:1', 'h:s3cr3t']\n", says: "redis.addrs"},
		"a hostile key":     {yaml: "\"le\\e[2J\\n\\u202ease\": 1\n", says: "unknown key"},
		"a hostile value":   {yaml: "client_name: \"a\\e[2J\\u202e\"\n", says: "printable"},
		"URL by variable":   {env: "REDIS_URL=redis://u:s3cr3t", says: "DUEQUEUE_REDIS_URL"},
		"addresses by it":   {env: "REDIS_ADDRS=redis://u:s3cr3t,Zq8@h:1", says: "DUEQUEUE_REDIS_ADDRS"},
		"addresses and URL": {yaml: "redis:\n  url: redis://u:s3cr3t@h\n", env: "REDIS_ADDRS=u:s3cr3t,Zq8@h:1", says: "use one of the two"},
		"two passwords":     {yaml: "redis:\n  url: redis://u:s3cr3t@h\n", env: "REDIS_PASSWORD=Zq8", says: "another password"},
		"unknown variable":  {env: "REDIS_PASSWRD=s3cr3t", says: "did you mean"},
		"hostile variable":  {env: "A\x1b[2J\n\u202e=s3cr3t", says: "unknown environment variable"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "duequeue.yaml")
			if err := os.WriteFile(file, []byte(c.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			if variable, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv("DUEQUEUE_"+variable, value)
			}
			cfg, err := framework.LoadConfig(file)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q is not in: %v", c.says, err)
			}
			var said everything
			said.noteError(err)
			said.logger().Error("no configuration", "error", err, "config", cfg)
			text, _ := said.all()
			mustHide(t, name, text)
		})
	}
}

// A service's own settings hold a Config, and what prints those shows no password.
func TestNoPasswordByPrintingASettingsStruct(t *testing.T) {
	t.Parallel()
	cfg := framework.Config{Redis: framework.RedisConfig{URL: loginURL("redis", "u", "h:1"), Password: hidden, SentinelPassword: hidden}}
	all := struct {
		Name  string
		Queue framework.Config
		To    *framework.RedisConfig
	}{"shop", cfg, &cfg.Redis}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var said everything
	said.note("%s %v %+v %#v %s", text, all, all, all, all)
	said.logger().Info("settings", "all", all, "pointer", &all, "config", &cfg)
	shown, _ := said.all()
	mustHide(t, "settings", shown)
	if !strings.Contains(string(text), "redis://(redacted)@h:1") {
		t.Errorf("nothing is left: %s", text)
	}
}

// What fx prints by its own logger, and its errors, when Redis is not there, refuses,
// or is set wrongly; and when the engine may not do what it needs.
func TestNoPasswordByTheModule(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	if err := srv.Client().Do(t.Context(), "ACL", "SETUSER", "half", "on", ">"+hidden, "~*", "+ping", "+info", "+hello").Err(); err != nil {
		t.Fatal(err)
	}
	without := lab.StartRedis(t, lab.Args("--rename-command", "AUTH", "", "--rename-command", "HELLO", ""))
	q := registry.Define[string]("MODULE", "", registry.Codec(codecs.String()))
	for name, c := range map[string]struct {
		redis framework.RedisConfig
		says  string
	}{
		"wrong password":   {framework.RedisConfig{URL: loginURL("redis", "nobody", srv.Addr())}, "WRONGPASS"},
		"may little":       {framework.RedisConfig{URL: loginURL("redis", "half", srv.Addr())}, "NOPERM"},
		"no login there":   {framework.RedisConfig{URL: loginURL("redis", "u", without.Addr())}, "unknown command"},
		"no login, nodes":  {framework.RedisConfig{Addrs: []string{without.Addr()}, Mode: framework.ModeCluster, Password: hidden}, "unknown command"},
		"unreachable":      {framework.RedisConfig{Addrs: []string{"127.0.0.1:1"}, Password: hidden}, "no Redis answers"},
		"no host":          {framework.RedisConfig{URL: "redis://u:s3cr3t"}, "redis.url"},
		"not escaped":      {framework.RedisConfig{URL: "redis://u:" + hidden + "@h"}, "percent-encoded"},
		"login in address": {framework.RedisConfig{Addrs: []string{"u:s3cr3t", "Zq8@h:1"}}, "redis.addrs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said everything
			spans := tracetest.NewInMemoryExporter()
			app := fx.New(
				fx.WithLogger(func() fxevent.Logger { return &fxevent.ConsoleLogger{W: &said} }),
				fx.Supply(framework.Config{Redis: c.redis}, said.logger()),
				fx.Provide(func() oteltrace.TracerProvider { return trace.NewTracerProvider(trace.WithSyncer(spans)) }),
				framework.Module, framework.HandleFunc(q, func(context.Context, *handlers.Delivery[string]) error { return nil }))
			err := app.Err()
			if err == nil {
				if err = app.Start(t.Context()); err == nil {
					t.Fatal("started")
				}
			}
			said.noteError(err)
			for _, s := range spans.GetSpans() {
				said.note("%q", fmt.Sprintf("%+v", s))
			}
			text, _ := said.all()
			mustHide(t, name, text)
			if !strings.Contains(text, c.says) || !strings.Contains(text, "[Fx]") {
				t.Errorf("%q is not in: %s", c.says, text)
			}
		})
	}
}
