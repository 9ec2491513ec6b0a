package main

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Where Redis cannot be used, commands speak of what they know: flags and variables of the command line,
// no settings of a service.
func TestUnreachableInWordsOfTheCommandLine(t *testing.T) {
	srv := lab.StartRedis(t)
	addr := srv.Addr()
	loading := lab.StartRefusing(t, addr)
	loading.Refuse(1000, "LOADING Redis is loading the dataset in memory", func(string) bool { return true })
	srv2 := lab.StartRedis(t)
	closed := srv2.Addr()
	srv2.Kill()
	for _, c := range []struct {
		variable string
		args     []string
		want     string
	}{
		{"redis://" + closed, []string{"queues"}, "check the address (it comes from $DUEQUEUE_REDIS_URL; -redis HOST:PORT names another)"},
		{"redis://" + addr, []string{"-redis", closed, "queues"}, "check the address (it comes from -redis; -redis HOST:PORT names another)"},
		{loading.URL(), []string{"queues"}, "this passes by itself: try again"},
	} {
		t.Setenv(env.RedisVariable, c.variable)
		code, _, errs := called(t, c.args...)
		if code == exitOK || !strings.Contains(errs, c.want) {
			t.Errorf("%s %q: %d, %s", c.variable, c.args, code, errs)
		}
		for _, word := range []string{"redis.url", "redis.addrs", "start_retry_for", "fx."} {
			if strings.Contains(errs, word) {
				t.Errorf("%s %q speaks of %s: %s", c.variable, c.args, word, errs)
			}
		}
	}
}
