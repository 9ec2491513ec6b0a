package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// queue is what all parts of a runner know of theirs; it does not change once it is built.
type queue struct {
	code, title, codec string
	rdb                redisapi.Client
	policy             registry.Policy
	own                Policy
	takers             []*taker // of its partitions, the first of 0
	suspects           *suspectQueue
	gate               *gate.Gate
	tel                *telemetry.Queue
	log                *slog.Logger

	base  context.Context // of all handlers
	abort context.CancelCauseFunc
	done  chan struct{}   // closed when all takers have ended
	torn  <-chan struct{} // closed when the engine gives up on settling
}

// describe fills in what the handler may know about its message, beside the decoded value.
func (q *queue) describe(j *job, serverNow time.Time) *handlers.Message {
	m := &j.message
	m.Settling = &j.settling
	m.Code, m.Title, m.Codec = q.code, q.title, q.codec
	m.Identity, m.Body = j, j.msg.Body
	m.Delivered, m.Failed, m.Died = j.msg.Delivered, j.msg.Failed, j.msg.Died
	m.Redriven, m.Deaths = deadstore.HistoryOf(j.msg.History, j.msg.ID.Partition)
	m.MaxAttempts = q.policy.MaxAttempts
	m.StartedAt = serverNow
	if j.msg.DueMs >= 0 {
		m.DueTime, m.DueGuessed = time.UnixMilli(j.msg.DueMs), j.msg.DueGuessed
	}
	return m
}

// origin is where the message came from, for its span.
func (q *queue) origin(j *job) telemetry.Origin {
	from := telemetry.Origin{Creation: j.msg.Trace}
	if q.policy.TraceInBand {
		from.Traceparent = registry.Traceparent(j.message.Value)
	}
	return from
}

// buried reports what the take itself moved to the dead store.
func (r *taker) buried(ctx context.Context, bs []lease.Buried) {
	for _, b := range bs {
		r.tel.Dead(ctx, b.Reason, 1)
		r.sessions.Current().NoteBuried(ctx, b)
		r.log.ErrorContext(ctx, "message moved to the dead store", "digest", b.Digest, "bytes", b.Size, "reason", b.Reason, "entry", wire.InPartition(r.keys.Partition, b.Entry))
	}
}
