package telemetry

import (
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/handlers"
)

// The span of a redriven message says how often it was put back, and when it died first.
func TestSpanOfARedrivenMessage(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("Q", "kryo5", 0)
	m := message()
	_, plain := q.startProcess(t.Context(), m, Origin{}, time.Time{})
	plain.End(handlers.Outcome{})
	m.Redriven = 3
	m.Deaths = []handlers.Death{{At: time.UnixMilli(1_700_000_000_123)}, {At: time.UnixMilli(1_700_000_009_000)}}
	_, p := q.startProcess(t.Context(), m, Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	for i, want := range []string{"<nil> <nil>", "3 2023-11-14T22:13:20.123Z"} {
		got := map[string]string{string(AttrRedriven): "<nil>", string(AttrFirstDeath): "<nil>"}
		for _, a := range k.spans.Ended()[i].Attributes() {
			got[string(a.Key)] = a.Value.String()
		}
		if text := got[string(AttrRedriven)] + " " + got[string(AttrFirstDeath)]; text != want {
			t.Errorf("span %d: %s, want %s", i, text, want)
		}
	}
}

func TestTrimmedIsCountedByReason(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	q.Trimmed(t.Context(), "rejected", 2)
	q.Trimmed(t.Context(), "rejected", 3)
	got := sums(t, k.metrics(t)[MetricTrimmed])
	if want := "messaging.destination.name=Q,messaging.redisson.reason=rejected,messaging.system=redisson"; len(got) != 1 || got[want] != 5 {
		t.Errorf("%v", got)
	}
}
