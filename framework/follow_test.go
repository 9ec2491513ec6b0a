package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// setupWatched is a bundle whose log and metrics are read.
func setupWatched(t *testing.T) (*bundle, *logLines, *metric.ManualReader) {
	t.Helper()
	logs, reader := &logLines{}, metric.NewManualReader()
	srv := lab.StartRedis(t)
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, ShutdownShare: 0.02},
		framework.WithLogger(slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		framework.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &bundle{server: srv, redis: srv.Client(), client: c}, logs, reader
}

// Counters by reason.
const (
	deaths        = "messaging.redisson.dead_stored.messages"
	cancellations = "messaging.redisson.cancelled.messages"
)

// counted returns what a counter or a gauge says for each reason.
func counted(t *testing.T, reader *metric.ManualReader, name string) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		if scope.Scope.Version == "" {
			t.Error("the scope has no version")
		}
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			var points []metricdata.DataPoint[int64]
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				points = d.DataPoints
			case metricdata.Gauge[int64]:
				points = d.DataPoints
			}
			for _, p := range points {
				reason, _ := p.Attributes.Value("messaging.redisson.reason")
				out[reason.AsString()] = p.Value
			}
		}
	}
	return out
}

// What the decode guard takes back was never dead: no line and no counter says so.
func TestGarbageThatGoesBackIsNotReportedDead(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q := registry.Define[int64]("garbage", "", registry.Codec(codecs.Long()))
	for i := range 12 {
		if err := b.redis.RPush(t.Context(), "garbage", fmt.Sprint("no number ", i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	e := b.run(t, framework.Consume(q, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil })))
	lab.WaitFor(t, "all are back", func() bool {
		n, err := b.redis.LLen(t.Context(), "garbage").Result()
		return err == nil && n == 12 && !e.Health().Ready
	})
	if n := logs.count("moved to the dead store"); n != 0 || len(b.dead(t, q)) != 0 {
		t.Errorf("%d lines speak of dead messages:\n%s", n, logs)
	}
	if got := counted(t, reader, deaths); got["undecodable"] != 0 || len(got) != len(handlers.Reasons()) {
		t.Errorf("counted %v, want all reasons at 0", got)
	}
	if got := counted(t, reader, "messaging.redisson.breaker.state"); len(got) != 1 || got["undecodable"] == 0 {
		t.Errorf("the gauge of the breaker says %v, want the reason undecodable", got)
	}
	if got, told := counted(t, reader, "messaging.redisson.process.ready")[""]; got != 0 || !told {
		t.Errorf("readiness is %d, told %v", got, told)
	}
	if logs.count("payloads in a row could not be decoded") != 1 {
		t.Errorf("not told once:\n%s", logs)
	}
}

// A few that stay dead are reported when that is certain.
func TestGarbageThatStaysDeadIsReported(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q := registry.Define[int64]("garbage", "", registry.Codec(codecs.Long()))
	if err := b.redis.RPush(t.Context(), "garbage", "bad 1", "bad 2", "3").Err(); err != nil {
		t.Fatal(err)
	}
	b.run(t, framework.Consume(q, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil }), framework.Workers(1)))
	lab.WaitFor(t, "both are reported", func() bool {
		return logs.count("message moved to the dead store: it cannot be decoded") == 2 && logs.count("entry=") == 2
	})
	if got := counted(t, reader, deaths)["undecodable"]; got != 2 {
		t.Errorf("%d counted", got)
	}
}

// Order 4711 can be followed: each step of a message has a line with its ID and key.
func TestAMessageCanBeFollowedInTheLog(t *testing.T) {
	t.Parallel()
	b, logs, _ := setupWatched(t)
	q := stringQueue("followed", registry.MaxAttempts(2))
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		switch d.Payload {
		case "panics":
			panic("somebody's mistake")
		case "fails":
			return errors.New("no such order")
		}
		return nil
	}), framework.Breaker(framework.BreakerConfig{Disabled: true})))
	ids := map[string]string{}
	for _, v := range []string{"works", "fails", "panics"} {
		r, err := framework.Bind(b.client, q).Offer(t.Context(), v, 0, framework.Key("order "+v))
		if err != nil {
			t.Fatal(err)
		}
		ids[v] = string(r.ID)
	}
	lab.WaitFor(t, "two are dead", func() bool { return logs.count("its last attempt failed") == 2 })
	has := func(parts ...string) bool {
		for line := range strings.Lines(logs.String()) {
			all := true
			for _, p := range parts {
				all = all && strings.Contains(line, p)
			}
			if all {
				return true
			}
		}
		return false
	}
	for _, want := range [][]string{
		{"level=DEBUG", `msg="message offered"`, "queue=followed", "id=" + ids["works"], `key="order works"`, "outcome=added", "due="},
		{"level=DEBUG", `msg="handler starts"`, "queue=followed", "id=" + ids["works"], `key="order works"`, "attempt=1"},
		{"level=DEBUG", `msg="message done"`, "queue=followed", "id=" + ids["works"], `key="order works"`, "took="},
		{"level=WARN", `msg="handler failed: message will be retried"`, "id=" + ids["fails"], `key="order fails"`, "attempt=1", `err="no such order"`, "at="},
		{"level=ERROR", `msg="message moved to the dead store: its last attempt failed"`, "attempt=2", `key="order `, "reason=exhausted", "entry="},
		{"level=WARN", `msg="handler failed: message will be retried"`, "id=" + ids["panics"], `key="order panics"`, "stack=", "follow_test.go"},
	} {
		if !has(want...) {
			t.Errorf("no line with %q", want)
		}
	}
	for line := range strings.Lines(logs.String()) {
		if strings.Contains(line, ` id=""`) || strings.Contains(line, " code=") || strings.Contains(line, " error=") {
			t.Errorf("%s", line)
		}
	}
	if t.Failed() {
		t.Log(logs)
	}
}
