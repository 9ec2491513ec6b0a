package queuetest

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Calls returns how often a server has run these commands, and for how many µs in all.
func Calls(t testing.TB, rdb *redis.Client, commands ...string) (calls, us int) {
	t.Helper()
	stats, err := rdb.InfoMap(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		line, known := stats["Commandstats"]["cmdstat_"+command]
		if !known { // it has not run yet
			continue
		}
		var n, took int
		if _, err := fmt.Sscanf(line, "calls=%d,usec=%d", &n, &took); err != nil {
			t.Fatalf("INFO commandstats: %s: %q: %v", command, line, err)
		}
		calls, us = calls+n, us+took
	}
	return calls, us
}
