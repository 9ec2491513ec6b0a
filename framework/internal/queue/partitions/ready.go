package partitions

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// WalkReady is [delayed.WalkBeginnings] over all partitions: the next message of each in turn.
func WalkReady(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, offset, limit int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for b, err := range WalkBeginnings(ctx, rdb, keys, offset, limit, delayed.Whole) {
			if !yield(b.Text, err) {
				return
			}
		}
	}
}

// WalkBeginnings is [WalkReady] for at most so many bytes of each payload.
func WalkBeginnings(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, offset, limit int64, most int) iter.Seq2[delayed.Beginning, error] {
	if len(keys) == 1 {
		return delayed.WalkBeginnings(ctx, rdb, keys[0], offset, limit, most)
	}
	return func(yield func(delayed.Beginning, error) bool) {
		if offset < 0 || limit <= 0 {
			return
		}
		from, first, err := readyBefore(ctx, rdb, keys, offset)
		if err != nil {
			yield(delayed.Beginning{}, err)
			return
		}
		seqs := make([]iter.Seq2[delayed.Beginning, error], len(keys))
		for i, k := range keys {
			seqs[i] = delayed.WalkBeginnings(ctx, rdb, k, from[i], limit, most)
		}
		for body, err := range inTurn(seqs, first, limit) {
			if !yield(body, err) {
				return
			}
		}
	}
}

// readyBefore returns how many messages of each partition come before the one at offset,
// and whose turn it is.
func readyBefore(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, offset int64) (from []int64, first int, err error) {
	from = make([]int64, len(keys))
	if offset == 0 {
		return from, 0, nil
	}
	pipe := rdb.Pipeline()
	lengths := make([]*redis.IntCmd, len(keys))
	for i, k := range keys {
		lengths[i] = pipe.LLen(ctx, k.Queue)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, 0, rediserr.Classify("LLEN", err)
	}
	within := func(rounds int64) (n int64) {
		for _, length := range lengths {
			n += min(length.Val(), rounds)
		}
		return n
	}
	rounds, over := int64(0), offset+1 // whole rounds that lie before it, and too many
	for rounds+1 < over {
		if middle := rounds + (over-rounds)/2; within(middle) <= offset {
			rounds = middle
		} else {
			over = middle
		}
	}
	left := offset - within(rounds)
	for i, length := range lengths {
		if from[i] = min(length.Val(), rounds); left > 0 && length.Val() > rounds {
			from[i]++
			left--
			first = (i + 1) % len(keys)
		}
	}
	return from, first, nil
}

// turn is where polls begin, so that no partition has to wait for another one.
var turn atomic.Uint32

// PollReady is [delayed.PollReady] over all partitions, beginning with another one each
// time.
func PollReady(ctx context.Context, rdb redis.Cmdable, keys []wire.Keys, n int64) ([]string, error) {
	var out []string
	first := 0
	if len(keys) > 1 {
		first = int(turn.Add(1))
	}
	for i := range keys {
		left := n - int64(len(out))
		if left <= 0 {
			break
		}
		found, err := delayed.PollReady(ctx, rdb, keys[(first+i)%len(keys)], left)
		if out = append(out, found...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// RemoveReady is [delayed.RemoveReady] over all partitions, for n of 0 all.
func RemoveReady(ctx context.Context, rdb redis.Scripter, keys []wire.Keys, payload []byte, n int64) (removed int64, err error) {
	for _, k := range keys {
		some, err := delayed.RemoveReady(ctx, rdb, k, payload, max(n-removed, 0))
		if removed += some; err != nil || n > 0 && removed >= n {
			return removed, err
		}
	}
	return removed, nil
}

// ClearReady is [delayed.ClearReady] of all partitions.
func ClearReady(ctx context.Context, rdb redis.Scripter, keys []wire.Keys) (int64, error) {
	return sum(keys, func(k wire.Keys) (int64, error) { return delayed.ClearReady(ctx, rdb, k) })
}

// Total adds up what was counted of all partitions, with what lies in stages in the lag, as
// far as Redis tells.
func Total(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, parts []delayed.QueueCounts) (all delayed.QueueCounts) {
	for i, p := range parts {
		_ = addStaged(ctx, rdb, keys[i], &p) // the lag is that of the others
		if all = all.Add(p); i == 0 {
			all = p
		}
	}
	return all
}

// counted counts one partition.
func counted(ctx context.Context, rdb redisapi.Client, k wire.Keys) (delayed.QueueCounts, error) {
	n, err := delayed.Counts(ctx, rdb, k)
	if err == nil {
		err = addStaged(ctx, rdb, k, &n)
	}
	return n, err
}

// addStaged adds to the lag what lies in the stages of dead sessions.
func addStaged(ctx context.Context, rdb redisapi.Client, k wire.Keys, n *delayed.QueueCounts) error {
	if n.EndedMs < 0 {
		return nil
	}
	since, err := lease.StagedSince(ctx, rdb, k, n.NowUs/1000)
	if err == nil && since >= 0 {
		n.Lag.Add(n.NowUs/1000, since, true)
	}
	return err
}

// Counted is what a queue has in all its partitions.
type Counted struct {
	delayed.QueueCounts
	InFlight, Stranded int64
}

// Counts is [delayed.Counts] of all partitions, each at one moment, with what Go processes
// hold; of the times in it the next due one and Redis's latest.
func Counts(ctx context.Context, rdb redisapi.Client, keys []wire.Keys) (Counted, error) {
	parts := make([]Counted, len(keys))
	err := each(ctx, len(keys), func(ctx context.Context, i int) (err error) {
		p := &parts[i]
		if p.QueueCounts, err = counted(ctx, rdb, keys[i]); err != nil || p.Sessions == 0 {
			return err
		}
		held, err := lease.HeldBy(ctx, rdb, keys[i])
		for _, h := range held {
			p.InFlight += h.Messages
			if h.Ended(p.NowUs / 1000) {
				p.Stranded += h.Messages
			}
		}
		if err == nil && p.Ready+p.Delayed+p.InFlight == 0 {
			// A message that was in flight at first may have gone to its retry since.
			p.QueueCounts, err = counted(ctx, rdb, keys[i])
		}
		return err
	})
	if err != nil {
		return Counted{}, err
	}
	all := parts[0]
	for _, p := range parts[1:] {
		all.QueueCounts = all.Add(p.QueueCounts)
		all.InFlight, all.Stranded = all.InFlight+p.InFlight, all.Stranded+p.Stranded
	}
	return all, nil
}
