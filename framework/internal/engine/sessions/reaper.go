package sessions

import (
	"context"
	"log/slog"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// NewReaper makes a reaper that logs and counts what it does; reaped is called when something
// came back. ctx is of metrics.
func NewReaper(ctx context.Context, rdb redisapi.Client, keys wire.Keys, o lease.ReaperOptions,
	tel *telemetry.Queue, log *slog.Logger, reaped func(),
) *lease.Reaper {
	o.OnReap = func(h lease.Handed) {
		n := h.Bodies + h.Staged
		if n+h.Buried+h.Cancelled == 0 { // of a process that stopped without anything in flight
			log.Debug("removed a session whose time was over", "session", h.Session)
			return
		}
		tel.Reaped(ctx, int64(n))
		tel.Dead(ctx, handlers.ReasonCrashLoop, int64(h.Buried))
		tel.Cancelled(ctx, telemetry.CancelledInFlight, int64(h.Cancelled))
		reaped()
		if h.Cancelled > 0 {
			log.Info("messages of a session whose lease was over were cancelled while they were in flight: they do not go back", "session", h.Session, "messages", h.Cancelled)
		}
		if n+h.Buried == 0 {
			return
		}
		log.Warn("took back the messages of a session whose lease was over", "session", h.Session, "messages", n, "dead", h.Buried)
	}
	failing := &trouble.State{}
	o.OnError = func(err error) {
		if failing.Begin(err) {
			log.Warn("could not look for ended sessions; tried again until it works", "err", err)
		}
	}
	o.OnLook = func() {
		if lasted, was := failing.End(); was {
			log.Info("ended sessions are looked for again", "after", lasted)
		}
	}
	return lease.NewReaper(rdb, keys, o)
}
