//go:build simulation

package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// javaQueue is the queue that Java shares.
func (w *world) javaQueue() *queue { return w.queues[len(w.queues)-1] }

// javaOffers offers as Redisson does, whose elements have ids of its own.
func (w *world) javaOffers(s step) {
	q := w.javaQueue()
	k := wire.KeysOf(q.Key())
	due := w.net.clock().Add(time.Duration(s.b) % drawDelay(s))
	m := w.l.offering(q, tick, due)
	id := wire.ElementID{Kind: wire.KindFirst}
	for i := range id.Raw {
		id.Raw[i] = byte(s.a>>(5*i)) | 0x80
	}
	element := string(wire.Pack(id, []byte(m.name)))
	w.quietly(func() {
		ctx := context.Background()
		_, err := w.eyes.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.ZAdd(ctx, k.Timeout, redis.Z{Score: float64(due.UnixMilli()), Member: element})
			p.RPush(ctx, k.Pending, element)
			p.Publish(ctx, k.Channel, due.UnixMilli())
			return nil
		})
		w.check(err)
		w.l.offered(m, "", due, nil, false)
	})
}

// javaTransfers moves what is due as Redisson does, which knows none of our keys.
func (w *world) javaTransfers(step) {
	q := w.javaQueue()
	k := wire.KeysOf(q.Key())
	w.quietly(func() {
		ctx := context.Background()
		now := fmt.Sprint(w.net.clock().UnixMilli())
		due := w.eyes.ZRangeArgs(ctx, redis.ZRangeArgs{Key: k.Timeout, ByScore: true, Start: "0", Stop: now, Count: 100}).Val()
		for _, element := range due {
			_, body, err := wire.Parse([]byte(element), false)
			w.check(err)
			_, err = w.eyes.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.RPush(ctx, k.Queue, body)
				p.LRem(ctx, k.Pending, 1, element)
				p.ZRem(ctx, k.Timeout, element)
				return nil
			})
			w.check(err)
		}
	})
}

// javaTakes takes the next one, as take() does.
func (w *world) javaTakes(step) {
	q := w.javaQueue()
	w.quietly(func() {
		w.net.java = append(w.net.java, javaWaits{q.Key(), func(body string) { w.l.taken(q, body) }})
	})
}
