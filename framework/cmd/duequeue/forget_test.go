package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What became of an order, as support asks, and how its traces are removed.
func TestFindAndForget(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	q := registry.Define[map[string]any]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Journal(time.Hour, "orderId", "customer"))
	bound := framework.Bind(client, q)
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[map[string]any](func(_ context.Context, d *handlers.Delivery[map[string]any]) error {
		if d.Payload["orderId"] == "bad" {
			return handlers.Reject("no such order")
		}
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for order, delay := range map[string]time.Duration{"4711": 0, "bad": 0, "later": time.Hour} {
		if _, err := bound.Offer(t.Context(), map[string]any{"orderId": order, "customer": "Ann\x1b[2J"}, delay, framework.Key("key-"+order)); err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "both are in the journal", func() bool {
		return srv.Client().ZScore(t.Context(), wire.KeysOf("ORDERS").Journal, "").Val() == -2
	})
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	step := func(code int, out, errs string, args ...string) string {
		t.Helper()
		gotCode, gotOut, gotErrs := called(t, args...)
		if gotCode != code || !strings.Contains(gotOut, out) || !strings.Contains(gotErrs, errs) || strings.Contains(gotOut, "\x1b") {
			t.Errorf("%s: %d\n%s%s", args, gotCode, gotOut, gotErrs)
		}
		return gotOut
	}
	step(exitOK, "handled at ", "1 match for key-4711: looked as a key, in 1 pending, 0 ready, 0 in flight, 1 dead, 2 journal", "find", "ORDERS", "key-4711")
	step(exitOK, "attempt 1, ", "", "find", "ORDERS", "4711")
	step(exitOK, `orderId=4711, customer="Ann\x1b[2J"`, "", "find", "ORDERS", "4711")
	var line struct {
		Where, By, ID, Key, Since, Outcome, Process string
		Attempt, LateMs                             int
		Fields                                      map[string]string
	}
	if err := json.Unmarshal([]byte(step(exitOK, "", "", "find", "-json", "ORDERS", "4711")), &line); err != nil ||
		line.Where != "journal" || line.By != "orderId" || line.ID == "" || line.Key != "key-4711" || line.Since == "" ||
		line.Outcome != "handled" || line.Process == "" || line.Attempt != 1 || line.Fields["customer"] != "Ann\x1b[2J" {
		t.Errorf("%+v, %v", line, err)
	}

	step(exitUsage, "", "Add -yes to confirm, or -dry-run", "forget", "key-4711")
	step(exitUsage, "", "name the key", "forget", "-yes")
	step(exitFailed, "", "no such queue: NOWHERE", "forget", "-yes", "key-4711", "NOWHERE")
	step(exitOK, "ORDERS: 1 record and 0 dead letters would be removed\n", "", "forget", "key-4711", "-dry-run")
	step(exitOK, "ORDERS: 1 record and 0 dead letters removed\n", "", "forget", "key-4711", "ORDERS", "-yes")
	step(exitOK, "ORDERS: 0 records and 0 dead letters removed\n", "", "forget", "key-4711", "-yes")
	step(exitFailed, "ORDERS: 1 record and 1 dead letter removed\n", "is pending, and has it as customer: it stays; cancel it", "forget", "Ann\x1b[2J", "-field", "customer", "-yes")
	step(exitFailed, `{"queue":"ORDERS","records":0,"dead":0,"left":[{"where":"pending",`, "", "forget", "-json", "key-later", "-yes")
	step(exitOK, "forget", "", "audit")
	if _, out, _ := called(t, "audit", "-json"); queuetest.Holds(out, "4711") || strings.Contains(out, "Ann") {
		t.Errorf("the audit has the key:\n%s", out)
	}
}
