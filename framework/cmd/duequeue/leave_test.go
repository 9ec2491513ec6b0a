package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What leave says, in the order in which one meets it.
func TestLeave(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	rdb, k := srv.Client(), wire.KeysOf("ORDERS")
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	q := registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()), registry.Partitions(2))
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil }))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} { // in both partitions
		if _, err := framework.Bind(client, q).Offer(t.Context(), "pending "+key, time.Hour, framework.Key(key)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "dead.jsonl")
	step := func(args string, code int, out, errs string) {
		t.Helper()
		gotCode, gotOut, gotErrs := called(t, append([]string{"leave"}, strings.Fields(args)...)...)
		if gotCode != code || !strings.Contains(gotOut, out) || !strings.Contains(gotErrs, errs) {
			t.Errorf("leave %s: %d\n%s%s", args, gotCode, gotOut, gotErrs)
		}
	}
	step("", exitUsage, "", "no queue given")
	step("-redrive-dead -export-dead x ORDERS", exitUsage, "", "exclude each other")
	step("NOWHERE", exitFailed, "", "no such queue: NOWHERE")
	step("-export-dead "+t.TempDir()+" ORDERS", exitFailed, "", "is a directory")
	step("ORDERS", exitFailed, "", "Go processes serve the queue: stop them first: ")
	step("-dry-run ORDERS", exitFailed, "", "Go processes serve the queue")
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	leftBehind(t, srv, "ORDERS", time.Now().Add(time.Hour))
	step("ORDERS", exitFailed, "", "the lease of 1 consumer has not ended")
	rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: "1700000000000-0", Values: []any{"body", "dead", "reason", "rejected", "detail", "x", "at", 1700000000000}})
	leaseEnds(t, srv, "ORDERS", time.Now().Add(100*time.Millisecond))
	step("-wait ORDERS", exitFailed, "ORDERS: not left yet: 2 messages of dead processes back to the ready list", "1 dead letter in the dead store, which Java does not know")
	step("-dry-run -redrive-dead ORDERS", exitOK, "ORDERS: would leave: 1 dead letter back to the ready list, Java would have 6 pending and 3 ready", "")
	step("-export-dead "+file+" ORDERS", exitOK, "keys deleted, Redisson's keys alone remain: 6 pending, 2 ready", "")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"payload":"ZGVhZA=="`) {
		t.Errorf("the export: %s %v", text, err)
	}
	if keys := rdb.Keys(t.Context(), "duequeue:*").Val(); len(keys) != 1 || keys[0] != wire.AuditKey {
		t.Errorf("keys are left: %q", keys)
	}
	// Again: the note of the partitions is gone, so this is the queue with the plain name.
	step("ORDERS", exitOK, "ORDERS: left: 1 key deleted, Redisson's keys alone remain: 4 pending, 2 ready", "")
	if err := rdb.RPush(t.Context(), k.Stage("feedfeedfeedfeed"), "held").Err(); err != nil {
		t.Fatal(err)
	}
	step("ORDERS", exitFailed, "", "1 key left, for a Go process still offers, or a session was not reaped: stop it and run leave again: duequeue:stage:{ORDERS}")
	step("-json ORDERS", exitFailed, `"left":["duequeue:stage:{ORDERS}:feedfeedfeedfeed"]`, "")
}
