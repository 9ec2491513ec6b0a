package once

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	purgeEvery = time.Minute // in each process, behind a message that was handled
	purgeStep  = 1000        // records that one statement deletes
)

// purges says when the next one is due. The zero value is: at once.
type purges struct{ next atomic.Int64 }

// due reports whether it is time, and lets nobody else until a purge has ended.
func (p *purges) due(now time.Time) bool {
	next := p.next.Load()
	return now.UnixMilli() >= next && p.next.CompareAndSwap(next, now.Add(purgeEvery).UnixMilli())
}

// Purge deletes records that have expired, up to 1,000, and returns how many it deleted.
// Handled messages call it about once a minute in each process, and more often where that
// does not suffice; so calls of your own are needed only where no messages come any more.
func (in *Inbox[T]) Purge(ctx context.Context) (deleted int64, err error) {
	result, err := in.db.ExecContext(ctx, purge(in.dialect, in.table, purgeStep), time.Now().UnixMilli())
	if err != nil {
		return 0, in.failed("purge", err)
	}
	return result.RowsAffected()
}

// purgeNow purges when it is time. The message is handled: an error changes nothing for it.
func (in *Inbox[T]) purgeNow(ctx context.Context) {
	if !in.purged.due(time.Now()) {
		return
	}
	deleted, err := in.Purge(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		slog.WarnContext(ctx, "old records of handled messages were not deleted; the next try is in a minute", "queue", in.keys.code, "table", in.table, "error", err.Error())
	case deleted == purgeStep:
		in.purged.next.Store(0)
	}
}
