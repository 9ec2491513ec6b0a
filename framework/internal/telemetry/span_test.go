package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/handlers"
)

// typed is an error with a name for telemetry.
type typed string

func (e typed) Error() string     { return "it broke: " + string(e) }
func (e typed) ErrorType() string { return string(e) }

func TestSendSpan(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("ORDERS", "kryo5", 0)
	ctx, parent := k.tracer.Start(t.Context(), "caller")
	ctx, s := q.StartSend(ctx, 30*time.Minute)
	if trace.SpanContextFromContext(ctx).SpanID() != s.span.SpanContext().SpanID() {
		t.Error("the context does not carry the span")
	}
	if !s.Recording() {
		t.Error("not recording")
	}
	s.Message("digest-1", "1939a-00ff", 65, epoch)
	s.End(nil)
	got := k.spans.Ended()[0]
	if got.Name() != "send ORDERS" || got.SpanKind() != trace.SpanKindProducer || got.Status().Code != codes.Unset {
		t.Errorf("%s %v %v", got.Name(), got.SpanKind(), got.Status())
	}
	if got.Parent().SpanID() != parent.SpanContext().SpanID() {
		t.Error("not a child of the caller")
	}
	wantAttrs(t, got.Attributes(), map[string]string{
		"messaging.system": "redisson", "messaging.destination.name": "ORDERS",
		"messaging.operation.name": "send", "messaging.operation.type": "send",
		"messaging.redisson.message.digest": "digest-1", "messaging.message.body.size": "65",
		"messaging.message.id":                "1939a-00ff",
		"messaging.redisson.message.delay_ms": "1800000",
		"messaging.redisson.message.due_time": "2026-11-01T12:00:00.000Z",
		"messaging.redisson.message.codec":    "kryo5",
	})
	if got.InstrumentationScope().SchemaURL != SchemaURL {
		t.Error("schema is not pinned")
	}
}

func TestSendError(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	_, s := k.Queue("ORDERS", "kryo5", 0).StartSend(t.Context(), time.Second)
	s.Message("", "", 1, time.Time{})
	s.End(typed("redis_full"))
	got := k.spans.Ended()[0]
	if got.Status().Code != codes.Error || got.Status().Description != "it broke: redis_full" {
		t.Errorf("%+v", got.Status())
	}
	m := attrs(got.Attributes())
	if m["error.type"] != "redis_full" {
		t.Errorf("%v", m)
	}
	for _, name := range []string{"messaging.redisson.message.digest", "messaging.message.id", "messaging.redisson.message.due_time"} {
		if _, there := m[name]; there {
			t.Errorf("%s is there and empty", name)
		}
	}
	sent := sums(t, k.metrics(t)[MetricSent])
	if len(sent) != 1 || sent["error.type=redis_full,messaging.destination.name=ORDERS,messaging.operation.name=send,messaging.system=redisson"] != 1 {
		t.Errorf("%v", sent)
	}
}

func TestProcessSpanIsANewRootWithALink(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("Q", "kryo5", time.Second)
	_, s := q.StartSend(t.Context(), time.Hour)
	creation := s.Creation()
	s.End(nil)
	engine, span := k.tracer.Start(t.Context(), "engine") // a span of the engine must not become the parent
	defer span.End()
	ctx, p := q.startProcess(engine, message(), Origin{Creation: creation}, time.Time{})
	if !trace.SpanContextFromContext(ctx).Equal(p.span.SpanContext()) {
		t.Error("the context does not carry the span")
	}
	p.End(handlers.Outcome{})
	got := k.spans.Ended()[1]
	if got.Name() != "process Q" || got.SpanKind() != trace.SpanKindConsumer {
		t.Errorf("%s %v", got.Name(), got.SpanKind())
	}
	if got.Parent().IsValid() {
		t.Error("not a root")
	}
	if len(got.Links()) != 1 || got.Links()[0].SpanContext.SpanID() != s.span.SpanContext().SpanID() ||
		got.Links()[0].SpanContext.TraceID() != s.span.SpanContext().TraceID() {
		t.Errorf("links %+v", got.Links())
	}
	wantAttrs(t, got.Attributes(), map[string]string{
		"messaging.system": "redisson", "messaging.destination.name": "Q",
		"messaging.operation.name": "process", "messaging.operation.type": "process",
		"messaging.redisson.message.digest": "digest-1", "messaging.message.body.size": "7",
		"messaging.message.id":                        "1939a-00ff",
		"messaging.redisson.message.codec":            "kryo5",
		"messaging.redisson.message.due_time":         "2026-11-01T12:00:00.000Z",
		"messaging.redisson.message.lateness_ms":      "5",
		"messaging.redisson.message.delivery_attempt": "2",
		"messaging.redisson.message.redelivered":      "true",
		"messaging.redisson.outcome":                  "done",
	})
}

func TestShortDelayMakesAChild(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		delay, within time.Duration
		child         bool
	}{
		"within":       {time.Second, time.Minute, true},
		"exactly":      {time.Minute, time.Minute, true},
		"longer":       {time.Minute + 1, time.Minute, false},
		"switched off": {0, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, sdktrace.AlwaysSample())
			q := k.Queue("Q", "kryo5", tt.within)
			_, s := q.StartSend(t.Context(), tt.delay)
			from := Origin{Creation: s.Creation(), Traceparent: s.Traceparent()}
			s.End(nil)
			_, p := q.startProcess(t.Context(), message(), from, time.Time{})
			p.End(handlers.Outcome{})
			got := k.spans.Ended()[1]
			if isChild := got.Parent().SpanID() == s.span.SpanContext().SpanID(); isChild != tt.child {
				t.Errorf("child %v, want %v", isChild, tt.child)
			}
			if linked := len(got.Links()) == 1; linked == tt.child {
				t.Errorf("%d links", len(got.Links()))
			}
		})
	}
}

func TestTraceparentInThePayloadIsReadFirst(t *testing.T) {
	t.Parallel()
	const java = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("Q", "kryo5", time.Hour)
	_, s := q.StartSend(t.Context(), 0)
	for _, from := range []Origin{
		{Traceparent: java},
		{Traceparent: java, Creation: s.Creation()},
		{Traceparent: "00-nonsense", Creation: s.Creation()},
		{Traceparent: "00-nonsense", Creation: []byte("short")},
	} {
		_, p := q.startProcess(t.Context(), message(), from, time.Time{})
		p.End(handlers.Outcome{})
	}
	ended := k.spans.Ended()
	for i := range 2 {
		if l := ended[i].Links(); len(l) != 1 || FormatTraceparent(l[0].SpanContext) != java || ended[i].Parent().IsValid() {
			t.Errorf("span %d: links %+v", i, l)
		}
	}
	if ended[2].Parent().SpanID() != s.span.SpanContext().SpanID() {
		t.Error("a broken traceparent hides the stored context")
	}
	if len(ended[3].Links()) != 0 || ended[3].Parent().IsValid() {
		t.Error("broken contexts made a link")
	}
}

func TestProcessOutcomes(t *testing.T) {
	t.Parallel()
	broke := typed("timeout")
	tests := map[string]struct {
		out     handlers.Outcome
		report  func(*Processing)
		status  codes.Code
		errType string
		event   string
		detail  map[string]string
	}{
		"retried": {
			handlers.Outcome{Kind: handlers.Retried, Err: broke},
			func(p *Processing) { p.Retry(2*time.Second, true) }, codes.Error, "timeout",
			EventRetry,
			map[string]string{"messaging.redisson.retry.delay_ms": "2000", "messaging.redisson.charged": "true"},
		},
		"rejected": {
			handlers.Outcome{Kind: handlers.Rejected, Err: typed("rejected")},
			func(p *Processing) { p.Dead("rejected") }, codes.Error, "rejected",
			EventDead,
			map[string]string{"messaging.redisson.reason": "rejected"},
		},
		"released": {
			handlers.Outcome{Kind: handlers.Released, Err: typed("draining")},
			func(p *Processing) { p.Released("draining") }, codes.Unset, "draining",
			EventReleased,
			map[string]string{"messaging.redisson.reason": "draining"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, sdktrace.AlwaysSample())
			_, p := k.Queue("Q", "kryo5", 0).startProcess(t.Context(), message(), Origin{}, time.Time{})
			p.Returned(tt.out)
			tt.report(p)
			p.End(handlers.Outcome{}) // what Returned said stands
			got := k.spans.Ended()[0]
			m := attrs(got.Attributes())
			if m["error.type"] != tt.errType || m["messaging.redisson.outcome"] != name || got.Status().Code != tt.status {
				t.Errorf("%v %v", m, got.Status())
			}
			if len(got.Events()) != 1 || got.Events()[0].Name != tt.event {
				t.Fatalf("events %+v", got.Events())
			}
			wantAttrs(t, got.Events()[0].Attributes, tt.detail)
		})
	}
}

func TestSpanEndsWhenTheHandlerReturned(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	_, p := k.Queue("Q", "kryo5", 0).startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.Returned(handlers.Outcome{})
	at := p.end
	p.End(handlers.Outcome{})
	if got := k.spans.Ended()[0].EndTime(); !got.Equal(at) {
		t.Errorf("ended at %v, want %v", got, at)
	}
}

// seen is a sampler that keeps the attributes it was shown.
type seen struct {
	sdktrace.Sampler
	attrs *[]attribute.KeyValue
}

func (s seen) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	*s.attrs = p.Attributes
	return s.Sampler.ShouldSample(p)
}

func TestSamplersSeeTheNames(t *testing.T) {
	t.Parallel()
	var got []attribute.KeyValue
	k := newKit(t, seen{sdktrace.NeverSample(), &got})
	q := k.Queue("Q", "kryo5", 0)
	_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	want := map[string]string{
		"messaging.system": "redisson", "messaging.destination.name": "Q",
		"messaging.operation.name": "process", "messaging.operation.type": "process",
	}
	wantAttrs(t, got, want)
	_, s := q.StartSend(t.Context(), 0)
	if s.Creation() != nil || s.Recording() {
		t.Error("an unsampled span leaves a context behind")
	}
	if !strings.HasSuffix(s.Traceparent(), "-00") {
		t.Errorf("traceparent %q of an unsampled span", s.Traceparent())
	}
	s.Message("d", "i", 1, epoch)
	s.End(nil)
	want["messaging.operation.name"], want["messaging.operation.type"] = "send", "send"
	wantAttrs(t, got, want)
}

func TestUnsampledMessageComputesNoDigest(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	m := message()
	m.Identity = forbidden{t}
	_, p := k.Queue("Q", "kryo5", 0).startProcess(t.Context(), m, Origin{}, time.Time{})
	p.Retry(0, false)
	p.Dead("exhausted")
	p.Released("x")
	p.End(handlers.Outcome{Kind: handlers.Rejected, Err: errors.New("x")})
}

type forbidden struct{ t *testing.T }

func (f forbidden) ID() string     { f.t.Error("id computed"); return "" }
func (f forbidden) Digest() string { f.t.Error("digest computed"); return "" }

func TestWithoutSDK(t *testing.T) {
	t.Parallel()
	tel, err := New(nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	q := tel.Queue("Q", "kryo5", time.Hour)
	if q.Code() != "Q" || q != tel.Queue("Q", "kryo5", time.Hour) {
		t.Error("not the same queue")
	}
	_, s := q.StartSend(t.Context(), 0)
	if s.Creation() != nil || s.Traceparent() != "" {
		t.Error("a context from nowhere")
	}
	s.End(nil)
	_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	stop, err := tel.Observe(func(context.Context, *Report) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestStatusTextIsBoundedAndSafe(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("Q", "kryo5", 0)
	for want, err := range map[string]error{
		strings.Repeat("x", maxStatus) + "… (1000 bytes)": errors.New(strings.Repeat("x", 1000)),
		`a\nb\xff`: errors.New("a\nb\xff"),
		"telemetry.brokenError (its Error method panics)": brokenError{},
	} {
		t.Run(want, func(t *testing.T) {
			_, s := q.StartSend(t.Context(), 0)
			s.End(err)
			_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
			p.End(handlers.Outcome{Kind: handlers.Retried, Err: err})
			ended := k.spans.Ended()
			for _, span := range ended[len(ended)-2:] {
				if got := span.Status().Description; got != want {
					t.Errorf("%s: %q, want %q", span.Name(), got, want)
				}
			}
		})
	}
}

type brokenError struct{}

func (brokenError) Error() string { panic("no text") }

func TestSpansOfChanges(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("ORDERS", "kryo5", 0)
	_, c := q.StartCancel(t.Context())
	c.End("1939a-00ff", time.Time{}, nil)
	_, c = q.StartReschedule(t.Context())
	c.End("1939a-00ff", epoch, nil)
	_, c = q.StartCancel(t.Context())
	c.End("", time.Time{}, typed("not_pending"))
	all := k.spans.Ended()
	for i, want := range []map[string]string{
		{"messaging.operation.name": "cancel", "messaging.message.id": "1939a-00ff"},
		{"messaging.operation.name": "reschedule", "messaging.message.id": "1939a-00ff", "messaging.redisson.message.due_time": "2026-11-01T12:00:00.000Z"},
		{"messaging.operation.name": "cancel", "error.type": "not_pending"},
	} {
		if name := want["messaging.operation.name"] + " ORDERS"; all[i].Name() != name || all[i].SpanKind() != trace.SpanKindClient {
			t.Errorf("%s %v", all[i].Name(), all[i].SpanKind())
		}
		want["messaging.system"], want["messaging.destination.name"] = "redisson", "ORDERS"
		wantAttrs(t, all[i].Attributes(), want)
	}
	if n := len(histogram(t, k.metrics(t)[MetricOperationDuration])); n != 3 {
		t.Errorf("%d durations", n)
	}
}
