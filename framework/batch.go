package framework

import (
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Bounds of batches.
const (
	DefaultBatchSize = 100
	MaxBatchSize     = lease.MaxTake
	MaxBatchWait     = time.Minute
)

// BatchSize sets how many messages a batch handler gets at most at once, 1 to
// [MaxBatchSize]. Defaults to [DefaultBatchSize]. Only for batch handlers.
func BatchSize(n int) ConsumeOption { return batchSizeOption(n) }

type batchSizeOption int

func (o batchSizeOption) String() string { return fmt.Sprintf("BatchSize(%d)", int(o)) }

func (o batchSizeOption) applyConsume(p *consumePolicy) error {
	p.forBatches = append(p.forBatches, o.String())
	if o < 1 || o > MaxBatchSize {
		return fmt.Errorf("must be 1 to %d", MaxBatchSize)
	}
	p.BatchSize = int(o)
	return nil
}

// BatchWait sets how long a batch that is not full waits for more messages, from the time
// at which this process took its first one; up to [MaxBatchWait]. With zero, the default,
// a batch does not wait: it is what is ready when a worker is free, so batches are small
// under a light load and grow with it. The wait may make every message late by as much.
// Only for batch handlers.
func BatchWait(d time.Duration) ConsumeOption { return batchWaitOption(d) }

type batchWaitOption time.Duration

func (o batchWaitOption) String() string { return fmt.Sprintf("BatchWait(%v)", time.Duration(o)) }

func (o batchWaitOption) applyConsume(p *consumePolicy) error {
	p.forBatches = append(p.forBatches, o.String())
	if o < 0 || time.Duration(o) > MaxBatchWait {
		return fmt.Errorf("must be 0 to %v", MaxBatchWait)
	}
	p.BatchWait = time.Duration(o)
	return nil
}

// UseBatch wraps a batch handler in middlewares; the first is the outermost. They wrap each
// batch as a whole, also a batch of one message; those of [Use] wrap each message. Only for
// batch handlers.
func UseBatch(mw ...handlers.BatchMiddleware) ConsumeOption { return useBatchOption{mw} }

type useBatchOption struct{ mw []handlers.BatchMiddleware }

func (o useBatchOption) String() string { return fmt.Sprintf("UseBatch(%d middlewares)", len(o.mw)) }

func (o useBatchOption) applyConsume(p *consumePolicy) error {
	p.forBatches = append(p.forBatches, o.String())
	for i, m := range o.mw {
		if m == nil {
			return fmt.Errorf("middleware %d is nil", i)
		}
	}
	p.batchMiddleware = append(p.batchMiddleware, o.mw...)
	return nil
}

// forSingle finds the options that a handler of single messages does not have.
func (p *consumePolicy) forSingle() error {
	if len(p.forBatches) == 0 {
		return nil
	}
	return fmt.Errorf("%s: only for batch handlers: register by HandleBatch or ConsumeBatch", strings.Join(p.forBatches, ", "))
}

// forBatch finds the options that a batch handler does not have, and fills in what
// follows from its size.
func (p *consumePolicy) forBatch() error {
	if p.BatchSize == 0 {
		p.BatchSize = DefaultBatchSize
	}
	if len(p.middleware) > 0 {
		return fmt.Errorf("Use(%d middlewares): they wrap single messages, this handler takes batches: give UseBatch", len(p.middleware))
	}
	return nil
}

// ConsumeBatch pairs a queue with a batch handler, as [Consume] does with a handler of
// single messages; a queue has one or the other.
//
// [Workers] counts batches that run at once. [Prefetch] counts messages, and defaults to
// workers × [BatchSize], as far as one fetch carries. The queue's timeout is that of a
// whole batch. Package handlers says how a handler gives each message its result.
//
// One bad message hurts only itself, here too. A message that cannot be decoded leaves its
// batch. When a batch of several fails as a whole (a plain error, a panic, a handler that
// hangs), no message is charged, and each one runs again at once, alone in a batch. For a
// while afterwards, messages that have failed before stay out of batches. A suspect, which
// was in flight in two processes that died, always runs alone.
func ConsumeBatch[T any](q *registry.Queue[T], h handlers.BatchHandler[T], opts ...ConsumeOption) Consumer {
	return consumeBatch(q, h, callerLine(1), opts)
}

func consumeBatch[T any](q *registry.Queue[T], h handlers.BatchHandler[T], declared string, opts []ConsumeOption) Consumer {
	return handle(declare(q, declared, opts, true), q, h, func(c *engine.Consumer, p consumePolicy) {
		c.NextBatch = handlers.ChainBatch(handlers.RecoverBatch()(handlers.BindBatch(h)), p.batchMiddleware...)
		c.Next = engine.BatchOfOne(c.NextBatch)
	})
}
