package outage

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/engine/trouble"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	maxSetbacks  = 10_000      // that a process remembers of one queue
	setbackBatch = 200         // that are brought forward in one round trip
	forwardTime  = time.Minute // in which they come when the breaker has closed
	forwardTries = 20          // of a batch that Redis does not take
)

// Setback is a message that failed while the breaker was not closed, and waits.
type Setback struct {
	ID      wire.MessageID
	RetryMs int64 // when it is due again
}

// Setbacks are the latest of a queue. The zero value is empty.
type Setbacks struct {
	mu   sync.Mutex
	all  []Setback
	next int // to be overwritten, once there are maxSetbacks
}

// Add remembers one.
func (s *Setbacks) Add(b Setback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) < maxSetbacks {
		s.all = append(s.all, b)
		return
	}
	s.all[s.next] = b
	s.next = (s.next + 1) % maxSetbacks
}

// Take returns them and forgets them.
func (s *Setbacks) Take() []Setback {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all, s.next = nil, 0
	return all
}

// forwardTimeout bounds one call.
const forwardTimeout = 5 * time.Second

// BringForward spreads retries over the next minute that would come later, since what
// they failed for seems to be over. now is the time of Redis. It ends when ctx does, and
// gives up where Redis refuses: they come by their schedule then.
func BringForward(ctx context.Context, rdb redisapi.Client, keys wire.Keys, all []Setback, now time.Time, log *slog.Logger) {
	var moves []delayed.Move
	for _, b := range all {
		if b.RetryMs > now.Add(forwardTime).UnixMilli() {
			soon := now.Add(chance.Below(forwardTime))
			moves = append(moves, delayed.Move{DueMs: b.ID.DueMs, ID: b.ID.Element, ToMs: soon.UnixMilli()})
		}
	}
	total := 0
	b := trouble.NewBackoff(50*time.Millisecond, 5*time.Second)
	for failures := 0; len(moves) > 0 && failures < forwardTries && ctx.Err() == nil; failures++ {
		batch := moves[:min(len(moves), setbackBatch)]
		callCtx, end := context.WithTimeout(ctx, forwardTimeout)
		n, err := delayed.RescheduleAll(callCtx, rdb, keys, batch)
		end()
		total += n
		if err == nil {
			moves = moves[len(batch):]
			b.Reset()
			failures = -1
			continue
		}
		delay := b.Next()
		log.WarnContext(ctx, "retries could not be brought forward yet", "again_in", delay, "messages", len(moves), "err", err)
		_ = retry.Pause(ctx, delay) // the loop looks at ctx
	}
	if total > 0 {
		log.InfoContext(ctx, "the breaker has closed: retries that failed while it was open come within a minute", "messages", total)
	}
}
