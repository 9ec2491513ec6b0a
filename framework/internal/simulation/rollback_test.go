//go:build simulation

package simulation

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// rollBack brings back what the server held some seconds before, as a failover does.
func (w *world) rollBack(s step) {
	var before []func(context.Context, redis.Pipeliner)
	var at time.Time
	w.quietly(func() { before, at = w.snapshot(), time.Now() })
	d := between(s.b, 10*time.Millisecond, 8*time.Second)
	w.later(d, func() {
		w.quietly(func() {
			ctx := context.Background()
			_, err := w.eyes.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.FlushAll(ctx)
				for _, put := range before {
					put(ctx, p)
				}
				return nil
			})
			w.check(err)
		})
		for _, q := range w.queues {
			w.resume(q) // a pause that was over may be back
		}
		w.l.rolledBack(at)
		w.net.cut("")
		w.l.struck(rollback+at.Format("15:04:05.000"), time.Now())
	})
}

// rollBackAmidBurst does so while batches are in flight that are partly settled: with one
// slow message in the queue of these, and others that fail once.
func (w *world) rollBackAmidBurst(s step) {
	const slowQueue = 2
	w.offerAll(step{a: s.a&0xff | slowQueue<<8}, 0, append([]kind{slow}, slices.Repeat([]kind{once}, 15)...))
	s.b %= int64(time.Second)
	w.later(between(s.a>>8, 4*time.Millisecond, 30*time.Millisecond), func() { w.rollBack(s) })
}

// snapshot copies all keys.
func (w *world) snapshot() (puts []func(context.Context, redis.Pipeliner)) {
	ctx := context.Background()
	put := func(f func(ctx context.Context, p redis.Pipeliner)) { puts = append(puts, f) }
	for _, key := range w.keys() {
		ttl := w.eyes.PTTL(ctx, key).Val()
		switch w.eyes.Type(ctx, key).Val() {
		case "string":
			value := w.eyes.Get(ctx, key).Val()
			put(func(ctx context.Context, p redis.Pipeliner) { p.Set(ctx, key, value, 0) })
		case "list":
			values := anys(w.eyes.LRange(ctx, key, 0, -1).Val())
			put(func(ctx context.Context, p redis.Pipeliner) { p.RPush(ctx, key, values...) })
		case "set":
			values := anys(w.eyes.SMembers(ctx, key).Val())
			put(func(ctx context.Context, p redis.Pipeliner) { p.SAdd(ctx, key, values...) })
		case "hash":
			values := w.eyes.HGetAll(ctx, key).Val()
			put(func(ctx context.Context, p redis.Pipeliner) { p.HSet(ctx, key, values) })
		case "zset":
			values := w.eyes.ZRangeWithScores(ctx, key, 0, -1).Val()
			put(func(ctx context.Context, p redis.Pipeliner) { p.ZAdd(ctx, key, values...) })
		case "stream":
			for _, m := range w.eyes.XRange(ctx, key, "-", "+").Val() {
				var values []any // a map would come back in another order each time
				for _, name := range slices.Sorted(maps.Keys(m.Values)) {
					values = append(values, name, m.Values[name])
				}
				put(func(ctx context.Context, p redis.Pipeliner) {
					p.XAdd(ctx, &redis.XAddArgs{Stream: key, ID: m.ID, Values: values})
				})
			}
		}
		if ttl > 0 {
			put(func(ctx context.Context, p redis.Pipeliner) { p.PExpire(ctx, key, ttl) })
		}
	}
	return puts
}

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
