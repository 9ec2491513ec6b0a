package framework

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// wantMistake describes one expected fault.ConfigError; empty parts are not compared,
// except that the number of mistakes must be right.
type wantMistake struct{ field, origin, value, reason string }

func checkMistakes(t *testing.T, err error, want []wantMistake) {
	t.Helper()
	var got fault.ConfigErrors
	if err != nil && !errors.As(err, &got) {
		t.Fatalf("error is %T: %v", err, err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d mistakes, want %d:\n%v", len(got), len(want), err)
	}
	for i, w := range want {
		g := got[i]
		if g.Field != w.field || g.Origin != w.origin || w.value != "" && g.Value != w.value || !strings.Contains(g.Reason, w.reason) {
			t.Errorf("mistake %d:\n got %+v\nwant %+v", i, *g, w)
		}
	}
}

// load reads a file and an environment with our prefix.
func load(file, yaml string, environ []string) (Config, error) {
	return loadConfig(config.Source{File: file, YAML: []byte(yaml), Environ: environ, Prefix: DefaultEnvPrefix})
}

func TestLoadConfigYAML(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		yaml string
		env  []string
		want []wantMistake
		cfg  Config
	}{
		"one line": {
			yaml: "redis: {url: \"redis://r:6379\"}",
			cfg:  Config{Redis: RedisConfig{URL: "redis://r:6379"}},
		},
		"everything": {
			yaml: `# a comment first
redis:
  addrs: [a:1, "b:2"]
  mode: cluster
  username: app
  password: 0815
  tls: {enabled: true, server_name: r, insecure_skip_verify: yes}
  dial_timeout: 1s
  pool_size: 4
name:
  prefix: "prod:"
lease: 1m
block: 10s
sweep: 250ms
start_retry_for: 30s
shutdown_share: 0.5
client_name: shop
`,
			want: []wantMistake{{"redis.tls.insecure_skip_verify", "duequeue.yaml:7", "yes", "neither true nor false"}},
		},
		"list as block, block scalar, null": {
			yaml: "redis:\n  addrs:\n  - a:1\n  - b:2\n  password: |\n    secret\nlease:\nname:\n",
			cfg:  Config{Redis: RedisConfig{Addrs: []string{"a:1", "b:2"}, Password: "secret"}},
		},
		"environment wins": {
			yaml: "redis:\n  url: redis://yaml\n  password: a\nlease: 1m\n",
			env:  []string{"DUEQUEUE_REDIS_URL=redis://env", "DUEQUEUE_REDIS_PASSWORD=b", "DUEQUEUE_LEASE=", "PATH=/bin"},
			cfg:  Config{Redis: RedisConfig{URL: "redis://env", Password: "b"}, Lease: time.Minute},
		},
		"unknown keys": {
			yaml: "redis:\n  url: redis://r\n  adrs: [a:1]\n  tls:\n    ca: x\nlaese: 5s\nzzz: 1\n",
			want: []wantMistake{
				{"redis.adrs", "duequeue.yaml:3", "", "unknown key; did you mean addrs?"},
				{"redis.tls.ca", "duequeue.yaml:5", "", "known here: ca_file, cert_file"},
				{"laese", "duequeue.yaml:6", "", "did you mean lease?"},
				{"zzz", "duequeue.yaml:7", "", "unknown key (known here: block"},
			},
		},
		"wrong values, all at once, and the contradictions too": {
			yaml: "redis:\n  url: redis://r\n  db: one\n  pool_size: -3\nlease: 30\nblock: 1500ms\nshutdown_share: much\n",
			env:  []string{"DUEQUEUE_SWEEP=soon", "DUEQUEUE_REDIS_URLL=x", "DUEQUEUE_REDIS_MODE=ring"},
			want: []wantMistake{
				{"redis.db", "duequeue.yaml:3", "one", "no whole number"},
				{"redis.pool_size", "duequeue.yaml:4", "-3", "at least 1"},
				{"lease", "duequeue.yaml:5", "30", "30s"},
				{"block", "duequeue.yaml:6", "1.5s", "whole seconds"},
				{"shutdown_share", "duequeue.yaml:7", "much", "no number"},
				{"", "DUEQUEUE_REDIS_URLL", "", "unknown environment variable; did you mean DUEQUEUE_REDIS_URL?"},
				{"sweep", "DUEQUEUE_SWEEP", "soon", "no duration"},
				{"redis.mode", "DUEQUEUE_REDIS_MODE", "ring", "standalone, sentinel or cluster"},
			},
		},
		"wrong shapes": {
			yaml: "redis: redis://r\nlease: [1s]\nblock: {a: 1}\nname:\n- x\n",
			env:  []string{"DUEQUEUE_REDIS_URL=redis://r"},
			want: []wantMistake{
				{"redis", "duequeue.yaml:1", "", "must be a mapping"},
				{"lease", "duequeue.yaml:2", "", "not a list"},
				{"block", "duequeue.yaml:3", "", "plain value"},
				{"name", "duequeue.yaml:5", "", "must be a mapping"},
			},
		},
		"not a mapping": {yaml: "just text", env: []string{"DUEQUEUE_REDIS_URL=redis://r"}, want: []wantMistake{{"", "duequeue.yaml:1", "", "mapping"}}},
		"broken":        {yaml: "redis:\n  password: \"geheim\n  url: x\n", want: []wantMistake{{"", "duequeue.yaml:2", "", "not valid YAML"}}},
		"twice":         {yaml: "lease: 1s\nlease: 2s\n", want: []wantMistake{{"", "duequeue.yaml:2", "", "not valid YAML"}}},
		"two documents": {yaml: "lease: 1m\n---\nlease: 2m\n", want: []wantMistake{{"", "duequeue.yaml:3", "", "second YAML document"}}},
		"alias":         {yaml: "redis:\n  url: redis://r\nlease: &l 1m\nblock: *l\n", want: []wantMistake{{"lease", "duequeue.yaml:3", "", "plain value"}, {"block", "duequeue.yaml:4", "", "plain value"}}},
		"nothing":       {yaml: "", want: []wantMistake{{"redis.url", "", "", "no Redis is configured: set redis.url (DUEQUEUE_REDIS_URL)"}}},
		"only comments": {yaml: "# later\n", want: []wantMistake{{"redis.url", "", "", "embedded.Module"}}},
		"unknown variables, beside other mistakes": {
			env: []string{"DUEQUEUE_REDIS_HOST=r", "DUEQUEUE_LEESE=3s", "DUEQUEUE_SERVICE_HOST=10.0.0.1"},
			want: []wantMistake{
				{"", "DUEQUEUE_LEESE", "", "unknown environment variable; did you mean DUEQUEUE_LEASE?"},
				{"", "DUEQUEUE_REDIS_HOST", "", "unknown environment variable, which is ignored"},
				{"redis.url", "", "", "no Redis is configured"},
			},
		},
		"tools' variables": {
			env: []string{"DUEQUEUE_REDIS_URL=redis://r", "DUEQUEUE_REDIS_SERVER=/opt/redis", "DUEQUEUE_TEST_X=1"},
			cfg: Config{Redis: RedisConfig{URL: "redis://r"}},
		},
		"addresses in the environment": {
			env: []string{"DUEQUEUE_REDIS_ADDRS=a:1, b:2", "DUEQUEUE_REDIS_TLS_ENABLED=true", "DUEQUEUE_SHUTDOWN_SHARE=1"},
			cfg: Config{Redis: RedisConfig{Addrs: []string{"a:1", "b:2"}, TLS: TLSConfig{Enabled: true}}, ShutdownShare: 1},
		},
		"both sides, with their places": {
			yaml: "redis:\n  url: redis://r\n", env: []string{"DUEQUEUE_REDIS_ADDRS=a:1"},
			want: []wantMistake{{"redis.addrs", "DUEQUEUE_REDIS_ADDRS", "a:1", "redis.url (duequeue.yaml:2) is set too"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := load("duequeue.yaml", tc.yaml, tc.env)
			checkMistakes(t, err, tc.want)
			got.origin, got.unknown = nil, nil
			if tc.want == nil && !reflect.DeepEqual(got, tc.cfg) {
				t.Errorf("\n got %v\nwant %v", got, tc.cfg)
			}
		})
	}
}

// TestUnknownVariables tells a misspelt variable from a stranger, and from those that
// Kubernetes sets for a Service of our name.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{ // what is unknown; ! is an error
		"DUEQUEUE_OTHER=1":       "DUEQUEUE_OTHER",
		"DUEQUEUE_REDIS_PORT=1":  "DUEQUEUE_REDIS_PORT",
		"DUEQUEUE_=1":            "DUEQUEUE_",
		"DUEQUEUE_REDISURL=x":    "!",
		"DUEQUEUE_Redis_Url=x":   "!",
		"DUEQUEUE_REDIS_PASWORD": "!",
		"DUEQUEUE_BLOK=1s":       "!",
		"DUEQUEUE_WORKERS=4":     "DUEQUEUE_WORKERS",
		// a Service named duequeue
		"DUEQUEUE_SERVICE_HOST=10.0.0.1 DUEQUEUE_SERVICE_PORT=80 DUEQUEUE_SERVICE_PORT_HTTP=80 DUEQUEUE_PORT=tcp://10.0.0.1:80 " +
			"DUEQUEUE_PORT_80_TCP=tcp://10.0.0.1:80 DUEQUEUE_PORT_80_TCP_PROTO=tcp DUEQUEUE_PORT_80_TCP_PORT=80 DUEQUEUE_PORT_80_TCP_ADDR=10.0.0.1 " +
			"DUEQUEUE_PORT_53_UDP_ADDR=10.0.0.1 DUEQUEUE_PORT_9_SCTP=x": "",
		"DUEQUEUE_PORT=tcp://10.0.0.1:80":  "",
		"DUEQUEUE_PORT_80_ICMP=1":          "DUEQUEUE_PORT_80_ICMP",
		"DUEQUEUE_SERVICE=1":               "DUEQUEUE_SERVICE",
		"DUEQUEUE_SERVICE_HOST_EXTRA=1":    "DUEQUEUE_SERVICE_HOST_EXTRA",
		"DUEQUEUE_API_PORT=1":              "DUEQUEUE_API_PORT",
		"DUEQUEUE_API_PORT=1 MY_PORT=tcp:": "DUEQUEUE_API_PORT",
		// and one named duequeue-redis
		"DUEQUEUE_REDIS_SERVICE_HOST=10.0.0.1 DUEQUEUE_REDIS_SERVICE_PORT=6379 DUEQUEUE_REDIS_PORT=tcp://10.0.0.1:6379 DUEQUEUE_REDIS_PORT_6379_TCP_ADDR=10.0.0.1": "",
	} {
		cfg, err := load("", "", append(strings.Fields(env), "DUEQUEUE_REDIS_URL=redis://r"))
		if (want == "!") != (err != nil) || want != "!" && strings.Join(cfg.unknown, " ") != want {
			t.Errorf("%s: unknown %v, %v; want %s", env, cfg.unknown, err, want)
		}
	}
}

// TestUnknownVariablesAreLogged opens a client: its logger hears of them, by name alone.
func TestUnknownVariablesAreLogged(t *testing.T) {
	t.Parallel()
	cfg, err := load("", "", []string{"DUEQUEUE_REDIS_URL=redis://127.0.0.1:1", "DUEQUEUE_SECRET=geheim"})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	_, err = Open(t.Context(), cfg, WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	var unreachable *fault.UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(log.String(), "level=WARN msg=\"unknown environment variable with the prefix of this library: it is ignored\" variable=DUEQUEUE_SECRET\n") ||
		strings.Contains(log.String(), "geheim") {
		t.Errorf("%v\n%s", err, &log)
	}
}

func TestLoadConfigFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "duequeue.yaml")
	if err := os.WriteFile(path, []byte("redis:\n  url: redis://r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DUEQUEUE_LEASE", "45s")
	cfg, err := LoadConfig(path)
	if err != nil || cfg.Redis.URL != "redis://r" || cfg.Lease != 45*time.Second {
		t.Errorf("LoadConfig = %v, %v", cfg, err)
	}
	t.Setenv("DUEQUEUE_REDIS_URL", "redis://env")
	if cfg, err = LoadConfig(""); err != nil || cfg.Redis.URL != "redis://env" {
		t.Errorf("LoadConfig from the environment = %v, %v", cfg, err)
	}
	_, err = LoadConfig(path + ".gone")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	checkMistakes(t, err, []wantMistake{{"", path + ".gone", "", "cannot be read"}})
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const secret = "geh#im"
	cfg := Config{Redis: RedisConfig{
		URL: "redis://app:" + secret + "@r:6379", Password: secret, SentinelPassword: secret,
	}}
	texts := []string{
		fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg), fmt.Sprintf("%v", &cfg),
		fmt.Sprint(cfg.Redis), fmt.Sprintf("%#v", cfg.Redis), cfg.LogValue().String(), cfg.Redis.LogValue().String(),
		fmt.Sprint(cfg.Validate()), fmt.Sprintf("%+v", cfg.Redacted()),
	}
	for _, url := range []string{
		"redis://:geh#im@r", "redis://app:geh/im@r", "redis:/app:geh#im@r", "geh#im@r", "redis://app:geh%im@r:x", "redis://a:geh im@r",
	} {
		texts = append(texts, fmt.Sprint(Config{Redis: RedisConfig{URL: url}}.Validate()))
		_, err := load("f.yaml", "redis:\n  url: '"+url+"'\n  password: [geheim]\n", nil)
		texts = append(texts, fmt.Sprint(err))
	}
	for _, yaml := range []string{"password: \"geheim", "password: >geheim", "password: |geheim", "{password: >geheim, url: x}", "password:geheim: 1\n  password:geheim: 1"} {
		_, err := load("f.yaml", "redis:\n  "+yaml+"\n", nil)
		texts = append(texts, fmt.Sprint(err))
	}
	for i, text := range texts {
		if strings.Contains(text, "geh") {
			t.Errorf("text %d shows the password: %s", i, text)
		}
	}
}

func FuzzLoadConfig(f *testing.F) {
	for _, seed := range []string{
		"redis:\n  url: redis://r\n", "redis: {addrs: [a:1]}", "a: &x 1\nb: *x\n", "- 1\n- 2", "? [1]\n: 2", "{", "\"", "!!binary x",
		"redis:\n  <<: {url: x}\n", "---\n...\n", "redis:\n  password: |\n    x\n", "1: 2\n", "lease: .inf\n", "%YAML 1.2\n---\na: b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		cfg, err := load("f.yaml", string(source), nil)
		var all fault.ConfigErrors
		if err != nil && (!errors.As(err, &all) || slices.Contains(all, nil)) {
			t.Fatalf("error %T: %v", err, err)
		}
		if err == nil && cfg.Validate() != nil {
			t.Fatalf("loaded, but not valid: %v", cfg.Validate())
		}
	})
}
