package framework

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// DeadMessage is one entry of a queue's dead store.
type DeadMessage struct {
	Entry     string    // the entry's id in the stream
	Reason    string    // one of the Reason constants
	Detail    string    // the error, or what is wrong
	Body      []byte    // as it lay in Redis
	Digest    string    // of the body: the same for equal payloads
	ID        ID        // that of its offer, messaging.message.id in traces; "" where it has none
	Due       time.Time // zero where unknown
	Offered   time.Time // when Go offered it, by the producer's clock; zero where unknown
	At        time.Time // when it was given up, by the clock of Redis
	Delivered int       // hand-outs
	Failed    int       // failures
	Died      int       // processes that died with it

	// Redriven is how often it had been put back before it died this time, and Deaths
	// the times it died then: the first one and the latest seven.
	Redriven int
	Deaths   []handlers.Death
}

// DeadMessages lists up to limit entries of the dead store, oldest first, after
// the entry given; "" begins at the oldest. It changes nothing. [WalkDead] looks for
// certain ones.
func DeadMessages(ctx context.Context, c *Client, q registry.Descriptor, after string, limit int64) ([]DeadMessage, error) {
	t, err := c.target(q)
	if err != nil {
		return nil, err
	}
	start := "-"
	if after != "" {
		start = "(" + after
	}
	return deadRange(ctx, c, t, start, "+", limit)
}

// FindDead returns one entry of the dead store; [ErrNoEntry] where there is none.
func FindDead(ctx context.Context, c *Client, q registry.Descriptor, entry string) (DeadMessage, error) {
	t, err := c.target(q)
	if err != nil {
		return DeadMessage{}, err
	}
	found, err := deadRange(ctx, c, t, entry, entry, 1)
	if err == nil && (len(found) == 0 || found[0].Entry != entry) { // half an id finds the first of its ms
		err = fmt.Errorf("%w: %s", ErrNoEntry, entry)
	}
	if err != nil {
		return DeadMessage{}, err
	}
	return found[0], nil
}

func deadRange(ctx context.Context, c *Client, t *target, from, to string, limit int64) ([]DeadMessage, error) {
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
	m := DeadMessage{
		Entry: e.ID, Reason: text("reason"), Detail: text("detail"), Body: []byte(text("body")), Digest: text("digest"),
		ID: ID(text("id")), Due: moment("due"), Offered: offeredAt(text("id")), At: moment("at"),
		Delivered: count("delivered"), Failed: count("failed"), Died: count("died"),
	}
	m.Redriven, m.Deaths = historyOf(text("history"))
	return m
}

// offeredAt reads from an id when it was made, by the producer's clock.
func offeredAt(id string) time.Time {
	_, element, err := redisson.ParseID(id)
	if err != nil {
		return time.Time{}
	}
	at, _ := element.Offered()
	return at
}

// historyOf reads what is kept of a redriven message.
func historyOf(text string) (redriven int, deaths []handlers.Death) {
	if text == "" {
		return 0, nil
	}
	moment := func(ms int64) time.Time {
		if ms < 0 {
			return time.Time{}
		}
		return time.UnixMilli(ms)
	}
	h := redisson.ParseHistory(text)
	for _, d := range h.Deaths {
		deaths = append(deaths, handlers.Death{
			At: moment(d.AtMs), Redriven: moment(d.RedrivenMs), Reason: d.Reason, Detail: d.Detail,
			Delivered: d.Delivered, Failed: d.Failed, Died: d.Died,
			Due: moment(d.DueMs), Offered: offeredAt(d.ID), ID: d.ID, Entry: d.Entry,
		})
	}
	return h.Redriven, deaths
}
