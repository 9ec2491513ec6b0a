package main

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// A command that meets an answer which passes says so, and works when it has passed; with
// start_retry_for it waits for that.
func TestAnswersThatPass(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv("DUEQUEUE_REDIS_URL", "")
	for _, text := range rediserr.Passing() {
		proxy := lab.StartRefusing(t, srv.Addr())
		refuse := func(n int) {
			proxy.Refuse(n, text, func(command string) bool {
				return command != "hello" && command != "auth" && command != "client" && command != "select"
			})
		}
		refuse(1)
		code, said := program(t, "-redis", proxy.URL(), "queues")
		if code != exitFailed || proxy.Left() != 0 || !strings.Contains(said, "try again") && !strings.Contains(said, "redis.") && !strings.Contains(said, "maxclients") && !strings.Contains(said, "its disk") {
			t.Errorf("%s: %d %s", text, code, said)
		}
		if code, said = program(t, "-redis", proxy.URL(), "queues"); code != exitOK {
			t.Errorf("%s has passed: %d %s", text, code, said)
		}
	}
	proxy := lab.StartRefusing(t, srv.Addr())
	proxy.Refuse(2, "BUSY Redis is busy running a script.", func(command string) bool { return command == "ping" })
	t.Setenv("DUEQUEUE_START_RETRY_FOR", "1h")
	if code, said := program(t, "-redis", proxy.URL(), "queues"); code != exitOK {
		t.Errorf("with start_retry_for: %d %s", code, said)
	}
}
