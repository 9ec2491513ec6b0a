package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// serving is an engine whose handlers wait.
func serving(t *testing.T, srv *lab.Server, queue string) *framework.Engine {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, Block: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	e, err := framework.New(c, []framework.Consumer{framework.Consume(
		registry.Define[string](queue, "", registry.Codec(codecs.String())),
		handlers.Func[string](func(ctx context.Context, _ *handlers.Delivery[string]) error { <-ctx.Done(); return ctx.Err() }), framework.Workers(3),
	)})
	if err == nil {
		err = e.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel() // at once
		_ = e.Stop(ctx)
		_ = c.Close()
	})
	return e
}

// called runs the command line.
func called(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func TestFleetCommands(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	t.Setenv("USER", "alice")
	for args, want := range map[string]string{
		"pause":                         "add -reason TEXT",
		"pause -reason x":               "name at least one queue",
		"pause -reason x -for -1s Q":    "must not be negative",
		"pause -reason x -until soon Q": "a time such as",
		"pause -reason x -for 1s -until 2030-01-01T00:00:00Z Q": "exclude each other",
		"resume":                  "name at least one queue",
		"limit Q":                 "give -rate, -workers or -off",
		"limit -rate -1 Q":        "must not be negative",
		"limit -off -workers 2 Q": "removes both limits",
		"limit -workers 2":        "name at least one queue",
		"retry ORDERS":            `unknown command "retry"; did you mean "dead redrive"?`,
		"requeue ORDERS":          `did you mean "dead redrive"?`,
		"cancel ORDERS 4711":      "duequeue find ORDERS 4711 looks for it, and -key says that it is a key",
		"reschedule Q x -more 1h": "duequeue find Q x looks for it",
		"queues -share 2":         "from 0.01 to 1",
		"queues -limit 0":         "must be positive",
	} {
		if code, out, errs := called(t, strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: %d\n%s%s", args, code, out, errs)
		}
	}

	serving(t, srv, "ORDERS")
	if err := srv.Client().RPush(t.Context(), "ORDERS", "a").Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the message is not taken", func() bool { return srv.Client().LLen(t.Context(), "ORDERS").Val() == 0 })
	for _, c := range []struct {
		args      string
		code      int
		out, errs string
	}{
		{"pause -reason moving -for 1h ORDERS", exitOK, "ORDERS: paused in all Go processes by " + env.Author() + " since 20", ""},
		{"pause -reason moving ORDERS", exitOK, "  1 of 1 Go process that handles it followed\n  Java consumers know nothing of this and go on taking\n", ""},
		{"ps ORDERS", exitOK, "closed, paused", ""},
		{"queues", exitOK, "paused in all Go processes by " + env.Author() + " since", ""},
		{"queues", exitOK, "(Java consumers know nothing of this and go on taking)", ""},
		{"resume -by bob ORDERS", exitOK, "ORDERS: not paused (resumed by bob at 20", ""},
		{"limit -workers 2 -rate 0.5 -reason slow ORDERS", exitOK, "each Go process has at most 2 workers and 0.5 messages a second, by " + env.Author() + ": slow\n  1 of 1 Go process", ""},
		{"ps ORDERS", exitOK, "2 of 3", ""},
		{"limit -off ORDERS", exitOK, "ORDERS: not paused (resumed by bob", ""},
		{"limit -workers 100 ORDERS", exitOK, "  it changes nothing in 1 of them: they are declared with less", ""},
		{"limit -off ORDERS", exitOK, "ORDERS: not paused (resumed by bob", ""},
		{"inflight ORDERS", exitOK, "ORDERS: 1 message in flight at Go processes\n  ID ", ""},
		{"inflight ORDERS", exitOK, "running\n", ""},
		{"pause -reason x ODRERS", exitFailed, "", "no such queue: ODRERS; did you mean ORDERS? (-new sets it all the same)"},
		{"pause -new -reason x NOWHERE", exitOK, "no Go process handles it now; one that starts will know\n  Java consumers", ""},
		{"resume NOWHERE", exitOK, "NOWHERE: not paused", ""},
		{"inflight ELSEWHERE", exitFailed, "", "no such queue: ELSEWHERE"},
		{"ps ELSEWHERE", exitFailed, "", "no such queue: ELSEWHERE"},
		{"limit -workers 5000 ORDERS", exitFailed, "", `workers is "5000": must be from 1 to 4096`},
	} {
		if code, out, errs := called(t, strings.Fields(c.args)...); code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: %d\n%s%s", c.args, code, out, errs)
		}
	}
	for args, fields := range map[string][]string{
		"-json pause -reason x ORDERS": {"pause", "processes", "followed", "java"},
		"-json resume ORDERS":          {"queue", "processes", "java"},
		"-json ps ORDERS":              {"host", "pid", "up", "intake", "running", "workers"},
		"-json inflight ORDERS":        {"id", "attempt", "for", "host"},
		"-json queues":                 {"ready", "lag", "listeners", "processes"},
	} {
		code, out, errs := called(t, strings.Fields(args)...)
		line, _, _ := strings.Cut(out, "\n")
		got := map[string]any{}
		if err := json.Unmarshal([]byte(line), &got); err != nil || code != exitOK {
			t.Errorf("%s: %d %v\n%s%s", args, code, err, out, errs)
		}
		for _, f := range fields {
			if _, ok := got[f]; !ok {
				t.Errorf("%s: no %s in %s", args, f, line)
			}
		}
	}
	if err := srv.Client().Set(t.Context(), "duequeue:control:{WRONG}", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := called(t, "pause", "-new", "-reason", "x", "WRONG", "RIGHT"); code != exitFailed || !strings.Contains(errs, "holds a string, not a hash") || !strings.Contains(out, "RIGHT: paused") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if code, out, _ := called(t, "queues"); code != exitFailed || !strings.Contains(out, "not a hash") {
		t.Errorf("%d\n%s", code, out)
	}
}

// The address of the environment is taken as that of -redis.
func TestAddressOfTheEnvironment(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.Addr())
	if code, out, errs := called(t, "queues"); code != exitOK || out != "" || !strings.Contains(errs, "no delayed queue") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
}

// ps shows the version of the program that serves a queue, and which duequeue it was built with.
func TestPsShowsVersions(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	k := queuetest.NewQueue()
	record := fmt.Sprintf(`%016d%010d%010d{"host":"h","pid":7,"program":"shop","build":"v1.4.2 1a2b3c4d5e6f","version":"v0.9.0"}`,
		queuetest.NowMs(t, srv.Client()), 3_600_000, 3_600_000)
	if err := srv.Client().HSet(t.Context(), k.Processes, "p", record).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ps", k.Queue}, "shop     v1.4.2 1a2b3c4d5e6f  v0.9.0"},
		{[]string{"-json", "ps", k.Queue}, `"version":"v1.4.2 1a2b3c4d5e6f","duequeue":"v0.9.0"`},
	} {
		if code, out, errs := called(t, c.args...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%q: %d, %s%s", c.args, code, out, errs)
		}
	}
}
