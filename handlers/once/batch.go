package once

import (
	"context"
	"errors"
	"slices"

	"github.com/duequeue/duequeue/handlers"
)

// BatchMiddleware is [Inbox.Middleware] for batch handlers: one transaction for a batch,
// with a record for each message. The handler gets the messages without a record; of
// messages with the same key it gets the first, whose result holds for the others. For
// framework.UseBatch.
func (in *Inbox[T]) BatchMiddleware() handlers.BatchMiddleware {
	return func(next handlers.BatchNext) handlers.BatchNext {
		return func(ctx context.Context, ms []*handlers.Message) error {
			b := batch[T]{keys: in.keys, ms: ms, errs: make([]error, len(ms)), of: map[string][]int{}}
			b.name(ctx)
			if len(b.names) == 0 {
				return handlers.PerItem(b.errs)
			}
			err := in.transact(ctx, b.names, b.run(next))
			if err != nil && !errors.Is(err, errNoneDone) {
				return err
			}
			in.purgeNow(ctx)
			return b.result()
		}
	}
}

// batch is the work on one batch.
type batch[T any] struct {
	keys  keys[T]
	ms    []*handlers.Message
	errs  []error          // results, by the places in ms
	names []string         // the keys, in their own order: batches that meet do not lock each other
	of    map[string][]int // the places in ms of a key
}

// name names the messages. One without a usable key fails by itself.
func (b *batch[T]) name(ctx context.Context) {
	for i, m := range b.ms {
		name, err := b.keys.of(ctx, m)
		if err != nil {
			b.errs[i] = err
			continue
		}
		if len(b.of[name]) == 0 {
			b.names = append(b.names, name)
		}
		b.of[name] = append(b.of[name], i)
	}
	slices.Sort(b.names)
}

// run calls next with the messages of the fresh keys, in the order of the queue, and notes
// their results.
func (b *batch[T]) run(next handlers.BatchNext) func(ctx context.Context, fresh []string) (failed []string, err error) {
	return func(ctx context.Context, fresh []string) (failed []string, err error) {
		if len(fresh) == 0 {
			return nil, nil
		}
		slices.SortFunc(fresh, func(x, y string) int { return b.of[x][0] - b.of[y][0] })
		ms := make([]*handlers.Message, len(fresh))
		for i, name := range fresh {
			ms[i] = b.ms[b.of[name][0]]
		}
		err = next(ctx, ms)
		if err == nil {
			return nil, nil
		}
		errs, alone := handlers.SettleBatch(ctx, err, len(ms))
		if alone {
			return nil, err // undone: each is handled again, alone
		}
		for i, name := range fresh {
			for _, at := range b.of[name] {
				b.errs[at] = errs[i]
			}
			if errs[i] != nil {
				failed = append(failed, name)
			}
		}
		if len(failed) == len(fresh) {
			return nil, errNoneDone
		}
		return failed, nil
	}
}

// errNoneDone rolls back a transaction in which no message was handled; what became of each
// is in batch.errs.
var errNoneDone = errors.New("no message was handled")

// result gives each message its own where one has failed.
func (b *batch[T]) result() error {
	for _, err := range b.errs {
		if err != nil {
			return handlers.PerItem(b.errs)
		}
	}
	return nil
}
