package ondead

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"

	"github.com/duequeue/duequeue/framework"
)

// Event returns a function that emits each dead letter as an event of OpenTelemetry's logs,
// messaging.redisson.dead_letter, of severity error. Its body is the detail, its attributes are
// named as those of spans; the payload is not in it. It returns nil: what the provider does
// with an event it tells nobody. A provider of nil panics.
func Event(p log.LoggerProvider) func(ctx context.Context, m framework.DeadMessage) error {
	logger := p.Logger("github.com/duequeue/duequeue/framework/ondead")
	return func(ctx context.Context, m framework.DeadMessage) error {
		var r log.Record
		r.SetEventName("messaging.redisson.dead_letter")
		r.SetSeverity(log.SeverityError)
		r.SetTimestamp(m.At)
		r.SetBody(attribute.StringValue(m.Detail))
		r.AddAttributes(
			attribute.String("messaging.system", "redisson"),
			attribute.String("messaging.destination.name", m.Queue),
			attribute.String("messaging.redisson.reason", m.Reason),
			attribute.String("messaging.redisson.dead.entry", m.Entry),
			attribute.String("messaging.redisson.message.digest", m.Digest),
			attribute.Int("messaging.redisson.message.delivery_attempt", m.Failed),
			attribute.Int("messaging.redisson.message.redriven", m.Redriven),
		)
		if m.ID != "" {
			r.AddAttributes(attribute.String("messaging.message.id", string(m.ID)))
		}
		logger.Emit(ctx, r)
		return nil
	}
}
