package main

import (
	"context"
	"errors"
	"time"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// batchWait is how long the batches of consumers in fx wait for more messages; those of
// the others do not wait.
const batchWait = 20 * time.Millisecond

// consumer is the role's consumer, of single messages or of batches.
func (r *role) consumer(l *ledger) framework.Consumer {
	if r.Batch > 0 {
		return framework.ConsumeBatch(r.queue(), r.batchHandler(l), framework.Workers(r.Workers), framework.BatchSize(r.Batch))
	}
	return framework.Consume(r.queue(), r.handler(l), framework.Workers(r.Workers))
}

// handles is the same as an option of an fx application.
func (r *role) handles(l *ledger) fx.Option {
	if r.Batch > 0 {
		return framework.HandleBatchWith(r.queue(), r.batchHandler(l),
			framework.Workers(r.Workers), framework.BatchSize(r.Batch), framework.BatchWait(batchWait))
	}
	return framework.HandleWith(r.queue(), r.handler(l), framework.Workers(r.Workers))
}

var errSpoiled = errors.New("one message of this batch spoils it, and nobody knows which")

// batchHandler does the work of a batch, with notes for each message. Those that fail at
// their first attempt leave the others unharmed; one that spoils leaves nothing done.
func (r *role) batchHandler(l *ledger) handlers.BatchHandler[string] {
	return handlers.BatchFunc[string](func(ctx context.Context, ds []*handlers.Delivery[string]) error {
		ids, starts := make([]string, len(ds)), make([]string, len(ds))
		spoiled := false
		for i, d := range ds {
			ids[i], starts[i] = idOf(d.Payload), startText(d.Attempt(), len(ds), d.Message().Died)
			spoiled = spoiled || r.spoils(ids[i]) && len(ds) > 1
		}
		if err := l.noteAll(ctx, noteStarted, ids, starts); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(hash(ds[0].Payload) % uint64(r.Work+1))):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if spoiled {
			return errSpoiled
		}
		return r.noteEach(ctx, l, ids, ds)
	})
}

func (r *role) spoils(id string) bool { return r.Spoil > 0 && hash("spoils "+id)%uint64(r.Spoil) == 0 }

// noteEach gives each message of a batch its result.
func (r *role) noteEach(ctx context.Context, l *ledger, ids []string, ds []*handlers.Delivery[string]) error {
	errs := make([]error, len(ds))
	var done []string
	for i, d := range ds {
		if r.fails(ids[i], d.Attempt()) {
			errs[i] = errOnPurpose
		} else {
			done = append(done, ids[i])
		}
	}
	if err := l.noteAll(ctx, noteFinished, done, make([]string, len(done))); err != nil {
		return err
	}
	return handlers.PerItem(errs)
}
