package admin_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func redisZ(score int64, member []byte) redis.Z {
	return redis.Z{Score: float64(score), Member: member}
}

// usedCPU returns for how long a server has worked.
func usedCPU(t *testing.T, rdb *redis.Client) time.Duration {
	t.Helper()
	text, err := rdb.Info(t.Context(), "cpu").Result()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for line := range strings.Lines(text) {
		for _, name := range []string{"used_cpu_user:", "used_cpu_sys:"} {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
				seconds, err := strconv.ParseFloat(value, 64)
				if err != nil {
					t.Fatal(err)
				}
				total += seconds
			}
		}
	}
	return time.Duration(total * float64(time.Second))
}
