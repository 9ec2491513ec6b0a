package lab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Ran is how often a server has run a command, and for how many µs in all.
type Ran struct{ Calls, Micros int }

// Commands returns what a server has run of each command, in scripts too.
func Commands(tb testing.TB, rdb *redis.Client) map[string]Ran {
	tb.Helper()
	stats, err := rdb.InfoMap(tb.Context(), "commandstats").Result()
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string]Ran{}
	for name, line := range stats["Commandstats"] {
		var ran Ran
		if _, err := fmt.Sscanf(line, "calls=%d,usec=%d", &ran.Calls, &ran.Micros); err != nil {
			tb.Fatalf("INFO commandstats: %s: %q: %v", name, line, err)
		}
		all[strings.TrimPrefix(name, "cmdstat_")] = ran
	}
	return all
}
