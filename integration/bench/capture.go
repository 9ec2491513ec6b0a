package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// capture is what Redisson left in Redis after it had offered messages with random
// delays: elements with its random ids. Both sides are measured on copies of it.
type capture struct {
	elements []string // in the order of the offers
	delays   []int64  // ms, random
}

const (
	captureSpread = 24 * time.Hour // of the delays
	captureFlight = 256            // offers at a time
	chunk         = 1000           // elements per command
)

// keysOf are the names of Redisson's structures of a queue.
func keysOf(queue string) (timeout, pending, channel string) {
	return "redisson_delay_queue_timeout:{" + queue + "}", "redisson_delay_queue:{" + queue + "}",
		"redisson_delay_queue_channel:{" + queue + "}"
}

// captured lets Redisson offer as many messages as the chosen series need, once.
func (b *bench) captured() (*capture, error) {
	if b.offered != nil {
		return b.offered, nil
	}
	n := b.need
	b.progress("Redisson offers %d messages with random delays", n)
	srv, err := b.startServer()
	if err != nil {
		return nil, err
	}
	defer func() { _ = srv.Stop() }()
	const queue = "capture"
	if _, err = b.java.call("offer-async %s %s %d %d %d %d %d", srv.URL(), queue, n, payloadBytes, captureFlight,
		time.Hour.Milliseconds(), captureSpread.Milliseconds()); err != nil {
		return nil, err
	}
	c := &capture{elements: make([]string, 0, n), delays: make([]int64, 0, n)}
	timeout, pending, _ := keysOf(queue)
	rdb := srv.Client()
	first, err := rdb.ZRangeWithScores(b.ctx, timeout, 0, 0).Result()
	if err != nil {
		return nil, err
	}
	for len(c.elements) < n {
		at := int64(len(c.elements))
		part, err := rdb.LRange(b.ctx, pending, at, at+chunk-1).Result()
		if err != nil {
			return nil, err
		}
		scores, err := rdb.ZMScore(b.ctx, timeout, part...).Result()
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			return nil, fmt.Errorf("only %d of %d messages are in the list of Redisson", len(c.elements), n)
		}
		c.elements = append(c.elements, part...)
		for _, score := range scores {
			c.delays = append(c.delays, int64(score-first[0].Score))
		}
	}
	b.offered = c
	return c, nil
}

// fill makes the first n messages pending in a queue as Redisson's offers would; each
// one is due when due says, in ms. It does not announce them.
func (c *capture) fill(ctx context.Context, rdb *redis.Client, queue string, n int, due func(i int) int64) error {
	timeout, pending, _ := keysOf(queue)
	for from := 0; from < n; from += 10 * chunk {
		pipe := rdb.Pipeline()
		for at := from; at < min(from+10*chunk, n); at += chunk {
			var scored []redis.Z
			var listed []any
			for i := at; i < min(at+chunk, n); i++ {
				scored = append(scored, redis.Z{Score: float64(due(i)), Member: c.elements[i]})
				listed = append(listed, c.elements[i])
			}
			pipe.ZAdd(ctx, timeout, scored...)
			pipe.RPush(ctx, pending, listed...)
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// announce tells all watchers of a queue when the next message is due, as an offer does
// that comes first.
func announce(ctx context.Context, rdb *redis.Client, queue string, dueMs int64) error {
	_, _, channel := keysOf(queue)
	return rdb.Publish(ctx, channel, dueMs).Err()
}

// errLate says that messages were due before all of them were there.
var errLate = errors.New("messages were due before all of them were there: the machine is too busy")

// lead is how long a fill may take, and a rest before the first message is due.
func (b *bench) lead(n int) time.Duration {
	return time.Duration(b.slowness) * (1500*time.Millisecond + time.Duration(n)*10*time.Microsecond)
}

// intime repeats a measurement that filled its queue too late, with more time for it.
func (b *bench) intime(measure func() error) error {
	for {
		err := measure()
		if !errors.Is(err, errLate) || b.slowness >= 16 {
			return err
		}
		b.slowness *= 2
		b.detail("%v; trying with %d times the usual time", err, b.slowness)
	}
}
