package partitions

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Pending is a pending message and its partition.
type Pending struct {
	delayed.PendingMessage
	Partition int
}

// WalkPending is [delayed.WalkPending] over all partitions, in the order of the due times.
func WalkPending(ctx context.Context, rdb redis.Scripter, keys []wire.Keys, emptyOK bool) iter.Seq2[Pending, error] {
	return walkPending(ctx, rdb, keys, make([]int64, len(keys)), math.MaxInt64, emptyOK)
}

func walkPending(
	ctx context.Context, rdb redis.Scripter, keys []wire.Keys, from []int64, limit int64, emptyOK bool,
) iter.Seq2[Pending, error] {
	seqs := make([]iter.Seq2[Pending, error], len(keys))
	for i, k := range keys {
		seqs[i] = func(yield func(Pending, error) bool) {
			for m, err := range delayed.WalkPending(ctx, rdb, k, from[i], limit, emptyOK) {
				if !yield(Pending{m, i}, err) {
					return
				}
			}
		}
	}
	if len(seqs) == 1 {
		return seqs[0]
	}
	return merged(func(a, b Pending) bool { return a.Score < b.Score }, seqs)
}

// PendingPlace is how far one has come in all partitions: the place of the message that was met
// last. The zero value is the beginning.
type PendingPlace struct {
	Score     string
	Element   []byte `json:",omitempty"` // the beginning of it
	Partition int    `json:",omitempty"`
}

// maxPlace is more than a place has of an element, maxScore more than Redis spells a score with.
const (
	maxPlace = 100
	maxScore = 32
)

// Valid reports whether a place that came from outside may be one of a queue of n partitions.
func (p PendingPlace) Valid(n int) bool {
	if len(p.Score) > maxScore || strings.ContainsAny(p.Score, "xX_") { // which Go takes for numbers, too
		return false
	}
	score, err := strconv.ParseFloat(p.Score, 64)
	return err == nil && !math.IsNaN(score) && len(p.Element) <= maxPlace && p.Partition >= 0 && p.Partition < n
}

// Place is that of a message that a walk has met.
func (p Pending) Place() PendingPlace {
	at := p.PendingMessage.Place()
	return PendingPlace{at.Score, []byte(at.Element), p.Partition}
}

// in returns the place in a partition, of whose messages that fall due at the same moment all
// or none were met, unless the place is one of them. Over says that all of the partition were.
func (p PendingPlace) in(partition int) (at delayed.PendingPlace, over bool) {
	score, err := strconv.ParseFloat(p.Score, 64)
	switch {
	case p.Score == "" || err != nil:
	case partition == p.Partition:
		at = delayed.PendingPlace{Score: p.Score, Element: string(p.Element)}
	case partition > p.Partition:
		at.Score = p.Score
	case math.IsInf(score, 1):
		over = true
	default:
		at.Score = strconv.FormatFloat(math.Nextafter(score, math.Inf(1)), 'g', -1, 64)
	}
	return at, over
}

// PagePendingFrom reads up to limit messages behind a place: none at the end. What stays pending
// meanwhile is met exactly once on a way from page to page, from the [Pending.Place] of the last. most
// is that of [delayed.PagePendingFrom].
func PagePendingFrom(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, from PendingPlace, limit int64, most int, emptyOK bool) ([]Pending, error) {
	seqs := make([]iter.Seq2[Pending, error], len(keys))
	for i, k := range keys {
		seqs[i] = func(yield func(Pending, error) bool) {
			at, over := from.in(i)
			for !over {
				page, next, err := delayed.PagePendingFrom(ctx, rdb, k, at, limit, most, emptyOK)
				if err != nil {
					yield(Pending{}, err)
					return
				}
				for _, m := range page {
					if !yield(Pending{m, i}, nil) {
						return
					}
				}
				at, over = next, len(page) == 0
			}
		}
	}
	var page []Pending
	for m, err := range merged(func(a, b Pending) bool { return a.Score < b.Score }, seqs) {
		if err != nil {
			return nil, err
		}
		if page = append(page, m); int64(len(page)) == limit {
			break
		}
	}
	return page, nil
}

// PagePending is [delayed.Pending] over all partitions.
func PagePending(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, offset, limit int64, emptyOK bool) ([]Pending, error) {
	if offset < 0 || offset > math.MaxUint32 || limit <= 0 { // more than sorted sets can hold in any memory
		return nil, nil
	}
	from, err := pendingBefore(ctx, rdb, keys, offset)
	if err != nil {
		return nil, err
	}
	var page []Pending
	for m, err := range walkPending(ctx, rdb, keys, from, limit, emptyOK) {
		if err != nil {
			return nil, err
		}
		if page = append(page, m); int64(len(page)) == limit {
			break
		}
	}
	return page, nil
}

// pendingBefore returns how many messages of each partition come before the one at offset,
// in the order of due times and, among equal ones, of partitions. It halves what is left in
// doubt of the largest partition by the rank of one of its messages among all.
func pendingBefore(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, offset int64) ([]int64, error) {
	least, most := make([]int64, len(keys)), make([]int64, len(keys))
	if len(keys) == 1 || offset == 0 {
		least[0] = offset
		return least, nil
	}
	pipe := rdb.Pipeline()
	cards := make([]*redis.IntCmd, len(keys))
	for i, k := range keys {
		cards[i] = pipe.ZCard(ctx, k.Timeout)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, rediserr.Classify("ZCARD", err)
	}
	for i := range most {
		most[i] = cards[i].Val()
	}
	for {
		largest := 0
		for i := range most {
			if most[i]-least[i] > most[largest]-least[largest] {
				largest = i
			}
		}
		if most[largest] <= least[largest] {
			return least, nil
		}
		middle := least[largest] + (most[largest]-least[largest])/2
		before, err := ranksOf(ctx, rdb, keys, largest, middle)
		if err != nil {
			return nil, err
		}
		rank := int64(0)
		for _, n := range before {
			rank += n
		}
		if rank >= offset {
			for i, n := range before {
				most[i] = min(most[i], n)
			}
			continue
		}
		before[largest]++ // itself
		for i, n := range before {
			least[i] = max(least[i], n)
		}
	}
}

// ranksOf returns how many messages of each partition come before the one of a rank in one
// of them.
func ranksOf(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, of int, rank int64) ([]int64, error) {
	found, err := rdb.ZRangeWithScores(ctx, keys[of].Timeout, rank, rank).Result()
	if err != nil {
		return nil, rediserr.Classify("ZRANGE", err)
	}
	score := "+inf" // others took it meanwhile
	if len(found) > 0 {
		score = strconv.FormatFloat(found[0].Score, 'g', -1, 64)
	}
	pipe := rdb.Pipeline()
	counts := make([]*redis.IntCmd, len(keys))
	for i, k := range keys {
		switch {
		case i < of:
			counts[i] = pipe.ZCount(ctx, k.Timeout, "-inf", score)
		case i > of:
			counts[i] = pipe.ZCount(ctx, k.Timeout, "-inf", "("+score)
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, rediserr.Classify("ZCOUNT", err)
	}
	before := make([]int64, len(keys))
	for i := range keys {
		if before[i] = rank; i != of {
			before[i] = counts[i].Val()
		}
	}
	return before, nil
}

// PollPending is [delayed.PollPending] over all partitions: of those that are due first.
func PollPending(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, limit int64, noView bool, emptyOK bool) ([]delayed.PendingMessage, error) {
	if len(keys) == 1 {
		return delayed.PollPending(ctx, rdb, keys[0], limit, noView, emptyOK)
	}
	limit = min(limit, delayed.MaxPollPending)
	first, err := PagePending(ctx, rdb, keys, 0, limit, emptyOK)
	if err != nil {
		return nil, err
	}
	wanted := make([]int64, len(keys))
	for _, m := range first {
		wanted[m.Partition]++
	}
	var out []delayed.PendingMessage
	for i, n := range wanted {
		if n == 0 {
			continue
		}
		var found []delayed.PendingMessage
		found, err = delayed.PollPending(ctx, rdb, keys[i], n, noView, emptyOK)
		if out = append(out, found...); err != nil {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b delayed.PendingMessage) int {
		switch {
		case a.Score < b.Score:
			return -1
		case a.Score > b.Score:
			return 1
		}
		return 0
	})
	return out, err
}

// ClearPending is [delayed.ClearPending] of all partitions.
func ClearPending(ctx context.Context, rdb redis.Scripter, keys []wire.Keys) (int64, error) {
	return sum(keys, func(k wire.Keys) (int64, error) { return delayed.ClearPending(ctx, rdb, k) })
}

// sum adds up what f returns for each partition, up to an error.
func sum(keys []wire.Keys, f func(k wire.Keys) (int64, error)) (total int64, err error) {
	for _, k := range keys {
		n, err := f(k)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
