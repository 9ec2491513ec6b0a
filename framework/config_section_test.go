package framework

import (
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/config"
)

func TestLoadConfigOfASection(t *testing.T) {
	t.Parallel()
	const file = `
server: {port: 8080}
app:
  name: shop
  queues:
    redis: {url: "redis://r"}
    lease: 1m
`
	for name, c := range map[string]struct {
		yaml, section, prefix string
		env                   []string
		want                  string // part of the error; "" for none
	}{
		"a section":             {yaml: file, section: "app.queues", prefix: DefaultEnvPrefix},
		"another prefix":        {yaml: file, section: "app.queues", prefix: "SHOP_", env: []string{"SHOP_LEASE=1m", "DUEQUEUE_LEASE=2m"}},
		"no environment":        {yaml: file, section: "app.queues", env: []string{"DUEQUEUE_LEASE=2m", "LEASE=3m"}},
		"Kubernetes":            {yaml: file, section: "app.queues", prefix: "SHOP_", env: []string{"SHOP_SERVICE_HOST=10.0.0.1", "SHOP_PORT_80_TCP=x"}},
		"without its section":   {yaml: "duequeue:\n  lease: 1m\n", want: `duequeue (f.yaml:1): the settings stand under "duequeue": read them with framework.Section("duequeue")`},
		"a section in sections": {yaml: file, want: `app (f.yaml:3): the settings stand under "app.queues": read them with framework.Section("app.queues")`},
		"half of a section":     {yaml: file, section: "app", want: `the settings stand under "queues": read them with framework.Section("app.queues")`},
		"no settings anywhere":  {yaml: "server: {port: 8080}\n", want: "server (f.yaml:1): unknown key"},
		"missing":               {yaml: file, section: "app.queue", prefix: DefaultEnvPrefix, want: `the file has no section app.queue: "queue" is missing; did you mean queues?`},
		"not a mapping":         {yaml: file, section: "app.name.queues", prefix: DefaultEnvPrefix, want: `"queues" is missing`},
		"an empty file":         {section: "app", prefix: DefaultEnvPrefix, want: "the file is empty: it has no section app"},
		"mistake in a section":  {yaml: strings.ReplaceAll(file, "lease", "leese"), section: "app.queues", prefix: DefaultEnvPrefix, want: "configuration: leese (f.yaml:7): unknown key; did you mean lease?"},
		"misspelt variable":     {yaml: file, section: "app.queues", prefix: "SHOP_", env: []string{"SHOP_LEESE=1m"}, want: "did you mean SHOP_LEASE?"},
		"a bad prefix":          {yaml: file, prefix: "shop", want: `EnvPrefix("shop"): write capital letters`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := loadConfig(config.Source{File: "f.yaml", YAML: []byte(c.yaml), Section: c.section, Environ: c.env, Prefix: c.prefix})
			switch {
			case c.want == "" && (err != nil || cfg.Redis.URL != "redis://r" || cfg.Lease != time.Minute || len(cfg.unknown) > 0):
				t.Errorf("%+v %v, want redis://r and a lease of 1m", cfg, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := LoadConfig("", Section("app")); err == nil || !strings.Contains(err.Error(), `Section("app") needs a file`) {
		t.Errorf("a section of no file: %v", err)
	}
}
