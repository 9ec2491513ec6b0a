package main

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// Ready messages are buried by hand: chosen, bounded, with a reason, and written to the audit.
func TestDeadBury(t *testing.T) { //nolint:paralleltest // it sets the environment
	onEither(t, func(t *testing.T, url string) {
		t.Helper()
		t.Setenv(env.RedisVariable, url)
		o, err := redis.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		rdb := redis.NewClient(o)
		t.Cleanup(func() { _ = rdb.Close() })
		bean := `{"@class":"com.example.Order","id":1}`
		rdb.RPush(t.Context(), "Q", bean, "\x03order 10\xb1", bean, bean)
		for _, c := range []struct {
			args  []string
			code  int
			says  string
			ready int64
		}{
			{[]string{"dead", "bury", "Q", "-yes"}, 2, "-reason TEXT", 4},
			{[]string{"dead", "bury", "Q", "-reason", "why"}, 2, "-yes", 4},
			{[]string{"dead", "bury", "-reason", "why", "-yes"}, 2, "name one queue", 4},
			{[]string{"dead", "bury", "Q", "-reason", "why", "-codec", "jsonjackson", "-dry-run"}, 0, "3 would be buried, 0 not looked at", 4},
			{[]string{"dead", "bury", "Q", "-reason", "why", "-codec", "jsonjackson", "-limit", "1", "-yes"}, 0, "1 buried, 3 not looked at", 3},
			{[]string{"dead", "bury", "Q", "-reason", "why", "-class", "com.example.Order", "-yes", "-json"}, 0, `"buried":2`, 1},
			{[]string{"dead", "list", "Q", "-reason", "buried"}, 0, "why (", 1},
			{[]string{"audit", "Q"}, 0, "bury", 1},
		} {
			var out, errs strings.Builder
			if code := run(t.Context(), c.args, strings.NewReader(""), &out, &errs); code != c.code || !strings.Contains(out.String()+errs.String(), c.says) {
				t.Errorf("%q: %d %s%s", c.args, code, out.String(), errs.String())
			}
			if n := rdb.LLen(t.Context(), "Q").Val(); n != c.ready {
				t.Errorf("%q: %d are ready", c.args, n)
			}
		}
	})
}
