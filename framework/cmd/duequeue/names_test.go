package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/registry"
)

// oddNames are names that Java takes and declarations refuse, and names that look like quoted
// ones.
var oddNames = []string{
	" leading blank", "trailing blank ", "line\nend", "\x00", "\x1b[2J", "tab\t", "\xff\xfe not UTF-8", strings.Repeat("long", 200),
	`"quoted"`, `"half`, `\back`, "{tag} \x01", "\u202etnelis", "%2e", "a/b?c#d&e",
}

// Every command that takes a queue takes one of any name: as it is, and as "duequeue queues"
// shows it, on the screen and in JSON. So do the pages of the console.
func TestQueuesOfAnyName(t *testing.T) {
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	t.Setenv(env.RedisVariable, srv.URL())
	t.Setenv("USER", "alice")
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	far := float64(time.Now().Add(time.Hour).UnixMilli())
	for _, name := range oddNames {
		k := wire.KeysOf(name)
		rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: far, Member: newElement})
		rdb.RPush(t.Context(), k.Pending, newElement)
		rdb.RPush(t.Context(), k.Queue, "ready")
		rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, Values: []any{"body", "x", "reason", "rejected"}})
	}
	_, listed, _ := called(t, "queues")
	_, lines, _ := called(t, "queues", "-json")
	inJSON := map[string]string{}
	for line := range strings.Lines(lines) {
		var q struct{ Queue string }
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		inJSON[screen.Unquote(q.Queue)] = q.Queue
	}
	console, err := web.New(client, web.Options{Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleLook}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range oddNames {
		if !strings.Contains(listed, screen.Name(name)) || screen.Unquote(screen.Name(name)) != name {
			t.Errorf("%q is not listed as %s", name, screen.Name(name))
		}
		if inJSON[name] == "" {
			t.Errorf("%q is not in the JSON", name)
		}
		for _, as := range []string{name, screen.Name(name), strconv.Quote(name), inJSON[name]} {
			if screen.Unquote(as) != name {
				continue // it looks like a quoted one, and is to be quoted
			}
			for _, args := range [][]string{
				{"counts"}, {"pending"}, {"pending", "-json"}, {"ready"}, {"inflight"}, {"ps"}, {"partitions"}, {"dead", "list"}, {"dead", "groups"}, {"migrate", "-layout", "-dry-run"}, {"doctor", "-json"},
			} {
				code, out, errs := called(t, append(args, as)...)
				if code == exitUsage || strings.Contains(errs, "duequeue: ") && args[0] != "ps" || strings.Contains(errs, "no such queue") || out == "" && args[0] != "ready" {
					t.Errorf("%v %q: %d %.300s %.300s", args, as, code, out, errs)
				}
			}
		}
		page := httptest.NewRecorder()
		console.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/queue?q="+url.QueryEscape(name), nil))
		if page.Code != http.StatusOK {
			t.Errorf("the page of %q: %d", name, page.Code)
		}
		// What is there can be moved.
		if code, out, errs := called(t, "dead", "redrive", "-all", screen.Name(name)); code != exitOK || rdb.LLen(t.Context(), name).Val() != 2 {
			t.Errorf("redrive of %q: %d %s %s", name, code, out, errs)
		}
		if code, out, errs := called(t, "migrate", "-layout", screen.Name(name)); code != exitOK || !strings.HasPrefix(rdb.LIndex(t.Context(), wire.KeysOf(name).Pending, 0).Val(), "\x07") {
			t.Errorf("migrate of %q: %d %s %s", name, code, out, errs)
		}
		if code, _, errs := called(t, "pause", "-reason", "x", screen.Name(name)); code != exitOK {
			t.Errorf("pause of %q: %s", name, errs)
		}
		if len(name) < wire.MaxNameBytes && !strings.ContainsAny(name, "\"\\%/{\u202e") && registry.Define[string](name, "").Err() == nil {
			t.Errorf("a declaration takes %q", name)
		}
	}
}
