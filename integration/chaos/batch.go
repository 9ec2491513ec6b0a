package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// batchWait is how long the batches of consumers in fx wait for more messages; those of
// the others do not wait.
const batchWait = 20 * time.Millisecond

// consumers are the role's, of single messages or of batches.
func (r *role) consumers(l *ledger) (out []framework.Consumer) {
	if r.Batch > 0 {
		return []framework.Consumer{framework.ConsumeBatch(r.queue(), r.batchHandler(l), framework.Workers(r.Workers), framework.BatchSize(r.Batch))}
	}
	for i := range max(r.Queues, 1) {
		out = append(out, framework.Consume(r.queueOf(i), r.handler(l), framework.Workers(r.Workers)))
	}
	return out
}

// handles is the same as an option of an fx application.
func (r *role) handles(l *ledger) fx.Option {
	if r.Batch > 0 {
		return framework.HandleBatchFunc(r.queue(), r.batchHandler(l).HandleBatch,
			framework.Workers(r.Workers), framework.BatchSize(r.Batch), framework.BatchWait(batchWait))
	}
	return framework.HandleFunc(r.queue(), r.handler(l).Handle, framework.Workers(r.Workers))
}

var errSpoiled = errors.New("one message of this batch spoils it, and nobody knows which")

// batchHandler does the work of a batch, with notes for each message. Those that fail at
// their first attempt leave the others unharmed; one that spoils leaves nothing done.
func (r *role) batchHandler(l *ledger) handlers.BatchHandler[string] {
	return handlers.BatchFunc[string](func(ctx context.Context, ds []*handlers.Delivery[string]) error {
		ids, starts := make([]string, len(ds)), make([]string, len(ds))
		spoiled := false
		for i, d := range ds {
			ids[i], starts[i] = noteOf(d), startText(d.Attempt(), len(ds), d.Message().Died)
			spoiled = spoiled || r.spoils(ids[i]) && len(ds) > 1
		}
		if err := l.noteAll(ctx, noteStarted, ids, starts); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(hash("work "+ids[0]) % uint64(r.Work+1))):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), l.noteAll(context.WithoutCancel(ctx), noteFailed, ids, repeat("stopped", len(ids))))
		}
		if spoiled {
			return errors.Join(errSpoiled, l.noteAll(ctx, noteFailed, ids, repeat("spoiled", len(ids))))
		}
		return r.noteEach(ctx, l, ids, ds)
	})
}

func (r *role) spoils(id string) bool { return r.Spoil > 0 && hash("spoils "+id)%uint64(r.Spoil) == 0 }

func repeat(text string, n int) []string { return slices.Repeat([]string{text}, n) }

// noteEach gives each message of a batch its result.
func (r *role) noteEach(ctx context.Context, l *ledger, ids []string, ds []*handlers.Delivery[string]) error {
	errs := make([]error, len(ds))
	var done, failed []string
	for i, d := range ds {
		if r.fails(ids[i], d.Attempt()) {
			errs[i], failed = errOnPurpose, append(failed, ids[i])
		} else {
			done = append(done, ids[i])
		}
	}
	err := errors.Join(l.noteAll(ctx, noteFinished, done, repeat("", len(done))), l.noteAll(ctx, noteFailed, failed, repeat(onPurpose, len(failed))))
	if err != nil {
		return err
	}
	return handlers.PerItem(errs)
}
