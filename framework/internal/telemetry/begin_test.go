package telemetry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/handlers"
)

// TestCountersBeginAtZero: each counter is there before its first event, by each reason
// that is known. One that is added to Telemetry later has to be added here.
func TestCountersBeginAtZero(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	q.Begin(t.Context(), true)
	k.Queue("unbounded", "kryo5", 0).Begin(t.Context(), false)
	q.BeginOffers(t.Context())
	q.Untold(t.Context(), 0) // where somebody is told of dead letters
	reasons := func(of ...string) (sets []string) {
		for _, reason := range of {
			sets = append(sets, "messaging.destination.name=Q,messaging.redisson.reason="+reason+",messaging.system=redisson")
		}
		return sets
	}
	operation := func(of string) []string {
		return []string{"messaging.destination.name=Q,messaging.operation.name=" + of + ",messaging.system=redisson"}
	}
	deaths := reasons(slices.Sorted(slices.Values(handlers.Reasons()))...)
	want := map[string][]string{
		MetricConsumed: operation("process"), MetricSent: operation("send"),
		MetricUnknownDue: {base}, MetricEarly: {base}, MetricRetried: {base}, MetricReleased: {base}, MetricReaped: {base},
		MetricLostLeases: {base}, MetricZombies: {base}, MetricUntold: {base},
		MetricCancelled: reasons("in_flight", "pending"),
		MetricDead:      deaths, MetricTrimmed: deaths,
		MetricDoubtful: reasons("draining", "hung", "lease_lost"),
	}
	got := map[string][]string{}
	for name, m := range k.metrics(t) {
		if _, ok := m.Data.(metricdata.Sum[int64]); !ok {
			continue
		}
		for attributes, value := range sums(t, m) {
			if strings.Contains(attributes, "unbounded") {
				if name == MetricTrimmed {
					t.Errorf("%s begins without a bound", name)
				}
				continue
			}
			if value != 0 {
				t.Errorf("%s begins at %d", name, value)
			}
			got[name] = append(got[name], attributes)
		}
		slices.Sort(got[name])
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
	counters := 0
	for f := range reflect.TypeFor[Telemetry]().Fields() {
		if f.Type == reflect.TypeFor[metric.Int64Counter]() {
			counters++
		}
	}
	if counters != len(want) {
		t.Errorf("%d counters begin at 0, of %d", len(want), counters)
	}
}

// TestAPanicIsAnEventWithItsStack, printable and bounded, of an attempt that has one.
func TestAPanicIsAnEventWithItsStack(t *testing.T) {
	t.Parallel()
	stack := "goroutine 7 [running]:\nmain.handle(...)\n\t/shop/main.go:12\x1b[2J\n"
	for name, c := range map[string]struct {
		err   error
		stack string // "" for no event
	}{
		"panic":         {&handlers.PanicError{Value: "no stock", Stack: []byte(stack)}, "goroutine 7 [running]:\nmain.handle(...)\n\t/shop/main.go:12\\x1b[2J\n"},
		"wrapped":       {fmt.Errorf("batch: %w", &handlers.PanicError{Value: "no stock", Stack: []byte("here")}), "here"},
		"a huge stack":  {&handlers.PanicError{Value: "no stock", Stack: []byte(strings.Repeat("frame\n", 1<<16))}, "frame\n"},
		"another error": {errors.New("no stock"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, sdktrace.AlwaysSample())
			_, p := k.Queue("Q", "kryo5", 0).startProcess(t.Context(), message(), Origin{}, time.Time{})
			p.Returned(handlers.Outcome{Kind: handlers.Retried, Err: c.err})
			p.Retry(time.Second, true)
			p.End(handlers.Outcome{})
			var found []map[string]string
			for _, e := range k.spans.Ended()[0].Events() {
				if e.Name == EventException {
					found = append(found, attrs(e.Attributes))
				}
			}
			if c.stack == "" {
				if len(found) != 0 {
					t.Errorf("%v, want no event", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%d events of a panic, want one", len(found))
			}
			said := found[0]["exception.stacktrace"]
			if found[0]["exception.type"] != "panic" || !strings.Contains(found[0]["exception.message"], "no stock") ||
				!strings.HasPrefix(said, c.stack) || len(said) > maxStack+100 {
				t.Errorf("%d bytes of stack, %.300v", len(said), found)
			}
		})
	}
}
