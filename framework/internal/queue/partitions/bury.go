package partitions

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bury moves ready messages to the dead store.
type Bury struct {
	Redis          redisapi.Client
	Reason, Detail string
	DryRun         bool
	Limit          int64
	Pace           budget.Pace
	Choose         func(body []byte) bool
	Each           func(body []byte) // nil is told of none
	Progress       func()            // nil is told nothing

	Done Buried
}

// Buried is what a run did.
type Buried struct{ Buried, Matched, Looked, Left int64 }

// Run looks at the messages of all partitions, one after the other.
func (b *Bury) Run(ctx context.Context, keys []wire.Keys) error {
	for _, k := range keys {
		if err := b.run(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// run looks at those that one partition has at first. What it buries moves the rest towards the
// head.
func (b *Bury) run(ctx context.Context, k wire.Keys) error {
	there, err := b.Redis.LLen(ctx, k.Queue).Result()
	if err != nil {
		return rediserr.Classify("LLEN", err)
	}
	size, place := int64(16), int64(0)
	for there > 0 && b.left() > 0 {
		want := min(size, there)
		page, err := budget.Ask(ctx, &b.Pace, func() ([]string, error) {
			page, err := b.Redis.LRange(ctx, k.Queue, place, place+want-1).Result()
			return page, rediserr.Classify("LRANGE", err)
		})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		buried, looked, err := b.page(ctx, k, place, page)
		place, there = place+looked-buried, there-looked
		if b.Progress != nil {
			b.Progress()
		}
		if err != nil {
			return err
		}
		bytes := 0
		for _, body := range page {
			bytes += len(body)
		}
		size = min(max((1<<20)*int64(len(page))/int64(bytes+1), 1), 2*size, lease.MaxBury)
	}
	b.Done.Left += there
	return nil
}

func (b *Bury) left() int64 {
	if b.DryRun {
		return b.Limit - b.Done.Matched
	}
	return b.Limit - b.Done.Buried
}

// page buries what is chosen of a page that begins at a place. It returns how many, and at how
// many it has looked.
func (b *Bury) page(ctx context.Context, k wire.Keys, place int64, page []string) (buried, looked int64, err error) {
	var chosen []lease.Ready
	for i, body := range page {
		if int64(len(chosen)) >= b.left() && !b.DryRun || b.left() <= 0 {
			break
		}
		looked++
		if !b.Choose([]byte(body)) {
			continue
		}
		b.Done.Matched++
		if b.Each != nil {
			b.Each([]byte(body))
		}
		if !b.DryRun {
			chosen = append(chosen, lease.Ready{Place: place + int64(i), Body: body})
		}
	}
	b.Done.Looked += looked
	for len(chosen) > 0 {
		entries, err := budget.Ask(ctx, &b.Pace, func() ([]string, error) {
			return lease.BuryReady(ctx, b.Redis, k, b.Reason, b.Detail, chosen)
		})
		for _, entry := range entries {
			if entry != "" {
				buried++
				b.Done.Buried++
			}
		}
		if err != nil {
			return buried, looked, err
		}
		if len(entries) == 0 { // never: one is begun at least
			return buried, looked, nil
		}
		chosen = chosen[len(entries):]
	}
	return buried, looked, nil
}
