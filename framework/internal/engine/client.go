// Package engine is one process at work: it takes messages of its queues under a lease, runs
// their handlers, settles what came of them, and drains when it stops. Package framework has
// what users see of it.
package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/engine/offered"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Client is what an engine, and the transfers of offered queues, need of the client that they
// belong to. It does not change once it is made.
type Client struct {
	Redis     redisapi.Client           // all but blocking waits, which have connections of the same options
	Name      func(queue string) string // the name in Redis
	Telemetry *telemetry.Telemetry
	Log       *slog.Logger
	Panics    *background.Panics // of goroutines; nil logs them alone
	Transfers *offered.Queues
	Embedded  bool

	// Settings of the operator, with defaults.
	Lease, Block, Sweep time.Duration
	ShutdownShare       float64
	StartRetryFor       time.Duration // for how long Start waits for what passes by itself
	BlockingWaits       int           // most queues that wait in Redis at once; 0 is no bound
	ConnectionName      string        // what CLIENT LIST shows

	// Foreign is what happens where the codec of a queue cannot read what lies there.
	Foreign func(q registry.Descriptor) registry.ForeignMode
	// Explain says what a payload may be, beside the codec of its queue; nil says nothing.
	Explain func(payload []byte, codec string) string
}

// Consumer is a queue of an engine and its handler.
type Consumer struct {
	Queue     registry.Descriptor
	Next      handlers.Next      // nil: this process only transfers
	NextBatch handlers.BatchNext // of batch handlers
	Decode    func(payload []byte) (any, error)
	Policy    Policy
	Declared  string // file:line of the registration
}

// Code returns the code of the queue.
func (c Consumer) Code() string { return c.Queue.Code() }

// BatchOfOne lets a batch handler handle single messages.
func BatchOfOne(next handlers.BatchNext) handlers.Next {
	return func(ctx context.Context, m *handlers.Message) error {
		errs, _ := handlers.SettleBatch(ctx, next(ctx, []*handlers.Message{m}), 1)
		return errs[0]
	}
}

// Policy is how this process handles one queue.
type Policy struct {
	Workers        int
	Prefetch       int // most messages of one fetch
	Breaker        gate.Settings
	BreakerUnready bool
	Rate           float64 // messages a second; 0 is no limit
	Burst          int
	BatchSize      int // 0: single messages
	BatchWait      time.Duration
	Tell           func(ctx context.Context, l partitions.Letter) error // of dead letters, nil for nobody
}

// Room is how many messages the workers can have at once.
func (p Policy) Room() int { return p.Workers * max(p.BatchSize, 1) }

// explain says what a payload may be that the codec cannot read, where the program can tell.
func (c *Client) explain(body []byte, codec string) (text string) {
	if c.Explain == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return c.Explain(body, codec)
}
