package framework

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.pem")
	if err := os.WriteFile(junk, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(url string) RedisConfig { return RedisConfig{URL: url} }
	for name, tc := range map[string]struct {
		cfg  Config
		want []wantMistake
	}{
		"nothing":          {Config{}, []wantMistake{{"redis.url", "", "", "no Redis is configured"}}},
		"plain":            {Config{Redis: at("redis://h")}, nil},
		"embedded":         {Config{Redis: at("embedded")}, nil},
		"IPv6":             {Config{Redis: at("redis://[::1]:6379/3")}, nil},
		"user":             {Config{Redis: at("rediss://u:p%23w@h:1/2")}, nil},
		"password apart":   {Config{Redis: RedisConfig{URL: "redis://u@h", Password: "p"}}, nil},
		"short lease":      {Config{Redis: at("redis://h"), Lease: 2 * time.Second}, nil},
		"one cluster node": {Config{Redis: RedisConfig{Addrs: []string{"h:1"}, Mode: ModeCluster}}, nil},
		"sentinel":         {Config{Redis: RedisConfig{Addrs: []string{"h:1", "i:2"}, MasterName: "m", SentinelPassword: "x"}}, nil},

		"URL without scheme": {Config{Redis: at("localhost:6379")}, []wantMistake{{"redis.url", "", "localhost:6379", "must be redis://"}}},
		"URL of http":        {Config{Redis: at("http://h")}, []wantMistake{{"redis.url", "", "", "must be redis://"}}},
		"URL without host":   {Config{Redis: at("redis://")}, []wantMistake{{"redis.url", "", "", "must be redis://"}}},
		"URL port":           {Config{Redis: at("redis://h:99999")}, []wantMistake{{"redis.url", "", "", "port from 1 to 65535"}}},
		"URL port text":      {Config{Redis: at("redis://h:port")}, []wantMistake{{"redis.url", "", "", "must be redis://"}}},
		"URL database":       {Config{Redis: at("redis://h/first")}, []wantMistake{{"redis.url", "", "", "number of a database"}}},
		"URL query":          {Config{Redis: at("redis://h?db=2")}, []wantMistake{{"redis.url", "", "", "no ?query"}}},
		"URL raw password":   {Config{Redis: at("redis://u:a/b@h")}, []wantMistake{{"redis.url", "", "redis://(redacted)@h", "percent-encoded"}}},
		"Embedded misspelt":  {Config{Redis: at("Embedded")}, []wantMistake{{"redis.url", "", "Embedded", "embedded"}}},

		"address without port": {Config{Redis: RedisConfig{Addrs: []string{"h", "i:1"}}}, []wantMistake{{"redis.addrs", "", "h", "host:port"}}},
		"address of URL":       {Config{Redis: RedisConfig{Addrs: []string{"redis://u:pw@h:1"}}}, []wantMistake{{"redis.addrs", "", "redis://(redacted)@h:1", "host:port"}}},
		"both ways":            {Config{Redis: RedisConfig{URL: "redis://h", Addrs: []string{"h:1"}}}, []wantMistake{{"redis.addrs", "", "", "one of the two"}}},
		"two standalone":       {Config{Redis: RedisConfig{Addrs: []string{"h:1", "i:1"}, Mode: ModeStandalone}}, []wantMistake{{"redis.addrs", "", "", "one address"}}},
		"no master":            {Config{Redis: RedisConfig{Addrs: []string{"h:1"}, Mode: ModeSentinel}}, []wantMistake{{"redis.master_name", "", "", "must name"}}},
		"master of cluster":    {Config{Redis: RedisConfig{Addrs: []string{"h:1"}, Mode: ModeCluster, MasterName: "m"}}, []wantMistake{{"redis.master_name", "", "m", "mode sentinel"}}},
		"sentinel login alone": {Config{Redis: RedisConfig{URL: "redis://h", SentinelPassword: "p"}}, []wantMistake{{"redis.sentinel_username", "", "", "master_name"}}},
		"db of cluster":        {Config{Redis: RedisConfig{URL: "redis://h/1", Mode: ModeCluster}}, []wantMistake{{"redis.db", "", "1", "only database 0"}}},
		"unknown mode":         {Config{Redis: RedisConfig{URL: "redis://h", Mode: "ring"}}, []wantMistake{{"redis.mode", "", "ring", "standalone, sentinel or cluster"}}},
		"negative db":          {Config{Redis: RedisConfig{URL: "redis://h", DB: -1}}, []wantMistake{{"redis.db", "", "-1", "negative"}}},
		"two databases":        {Config{Redis: RedisConfig{URL: "redis://h/1", DB: 2}}, []wantMistake{{"redis.db", "", "2", "database 1"}}},
		"two users":            {Config{Redis: RedisConfig{URL: "redis://a:x@h", Username: "b", Password: "x"}}, []wantMistake{{"redis.username", "", "b", "another user"}}},
		"two passwords":        {Config{Redis: RedisConfig{URL: "redis://a:x@h", Password: "y"}}, []wantMistake{{"redis.password", "", "(redacted)", "another password"}}},
		"user alone":           {Config{Redis: RedisConfig{URL: "redis://h", Username: "b"}}, []wantMistake{{"redis.username", "", "b", "needs redis.password"}}},
		"user alone in URL":    {Config{Redis: RedisConfig{URL: "redis://b@h"}}, []wantMistake{{"redis.username", "", "(redacted)", "needs redis.password"}}},
		"embedded with login":  {Config{Redis: RedisConfig{URL: "embedded", Password: "p"}}, []wantMistake{{"redis.username", "", "", "no users"}}},
		"embedded cluster":     {Config{Redis: RedisConfig{URL: "embedded", Mode: ModeCluster}}, []wantMistake{{"redis.mode", "", "cluster", "standalone"}}},
		"embedded with TLS":    {Config{Redis: RedisConfig{URL: "embedded", TLS: TLSConfig{Enabled: true}}}, []wantMistake{{"redis.tls.enabled", "", "", "no TLS"}}},

		"TLS against URL": {Config{Redis: RedisConfig{URL: "redis://h", TLS: TLSConfig{Enabled: true}}}, []wantMistake{{"redis.tls.enabled", "", "", "write rediss://"}}},
		"TLS off":         {Config{Redis: RedisConfig{URL: "redis://h", TLS: TLSConfig{CAFile: junk}}}, []wantMistake{{"redis.tls.enabled", "", "", "must be true"}}},
		"CA missing":      {Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{CAFile: junk + "x"}}}, []wantMistake{{"redis.tls.ca_file", "", junk + "x", "cannot be read"}}},
		"CA junk":         {Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{CAFile: junk}}}, []wantMistake{{"redis.tls.ca_file", "", junk, "no certificate"}}},
		"key missing":     {Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{CertFile: junk}}}, []wantMistake{{"redis.tls.key_file", "", "", "is needed"}}},
		"cert missing":    {Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{KeyFile: junk}}}, []wantMistake{{"redis.tls.cert_file", "", "", "is needed"}}},
		"pair junk, CA too": {Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{CertFile: junk, KeyFile: junk, CAFile: junk}}}, []wantMistake{
			{"redis.tls.ca_file", "", junk, "no certificate"}, {"redis.tls.cert_file", "", junk, "no pair"},
		}},

		"lease too short":      {Config{Redis: at("redis://h"), Lease: 500 * time.Millisecond}, []wantMistake{{"lease", "", "500ms", "at least 1s"}}},
		"sweep too long":       {Config{Redis: at("redis://h"), Sweep: 6 * time.Second}, []wantMistake{{"sweep", "", "6s", "to 5s"}}},
		"long sweep, embedded": {Config{Redis: at("embedded"), Sweep: time.Hour}, nil},
		"block fraction":       {Config{Redis: at("redis://h"), Block: 1500 * time.Millisecond}, []wantMistake{{"block", "", "1.5s", "whole seconds"}}},
		"block too long":       {Config{Redis: at("redis://h"), Block: 30 * time.Second}, []wantMistake{{"block", "", "30s", "shorter than lease"}}},
		"too many idle":        {Config{Redis: RedisConfig{URL: "redis://h", PoolIdle: 9}}, []wantMistake{{"redis.pool_idle", "", "9", "from 1"}}},
		"all the rest": {
			Config{
				Redis: RedisConfig{URL: "redis://h", DialTimeout: -1, ReadTimeout: 1, WriteTimeout: -time.Second, PoolSize: -1, PoolIdle: 9},
				Lease: -1, Block: -1, BlockingWaits: -1, Sweep: 1, StartRetryFor: -1, ShutdownShare: 2, ClientName: "my app", ForeignPayloads: "sometimes",
			},
			[]wantMistake{
				{"lease", "", "", ""},
				{"block", "", "", ""},
				{"sweep", "", "1ns", "100ms"},
				{"blocking_waits", "", "-1", "at least 1"},
				{"start_retry_for", "", "", "negative"},
				{"shutdown_share", "", "2", "at most 1"},
				{"foreign_payloads", "", "sometimes", "refuse, warn or ignore"},
				{"client_name", "", "my app", "without spaces"},
				{"redis.dial_timeout", "", "", "1ms"},
				{"redis.read_timeout", "", "", "1ms"},
				{"redis.write_timeout", "", "", "1ms"},
				{"redis.pool_size", "", "", "at least 1"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkMistakes(t, tc.cfg.Validate(), tc.want)
		})
	}
}

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	got := Config{Redis: RedisConfig{URL: "redis://h"}}.withDefaults()
	want := Config{
		Redis: RedisConfig{
			URL: "redis://h", Mode: ModeStandalone, DialTimeout: 5 * time.Second, ReadTimeout: 3 * time.Second,
			WriteTimeout: 3 * time.Second, PoolSize: 8, PoolIdle: 2,
		},
		Lease: 30 * time.Second, Block: 5 * time.Second, BlockingWaits: 32, Sweep: 5 * time.Second, ShutdownShare: 0.8, ClientName: "duequeue",
		ForeignPayloads: registry.ForeignRefuse,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
	for lease, block := range map[time.Duration]time.Duration{
		time.Hour: 5 * time.Second, 10 * time.Second: 5 * time.Second, 9 * time.Second: 4 * time.Second, 2 * time.Second: time.Second,
	} {
		if got := (Config{Lease: lease}).withDefaults().Block; got != block {
			t.Errorf("lease %v: block defaults to %v, want %v", lease, got, block)
		}
	}
}

func TestConfigErrorTypes(t *testing.T) {
	t.Parallel()
	err := Config{Redis: RedisConfig{URL: "rediss://h", TLS: TLSConfig{CAFile: "/nonexistent/ca.pem"}}, Sweep: 1}.Validate()
	var all fault.ConfigErrors
	var one *fault.ConfigError
	if !errors.As(err, &all) || len(all) != 2 || !errors.As(err, &one) || one.Field != "sweep" {
		t.Errorf("error %T: %v", err, err)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the reason of the file system is lost: %v", err)
	}
}
