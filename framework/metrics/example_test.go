package metrics_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/registry"
)

// A service that shows its metrics to Prometheus.
func ExampleHandler() {
	page, meters, err := metrics.Handler()
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := embedded.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	ctx := context.Background()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: "embedded"}},
		framework.WithEmbedded(server), framework.WithMeterProvider(meters), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	orders := registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()))
	if _, err := framework.Bind(client, orders).Offer(ctx, "4711", time.Hour); err != nil {
		fmt.Println(err)
		return
	}

	// Prometheus asks for /metrics:
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "messaging_client_sent_messages_total") {
			fmt.Print(line)
		}
	}
	// Output: messaging_client_sent_messages_total{messaging_destination_name="ORDERS",messaging_operation_name="send",messaging_system="redisson"} 1
}
