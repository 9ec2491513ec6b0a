package frameworktest

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// HandleBatch registers a batch handler, as framework.HandleBatchFunc does; it must come
// before the first offer. Each message of a batch is a separate [Call].
func HandleBatch[T any](k *Kit, q *registry.Queue[T], h handlers.BatchHandler[T], opts ...framework.ConsumeOption) {
	k.t.Helper()
	if k.engine != nil {
		k.t.Fatalf("frameworktest: the engine runs: register the handler of %s before the first Offer and Advance", q.Code())
	}
	all := append(append([]framework.ConsumeOption(nil), opts...), framework.UseBatch(k.recordBatch, handlers.RecoverBatch()))
	k.consumers = append(k.consumers, framework.ConsumeBatch(q, h, all...))
	k.queues = append(k.queues, q)
}

// HandleBatchFunc is [HandleBatch] for a plain function.
func HandleBatchFunc[T any](k *Kit, q *registry.Queue[T], f func(ctx context.Context, ds []*handlers.Delivery[T]) error, opts ...framework.ConsumeOption) {
	k.t.Helper()
	HandleBatch(k, q, handlers.BatchFunc[T](f), opts...)
}

// recordBatch notes a call for each message of a batch.
func (k *Kit) recordBatch(next handlers.BatchNext) handlers.BatchNext {
	return func(ctx context.Context, ms []*handlers.Message) error {
		calls := make([]Call, len(ms))
		for i, m := range ms {
			calls[i] = callOf(m)
			calls[i].Batch = len(ms)
		}
		code := ms[0].Code
		k.count(code, len(ms))
		defer k.count(code, -len(ms))
		err := next(ctx, ms)
		errs, alone := handlers.SettleBatch(ctx, err, len(ms))
		for i := range calls {
			calls[i].Ended = time.Now()
			if alone {
				calls[i].Err, calls[i].Outcome = err, handlers.Released
				continue
			}
			calls[i].Err = errs[i]
			k.judge(&calls[i], ms[i], errs[i])
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.calls[code] = append(k.calls[code], calls...)
		return err
	}
}
