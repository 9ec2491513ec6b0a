package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// safeBuffer is what another goroutine writes.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

var listensAt = regexp.MustCompile(`"msg":"health and metrics","address":"([^"]+)"`)

// The daemon moves what is due, buries what stalls Redisson, shows both, and ends well.
func TestTransfer(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	k, rdb := wire.KeysOf(`OR"DERS`), srv.Client()
	due := float64(time.Now().UnixMilli() - 5)
	rdb.ZAdd(t.Context(), k.Timeout,
		redis.Z{Score: due, Member: "stalls every Redisson"},
		redis.Z{Score: due, Member: wire.Pack(wire.NewIDs().Next(), []byte("moves"))},
		redis.Z{Score: due + 3_600_000, Member: wire.Pack(wire.NewIDs().Next(), []byte("waits"))})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs safeBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"-json", "transfer", "-queues", k.Queue + ", OTHER", "-discover", "-listen", "127.0.0.1:0"}, strings.NewReader(""), &out, &errs)
	}()
	var address []string
	lab.WaitFor(t, "the daemon listens", func() bool {
		address = listensAt.FindStringSubmatch(errs.String())
		return address != nil
	})
	get := func(path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address[1]+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	lab.WaitFor(t, "the daemon is ready", func() bool { code, _ := get("/readyz"); return code == http.StatusOK })
	lab.WaitFor(t, "the due message", func() bool {
		return rdb.LLen(t.Context(), k.Queue).Val() == 1 && rdb.XLen(t.Context(), k.Dead).Val() == 1
	})
	var report health.Report
	if _, body := get("/livez"); json.Unmarshal([]byte(body), &report) != nil || len(report.Queues) != 2 || !report.Queues[0].TransferOnly {
		t.Errorf("report %s", body)
	}
	var code int
	var page string
	lab.WaitFor(t, "the daemon has counted the dead letter", func() bool { // Redis has it earlier
		code, page = get("/metrics")
		return strings.Contains(page, "\nmessaging_redisson_dead_stored_messages_total{")
	})
	for _, want := range []string{
		`messaging_redisson_queue_ready{messaging_destination_name="OR\"DERS",`,
		"# TYPE messaging_redisson_queue_delayed gauge",
		`messaging_redisson_queue_lag_seconds{messaging_destination_name="OR\"DERS",`,
		"# TYPE messaging_redisson_dead_stored_messages_total counter",
	} {
		if code != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("%d: the metrics lack %q", code, want)
		}
	}
	for _, want := range []string{"ready", "delayed", "dead"} {
		if !regexp.MustCompile(`(?m)^messaging_redisson_queue_` + want + `\{[^}]*OR\\"DERS[^}]*\} 1$`).MatchString(page) {
			t.Errorf("not one is %s:\n%s", want, page)
		}
	}
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if out.String() != "" {
		t.Errorf("stdout %q", out.String())
	}
}

func TestTransferUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                          "name queues by -queues, or find them by -discover",
		"ORDERS":                    "queues are named by -queues",
		"-discover -every 10ms":     "at least a second",
		"-discover -view sideways":  "exact or off",
		"-queues A -codec nonsense": "nonsense",
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"transfer"}, strings.Fields(args)...), strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("transfer %s: %d %s", args, code, errs.String())
		}
	}
}
