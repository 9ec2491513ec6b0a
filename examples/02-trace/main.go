// Command 02-trace prints the spans of one message across its delay: the offer,
// and the handler linked to it, although they lie in different traces.
//
//	go run ./examples/02-trace
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Reminder is a queue of plain maps, as Java's HashMap.
var Reminder = registry.Define[map[string]any]("ORDER_REMINDER", "remind the customer of the unpaid order")

func main() {
	if err := run(context.Background(), 500*time.Millisecond); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, delay time.Duration) error {
	spans := tracetest.NewInMemoryExporter()
	// LinkAware keeps the handler's span whenever the offer's was kept.
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans),
		trace.WithSampler(tracing.LinkAware(trace.TraceIDRatioBased(1))))

	server, err := embedded.Start()
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: "embedded"}},
		framework.WithEmbedded(server), framework.WithTracerProvider(tracer))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()

	handled := make(chan struct{})
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(Reminder, handlers.Func[map[string]any](func(context.Context, *handlers.Delivery[map[string]any]) error {
			close(handled)
			return nil
		})),
	})
	if err != nil {
		return err
	}
	if err := engine.Start(ctx); err != nil {
		return err
	}

	if _, err := framework.Bind(client, Reminder).Offer(ctx, map[string]any{"orderId": "100"}, delay); err != nil {
		return err
	}
	<-handled
	if err := engine.Stop(ctx); err != nil {
		return err
	}
	for _, s := range spans.GetSpans() {
		fmt.Printf("%-24s kind=%-8s trace=%s span=%s", s.Name, s.SpanKind, s.SpanContext.TraceID(), s.SpanContext.SpanID())
		for _, l := range s.Links {
			fmt.Printf(" linked to trace=%s span=%s", l.SpanContext.TraceID(), l.SpanContext.SpanID())
		}
		fmt.Println()
		for _, a := range s.Attributes {
			fmt.Printf("    %s = %s\n", a.Key, a.Value.String())
		}
	}
	return nil
}
