package framework_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// openTold opens a client and returns what it logged.
func openTold(t *testing.T, url string) string {
	t.Helper()
	logs := &logLines{}
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: url}},
		framework.WithLogger(slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return logs.String()
}

// The log says which Redis it is, and warns of settings that lose messages.
func TestStartTellsWhichRedisAndWhatLosesMessages(t *testing.T) {
	t.Parallel()
	primary := lab.StartRedis(t, lab.Password("geheim"), lab.AppendOnly())
	for name, c := range map[string]struct {
		args []string
		want string // of the warning; "" for none
	}{
		"safe":        {[]string{"--appendonly", "yes"}, ""},
		"no disk":     {nil, "keeps nothing on disk"},
		"snapshots":   {[]string{"--save", "60", "1"}, "keeps snapshots only"},
		"appendfsync": {[]string{"--appendonly", "yes", "--appendfsync", "no"}, "a power failure loses"},
		"eviction":    {[]string{"--appendonly", "yes", "--maxmemory-policy", "allkeys-lru"}, "deletes whole queues"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t, lab.Args(c.args...))
			logs := openTold(t, srv.URL())
			if !strings.Contains(logs, `msg="Redis answers" addr=`+srv.Addr()) || !strings.Contains(logs, "version=") || !strings.Contains(logs, "mode=standalone") {
				t.Errorf("it does not say which Redis it is:\n%s", logs)
			}
			if n := strings.Count(logs, "level=WARN"); c.want == "" && n != 0 || c.want != "" && (n != 1 || !strings.Contains(logs, c.want)) {
				t.Errorf("want a warning %q:\n%s", c.want, logs)
			}
		})
	}
	t.Run("password and forbidden", func(t *testing.T) {
		t.Parallel()
		if err := primary.Client().Do(t.Context(), "acl", "setuser", "modest", "on", ">verschwiegen", "~*", "&*", "+@all", "-config", "-info").Err(); err != nil {
			t.Fatal(err)
		}
		logs := openTold(t, "redis://modest:verschwiegen@"+primary.Addr())
		if strings.Contains(logs, "verschwiegen") || strings.Contains(logs, "level=WARN") || !strings.Contains(logs, "level=DEBUG") || !strings.Contains(logs, primary.Addr()) {
			t.Errorf("%s", logs)
		}
	})
	t.Run("replica", func(t *testing.T) {
		t.Parallel()
		source := lab.StartRedis(t, lab.Args("--appendonly", "yes"))
		host, port, _ := strings.Cut(source.Addr(), ":")
		replica := lab.StartRedis(t, lab.Args("--appendonly", "yes", "--replicaof", host, port))
		if logs := openTold(t, replica.URL()); !strings.Contains(logs, "leads to a replica") {
			t.Errorf("%s", logs)
		}
	})
}

// The error says which time was over.
func TestUnreachableSaysWhatEndedTheWait(t *testing.T) {
	t.Parallel()
	const gone = "redis://127.0.0.1:1" // nothing listens there, and no test takes the port
	for name, c := range map[string]struct {
		retry, deadline time.Duration
		want            string
	}{
		"retries":  {300 * time.Millisecond, time.Minute, "what ended the waiting is start_retry_for: 300ms"},
		"deadline": {time.Minute, 300 * time.Millisecond, "fx.StartTimeout"},
		"at once":  {0, time.Minute, "start_retry_for: 30s; with fx, fx.StartTimeout must be longer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs := &logLines{}
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			_, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: gone}, StartRetryFor: c.retry},
				framework.WithLogger(slog.New(slog.NewTextHandler(logs, nil))))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if told := logs.count("start_retry_for is longer than the start may take") == 1; told != (c.retry > c.deadline) {
				t.Errorf("told: %v\n%s", told, logs)
			}
		})
	}
}
