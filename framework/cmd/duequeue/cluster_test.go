package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// A service's YAML reaches a Cluster and Sentinels, and so does a context; neither needs the
// environment.
func TestClusterAndSentinelsByFile(t *testing.T) {
	cluster, sentinel := lab.StartCluster(t), lab.StartSentinel(t)
	t.Setenv(env.RedisVariable, "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, rdb := range []redis.Cmdable{cluster.Client(), sentinel.Client()} {
		rdb.RPush(t.Context(), "ORDERS", "x")
		if err := rdb.RPush(t.Context(), "redisson_delay_queue:{ORDERS}", "x").Err(); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{
		"cluster":  fmt.Sprintf("redis:\n  addrs: [%s]\n  mode: cluster\n", cluster.Addrs()[0]),
		"sentinel": fmt.Sprintf("app:\n  redis:\n    addrs: [%s]\n    master_name: %s\n", strings.Join(sentinel.Addrs(), ", "), sentinel.MasterName()),
	}
	for name, text := range files {
		path := filepath.Join(t.TempDir(), "application.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		from := []string{"-config", path}
		if name == "sentinel" {
			from = append(from, "-section", "app")
		}
		for _, args := range [][]string{from, append([]string{"context", "add", name}, from...), {"-context", name}} {
			if args[0] != "context" {
				args = append(args, "counts", "ORDERS")
			}
			if code, out, errs := called(t, args...); code != exitOK || args[0] != "context" && !strings.Contains(out, "ORDERS  1") {
				t.Errorf("%q: %d\n%s%s", args, code, out, errs)
			}
		}
		if code, out, errs := called(t, "-context", name, "counts", "ODRERS"); code != exitFailed || !strings.Contains(errs, "did you mean ORDERS?") {
			t.Errorf("%s: %d\n%s%s", name, code, out, errs)
		}
	}
}
