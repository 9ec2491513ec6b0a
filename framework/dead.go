package framework

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// DeadMessage is one entry of a queue's dead store.
type DeadMessage struct {
	Entry     string    // the entry's id in the stream
	Reason    string    // one of the Reason constants
	Detail    string    // the error, or what is wrong
	Body      []byte    // as it lay in Redis
	ID        ID        // "" where unknown
	Due       time.Time // zero where unknown
	At        time.Time // when it was given up, by the clock of Redis
	Delivered int       // hand-outs
	Failed    int       // failures
	Died      int       // processes that died with it
}

// DeadMessages lists up to limit entries of the dead store, oldest first, after
// the entry given; "" begins at the oldest. It changes nothing.
func DeadMessages(ctx context.Context, c *Client, q registry.Descriptor, after string, limit int64) ([]DeadMessage, error) {
	start := "-"
	if after != "" {
		start = "(" + after
	}
	return deadRange(ctx, c, q, start, "+", limit)
}

// FindDead returns one entry of the dead store; [ErrNoEntry] where there is none.
func FindDead(ctx context.Context, c *Client, q registry.Descriptor, entry string) (DeadMessage, error) {
	found, err := deadRange(ctx, c, q, entry, entry, 1)
	if err == nil && (len(found) == 0 || found[0].Entry != entry) { // half an id finds the first of its ms
		err = fmt.Errorf("%w: %s", ErrNoEntry, entry)
	}
	if err != nil {
		return DeadMessage{}, err
	}
	return found[0], nil
}

func deadRange(ctx context.Context, c *Client, q registry.Descriptor, from, to string, limit int64) ([]DeadMessage, error) {
	t, err := c.targetOf(q)
	if err != nil {
		return nil, err
	}
	entries, err := c.rdb.XRangeN(ctx, t.keys.Dead, from, to, limit).Result()
	if err != nil {
		return nil, redisson.Classify("xrange", err)
	}
	out := make([]DeadMessage, len(entries))
	for i, e := range entries {
		out[i] = deadMessage(e)
	}
	return out, nil
}

func deadMessage(e redis.XMessage) DeadMessage {
	text := func(field string) string { s, _ := e.Values[field].(string); return s }
	count := func(field string) int { n, _ := strconv.Atoi(text(field)); return n }
	moment := func(field string) time.Time {
		ms, err := strconv.ParseInt(text(field), 10, 64)
		if err != nil {
			return time.Time{}
		}
		return time.UnixMilli(ms)
	}
	return DeadMessage{
		Entry: e.ID, Reason: text("reason"), Detail: text("detail"), Body: []byte(text("body")), ID: ID(text("id")),
		Due: moment("due"), At: moment("at"), Delivered: count("delivered"), Failed: count("failed"), Died: count("died"),
	}
}
