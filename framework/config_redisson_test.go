package framework_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

func redissonFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLoadRedisson: a program reads the file of a Java service as it stands, and its own
// environment overrides it.
func TestLoadRedisson(t *testing.T) {
	path := redissonFile(t, "redisson.yaml", `
sentinelServersConfig:
  masterName: mymaster
  sentinelAddresses: ["rediss://10.0.0.1:26379", "rediss://[fe80::2]:26379"]
  database: 2
  username: svc
  password: "${REDISSON_TEST_PASSWORD}"
  timeout: 2500
  masterConnectionPoolSize: 20
`)
	t.Setenv("REDISSON_TEST_PASSWORD", `ge: "heim" #1`)
	t.Setenv("DUEQUEUE_REDIS_DB", "5")
	if _, err := framework.LoadRedisson(path); err == nil {
		t.Fatal("a password that ends the text of the YAML was read") // it is replaced in the text, as in Java
	}
	t.Setenv("REDISSON_TEST_PASSWORD", "ge: heim #1")
	cfg, err := framework.LoadRedisson(path, framework.RedissonRelease("3.45.1"))
	if err != nil {
		t.Fatal(err)
	}
	r := cfg.Redis
	if strings.Join(r.Addrs, " ") != "10.0.0.1:26379 [fe80::2]:26379" || r.MasterName != "mymaster" || r.DB != 5 || r.Username != "svc" ||
		r.Password != "ge: heim #1" || !r.TLS.Enabled || r.ReadTimeout != 2500*time.Millisecond || r.PoolSize != 20 {
		t.Errorf("read %v", cfg)
	}
	unset := redissonFile(t, "redisson.yaml", "singleServerConfig:\n  address: redis://10.0.0.1:6379\n  password: ${REDISSON_TEST_NONE}\n")
	checkRedisson(t, unset, "singleServerConfig.password", "redisson.yaml:3", "the variable is not set here: set it, or the variable DUEQUEUE_REDIS_PASSWORD")
}

// TestLoadRedissonTexts: texts stay texts that YAML reads as something else where they are not
// quoted.
func TestLoadRedissonTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"null", "Null", "~", "true", "False", "yes", "0123", "0x1f", "0o17", "1_000", "1e3", ".5", ".inf", ".NaN", "12:30", "2026-01-31", "-1", "=", "<<", "a: b", "#", "{}", "[x]", "|", "*a", "&a", "!x", "%", "@", "`", "'", "ü",
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := framework.LoadRedisson(redissonFile(t, "redisson.yaml", "singleServerConfig:\n  address: redis://10.0.0.1:6379\n  username: "+string(quoted)+"\n  password: "+string(quoted)+"\n"))
		if err != nil || cfg.Redis.Username != text || cfg.Redis.Password != text {
			t.Errorf("%q: read as %q and %q, %v", text, cfg.Redis.Username, cfg.Redis.Password, err)
		}
	}
}

// TestLoadRedissonMistakes: what would make a service work on other keys, or with other
// servers, is a mistake, with the place in the file of Java.
func TestLoadRedissonMistakes(t *testing.T) {
	t.Parallel()
	const head = "singleServerConfig:\n  address: redis://10.0.0.1:6379\n"
	mapper := redissonFile(t, "redisson.yaml", head+"  nameMapper: !<com.shop.Mapper> {}\n  clientName: shop\n")
	checkRedisson(t, mapper, "singleServerConfig.nameMapper", "redisson.yaml:3", `framework.WithNameMapper. Then name it by ByProgram("nameMapper")`)
	if cfg, err := framework.LoadRedisson(mapper, framework.ByProgram("nameMapper")); err != nil || cfg.Redis.URL != "redis://10.0.0.1:6379" || cfg.ClientName != "shop" {
		t.Errorf("with a mapper of the program: %v, %v", cfg, err)
	}
	idle := redissonFile(t, "redisson.yaml", head+"  connectionMinimumIdleSize: 24\n")
	if cfg, err := framework.LoadRedisson(idle); err != nil || cfg.Redis.PoolIdle != framework.DefaultPoolSize {
		t.Errorf("more idle connections than the pool has by default: %v, %v", cfg, err)
	}
	checkRedisson(t, redissonFile(t, "redisson.yaml", head+"  sslKeystore: file:/a.jks\n  username: u\n  usernam: 1\n"), "singleServerConfig.usernam", "redisson.yaml:5", "did you mean username")
	checkRedisson(t, redissonFile(t, "redisson.yaml", "clusterServersConfig:\n  nodeAddresses: ['redis://a:1']\n  database: 3\n"), "clusterServersConfig.database", "redisson.yaml:3", "only database 0")
	checkRedisson(t, redissonFile(t, "redisson.yaml", "singleServerConfig:\n  address: redis://10.0.0.1:99999\n"), "singleServerConfig.address", "redisson.yaml:2", "port from 1 to 65535")
	checkRedisson(t, filepath.Join(t.TempDir(), "none.yaml"), "", "none.yaml", "cannot be read")
	if _, err := framework.LoadConfig(mapper); err == nil || !strings.Contains(err.Error(), "framework.LoadRedisson reads such a file") {
		t.Errorf("as one of ours: %v", err)
	}
	if _, err := framework.LoadRedisson(mapper, framework.Section("app")); err == nil || !strings.Contains(err.Error(), "Section is for LoadConfig") {
		t.Errorf("with a section: %v", err)
	}
}

func checkRedisson(t *testing.T, path, field, origin, reason string) {
	t.Helper()
	_, err := framework.LoadRedisson(path)
	var mistake *fault.ConfigError
	if !errors.As(err, &mistake) || mistake.Field != field || !strings.HasSuffix(mistake.Origin, origin) || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: %v, want %s in %s: %s", filepath.Base(path), err, field, origin, reason)
	}
}
