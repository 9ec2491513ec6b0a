// Package partitions makes one queue of the partitions of a queue: it looks at all of them,
// in one order, and offers to many at once. Each function takes the keys of all partitions
// that are served; for one it is what package delayed has.
package partitions

import (
	"context"
	"errors"
	"iter"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Keys returns the keys of the first n partitions of a queue. keysOf maps, checks and
// returns those of one name.
func Keys(name string, n int, keysOf func(name string) (wire.Keys, error)) ([]wire.Keys, error) {
	all := make([]wire.Keys, n)
	for i := range all {
		k, err := keysOf(wire.PartitionName(name, i))
		if err != nil {
			return nil, err
		}
		all[i], all[i].Partition = k, i
	}
	return all, nil
}

// Served returns the keys of all partitions of a queue that processes serve, and what they have
// noted of their number. keysOf is that of [Keys].
func Served(ctx context.Context, rdb redisapi.Client, queue string, keysOf func(name string) (wire.Keys, error)) ([]wire.Keys, delayed.Spread, error) {
	first, err := keysOf(queue)
	if err != nil {
		return nil, delayed.Spread{}, err
	}
	noted, err := delayed.NotedSpread(ctx, rdb, first)
	if err != nil {
		return nil, noted, err
	}
	all, err := Keys(queue, max(noted.N, noted.Other, 1), keysOf)
	return all, noted, err
}

// merged yields the values of sequences that each are in an order, in that order; of
// equal ones those of the first sequence first. It ends after the first error.
func merged[V any](less func(a, b V) bool, seqs []iter.Seq2[V, error]) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		heads, next, stop := pulled(seqs)
		defer stop()
		for {
			first := -1
			for i := range heads {
				h := &heads[i]
				if h.err != nil {
					var zero V
					yield(zero, h.err)
					return
				}
				if h.ok && (first < 0 || less(h.value, heads[first].value)) {
					first = i
				}
			}
			if first < 0 || !yield(heads[first].value, nil) {
				return
			}
			next(first)
		}
	}
}

// head is the next value of a sequence, where there is one.
type head[V any] struct {
	value V
	err   error
	ok    bool
}

// pulled returns the heads of all sequences. next moves on in one, stop ends all.
func pulled[V any](seqs []iter.Seq2[V, error]) (heads []head[V], next func(i int), stop func()) {
	heads = make([]head[V], len(seqs))
	pulls, stops := make([]func() (V, error, bool), len(seqs)), make([]func(), len(seqs))
	next = func(i int) {
		h := &heads[i]
		h.value, h.err, h.ok = pulls[i]()
	}
	for i, seq := range seqs {
		pulls[i], stops[i] = iter.Pull2(seq)
		next(i)
	}
	return heads, next, func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// inTurn yields one value of each sequence in turn, beginning with the given one, at most
// limit. It ends after the first error.
func inTurn[V any](seqs []iter.Seq2[V, error], first int, limit int64) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		heads, next, stop := pulled(seqs)
		defer stop()
		for i, idle := first, 0; limit > 0 && idle < len(heads); i = (i + 1) % len(heads) {
			h := &heads[i]
			if h.err != nil {
				yield(h.value, h.err)
				return
			}
			if !h.ok {
				idle++
				continue
			}
			idle = 0
			if limit--; !yield(h.value, nil) || limit == 0 {
				return
			}
			next(i)
		}
	}
}

// atOnce bounds how many partitions are asked at the same time.
const atOnce = 16

// each calls f for all partitions, several at once, and joins the errors.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	errs := make([]error, n)
	var running background.Group
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		running.Go(ctx, "ask a partition", func() {
			defer func() { <-slots }()
			errs[i] = background.Call(ctx, "ask a partition", func() error { return f(ctx, i) })
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
