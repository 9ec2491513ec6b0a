package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var consoleAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+/ops/`)

// The console alone finds queues, shows fields that are named visible, and ends well.
func TestWeb(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	k := wire.KeysOf("ORDERS")
	srv.Client().ZAdd(t.Context(), k.Timeout, redis.Z{
		Score: float64(time.Now().Add(time.Hour).UnixMilli()), Member: wire.Pack(wire.NewIDs().Next(), []byte(`{"orderId":"4711","name":"Secret"}`)),
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs safeBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"web", "-listen", "127.0.0.1:0", "-base", "/ops", "-codec", "string", "-visible", "orderId", "-metrics", "127.0.0.1:0"}, strings.NewReader(""), &out, &errs)
	}()
	lab.WaitFor(t, "the console listens", func() bool { return consoleAt.MatchString(out.String()) })
	fetch := func(path string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %d, %v", path, response.StatusCode, err)
		}
		return string(body)
	}
	get := func(path string) string { return fetch(consoleAt.FindString(out.String()) + path) }
	lab.WaitFor(t, "the search for queues ends", func() bool { return strings.Contains(get(""), "/ops/queue?q=ORDERS") })
	for path, want := range map[string]string{"queue?q=ORDERS": "no process would move it when due", "pending?q=ORDERS": "ORDERS"} {
		if body := get(path); !strings.Contains(body, want) {
			t.Errorf("GET %s lacks %q", path, want)
		}
	}
	if body := get("pending?q=ORDERS"); strings.Contains(body, "Secret") {
		t.Error("a hidden field is shown")
	}
	metricsAt := "http://" + regexp.MustCompile(`msg=metrics address=(\S+)`).FindStringSubmatch(errs.String())[1] + "/metrics"
	lab.WaitFor(t, "the metrics of the queue", func() bool {
		return regexp.MustCompile(`(?m)^messaging_redisson_queue_delayed\{messaging_destination_name="ORDERS",.*server_address="127.0.0.1",server_port="\d+"\} 1$`).MatchString(fetch(metricsAt))
	})
	for _, finding := range []string{
		`messaging_destination_name="ORDERS",messaging_redisson_reason="listeners",messaging_redisson_state="unserved"`,
		`messaging_redisson_reason="persistence",messaging_system="redisson"`, // of the server
	} {
		lab.WaitFor(t, "the finding "+finding, func() bool {
			return regexp.MustCompile(`(?m)^messaging_redisson_finding\{` + finding + `.*\} 1$`).MatchString(fetch(metricsAt))
		})
	}
	srv.Kill()
	for _, ready := range []string{"0", "1"} {
		lab.WaitFor(t, "a console whose readiness is "+ready, func() bool {
			return regexp.MustCompile(`(?m)^messaging_redisson_process_ready\{.*\} ` + ready + `$`).MatchString(fetch(metricsAt))
		})
		if ready == "0" {
			srv.Restart()
		}
	}
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
}
