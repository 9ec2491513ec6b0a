package control

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// startFull starts a Redis that refuses what needs memory.
func startFull(t *testing.T) *redis.Client {
	t.Helper()
	rdb := lab.StartRedis(t).Client()
	if err := rdb.Set(t.Context(), "ballast", strings.Repeat("x", 1<<20), 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.ConfigSet(t.Context(), "maxmemory", "1mb").Err(); err != nil {
		t.Fatal(err)
	}
	return rdb
}
