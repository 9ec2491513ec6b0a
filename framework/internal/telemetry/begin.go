package telemetry

import (
	"context"
	"runtime/debug"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// Begin lets the counters of a queue that is handled begin at 0, so that the first event
// is seen as an increase; those of deletions from the dead store where that is bounded.
func (q *Queue) Begin(ctx context.Context, bounded bool) {
	for _, c := range []metric.Int64Counter{q.t.unknownDue, q.t.early, q.t.retried, q.t.released, q.t.reaped, q.t.lost, q.t.zombies} {
		c.Add(ctx, 0, q.add...)
	}
	q.t.consumed.Add(ctx, 0, q.process.ok.add...)
	q.t.cancelled.Add(ctx, 0, q.with(CancelledInFlight))
	for _, reason := range handlers.Reasons() {
		with := q.with(reason)
		q.t.dead.Add(ctx, 0, with)
		if bounded {
			q.t.trimmed.Add(ctx, 0, with)
		}
	}
	for _, reason := range []string{"draining", "lease_lost", "hung"} {
		q.t.doubtful.Add(ctx, 0, q.with(reason))
	}
}

// BeginOffers is [Queue.Begin] for a queue that is offered to.
func (q *Queue) BeginOffers(ctx context.Context) {
	q.t.sent.Add(ctx, 0, q.sends().ok.add...)
	q.t.cancelled.Add(ctx, 0, q.with(CancelledPending))
}

// panicked adds the event of a panic with its stack, where err is one.
func (p *Processing) panicked(err error) {
	if !p.span.IsRecording() {
		return
	}
	panicked := handlers.PanicOf(err)
	if panicked == nil {
		return
	}
	p.span.AddEvent(EventException, p.named(
		attribute.String("exception.type", "panic"),
		attribute.String("exception.message", errtext.Of(err, maxStatus)),
		attribute.String("exception.stacktrace", codecs.PrintableLines(string(panicked.Stack), maxStack))))
}

// maxStack bounds a stack in a span, in bytes.
const maxStack = 8 << 10

// version is that of this module in the running program, "devel" where it is not known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == ScopeName && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "devel"
}
