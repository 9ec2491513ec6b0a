package framework

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/handlers"
)

// DeadMessage is a dead letter: one entry of a queue's dead store.
type DeadMessage struct {
	Entry     string    // the entry's id in the stream
	Reason    string    // one of the Reason constants of handlers
	Detail    string    // the error, or what is wrong
	Body      []byte    // as it lay in Redis
	Digest    string    // of the body: the same for equal payloads
	ID        ID        // of the message, messaging.message.id in traces; "" if it has none
	Due       time.Time // zero if unknown
	Offered   time.Time // when Go offered it, by the producer's clock; zero if unknown
	At        time.Time // when it was given up, by the clock of Redis
	Delivered int       // hand-outs
	Failed    int       // failures
	Died      int       // processes that died with it

	// Redriven is how often it was put back before it died this time. Deaths are the earlier
	// times it died: the first one and the latest seven.
	Redriven int
	Deaths   []handlers.Death
}

// DeadView shows the dead letters of a queue. In all its methods a limit of zero is no
// limit. To decode a message, call Decode of the registry's queue: queue.Decode(m.Body).
type DeadView struct {
	client *Client
	target *target
	err    error // of the queue; each method returns it
}

// Dead returns the view of the dead letters.
func (q *Queue[T]) Dead() DeadView {
	t, err := q.target()
	if err != nil {
		return DeadView{err: err}
	}
	return DeadView{client: q.client, target: t}
}

// Page lists up to limit entries after the given one, oldest first; "" begins at the
// oldest. It changes nothing.
func (v DeadView) Page(ctx context.Context, after string, limit int64) ([]DeadMessage, error) {
	if v.err != nil {
		return nil, v.err
	}
	w := &deadWalk{view: v, from: "-", to: "+", size: firstDeadPage}
	if after != "" {
		w.from = "(" + after
	}
	var out []DeadMessage
	for left := unlimited(limit); left > 0; {
		page, err := w.next(ctx, min(left, maxDeadPage))
		if err != nil || len(page) == 0 {
			return out, err
		}
		out, left = append(out, page...), left-int64(len(page))
	}
	return out, nil
}

// Get returns one entry, or [fault.ErrNoEntry].
func (v DeadView) Get(ctx context.Context, entry string) (DeadMessage, error) {
	if v.err != nil {
		return DeadMessage{}, v.err
	}
	found, err := v.read(ctx, entry, entry, 1)
	if err == nil && (len(found) == 0 || found[0].Entry != entry) { // half an id finds the first of its ms
		err = fmt.Errorf("%w: %s", fault.ErrNoEntry, entry)
	}
	if err != nil {
		return DeadMessage{}, err
	}
	return found[0], nil
}

// Drop deletes entries for good, and returns how many there were.
func (v DeadView) Drop(ctx context.Context, entries ...string) (int64, error) {
	if v.err != nil || len(entries) == 0 {
		return 0, v.err
	}
	n, err := v.client.rdb.XDel(ctx, v.target.Keys.Dead, entries...).Result()
	return n, rediserr.Classify("xdel", err)
}

func (v DeadView) read(ctx context.Context, from, to string, limit int64) ([]DeadMessage, error) {
	entries, err := v.client.rdb.XRangeN(ctx, v.target.Keys.Dead, from, to, limit).Result()
	if err != nil {
		return nil, rediserr.Classify("xrange", err)
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
		ID: ID(text("id")), Due: moment("due"), Offered: engine.OfferedAt(text("id")), At: moment("at"),
		Delivered: count("delivered"), Failed: count("failed"), Died: count("died"),
	}
	m.Redriven, m.Deaths = engine.HistoryOf(text("history"))
	return m
}
