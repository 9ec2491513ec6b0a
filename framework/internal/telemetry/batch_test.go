package telemetry

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/handlers"
)

const (
	parentOne = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	parentTwo = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01"
)

// another is a second message: first attempt, due unknown.
func another() *handlers.Message {
	return &handlers.Message{Code: "Q", Body: []byte("other"), Identity: handlers.Identify("", "digest-2")}
}

// startBatch starts a batch of two traced messages and an untraced one.
func startBatch(ctx context.Context, k *kit) (Processing, []Processing) {
	q := k.Queue("Q", "kryo5", time.Hour)
	ms := []*handlers.Message{message(), another(), another()}
	_, p := q.StartBatch(ctx, ms, []Origin{{Traceparent: parentOne}, {Traceparent: parentTwo}, {}}, time.Now())
	items := make([]Processing, len(ms))
	for i, m := range ms {
		items[i] = p.Item(m)
	}
	return p, items
}

func TestBatchSpanLinksToEveryMessage(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	p, items := startBatch(t.Context(), k)
	outs := []handlers.Outcome{handlers.Classify(typed("down")), {}, handlers.Classify(handlers.Reject("no such order"))}
	p.ReturnedBatch()
	items[0].Retry(time.Minute, true)
	items[2].Dead("rejected")
	for i := range items {
		items[i].End(outs[i])
	}
	if len(k.spans.Ended()) != 0 {
		t.Fatal("an item ended the span of the batch")
	}
	p.EndBatch(outs, handlers.PerItem([]error{outs[0].Err, nil, outs[2].Err}))
	got := k.spans.Ended()[0]
	if got.Name() != "process Q" || got.SpanKind() != trace.SpanKindConsumer || got.Parent().IsValid() || got.Status().Code != codes.Error {
		t.Errorf("%s %v parent %v status %v", got.Name(), got.SpanKind(), got.Parent(), got.Status())
	}
	wantAttrs(t, got.Attributes(), map[string]string{
		"messaging.system": "redisson", "messaging.destination.name": "Q",
		"messaging.operation.name": "process", "messaging.operation.type": "process",
		"messaging.batch.message_count": "3", "messaging.redisson.message.codec": "kryo5",
		"messaging.redisson.outcome": "mixed", "error.type": "partial",
	})
	links := got.Links()
	if len(links) != 2 || links[0].SpanContext.SpanID().String() != "b7ad6b7169203331" || links[1].SpanContext.SpanID().String() != "c7ad6b7169203331" {
		t.Fatalf("links %+v", links)
	}
	if m := attrs(links[0].Attributes); m["messaging.redisson.message.digest"] != "digest-1" || m["messaging.redisson.message.delivery_attempt"] != "2" || m["messaging.redisson.message.lateness_ms"] != "5" {
		t.Errorf("link of the first: %v", m)
	}
	events := got.Events()
	if len(events) != 2 || events[0].Name != EventRetry || events[1].Name != EventDead {
		t.Fatalf("events %+v", events)
	}
	if m := attrs(events[0].Attributes); m["messaging.redisson.message.digest"] != "digest-1" || m["messaging.message.id"] != "1939a-00ff" {
		t.Errorf("event of the first: %v", m)
	}
	if m := attrs(events[1].Attributes); m["messaging.redisson.message.digest"] != "digest-2" {
		t.Errorf("event of the last: %v", m)
	}
}

func TestBatchMetricsCountMessages(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	p, _ := startBatch(t.Context(), k)
	p.EndBatch(make([]handlers.Outcome, 3), handlers.PerItem(make([]error, 3)))
	all := k.metrics(t)
	const labels = "messaging.destination.name=Q,messaging.operation.name=process,messaging.system=redisson"
	for set, n := range sums(t, all[MetricConsumed]) {
		if n != 3 {
			t.Errorf("%s consumed %d", set, n)
		}
	}
	for _, n := range sums(t, all[MetricUnknownDue]) {
		if n != 2 {
			t.Errorf("%d of unknown due", n)
		}
	}
	if late := histogram(t, all[MetricLateness]); len(late) != 1 || late[0].Count != 1 || late[0].Sum != 0.005 {
		t.Errorf("lateness %+v", late)
	}
	took := histogram(t, all[MetricProcessDuration])
	if len(took) != 1 || took[0].Count != 1 || took[0].Attributes.Encoded(attribute.DefaultEncoder()) != labels {
		t.Errorf("duration %+v", took)
	}
}

func TestBatchThatFailsAsAWhole(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	p, _ := startBatch(t.Context(), k)
	p.Alone(&handlers.PanicError{Value: "oops"})
	got := k.spans.Ended()[0]
	if m := attrs(got.Attributes()); m["messaging.redisson.outcome"] != "alone" || m["error.type"] != "panic" || got.Status().Description != "panic: oops" {
		t.Errorf("%v %v", m, got.Status())
	}
}

func TestBatchThatIsGivenBackIsNoError(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	p, items := startBatch(t.Context(), k)
	out := handlers.Outcome{Kind: handlers.Released, Err: handlers.ErrDraining}
	items[1].Released("draining")
	p.EndBatch([]handlers.Outcome{out, out, out}, handlers.ErrDraining)
	got := k.spans.Ended()[0]
	if m := attrs(got.Attributes()); m["messaging.redisson.outcome"] != "released" || got.Status().Code == codes.Error {
		t.Errorf("%v %v", m, got.Status())
	}
	if e := got.Events(); len(e) != 1 || attrs(e[0].Attributes)["messaging.redisson.message.digest"] != "digest-2" {
		t.Errorf("events %+v", e)
	}
}
