package framework

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// DeadMessage is a dead letter: one entry of a queue's dead store.
type DeadMessage struct {
	Queue     string    // the queue's code, for OnDead; "" in a DeadView, which knows it
	Entry     string    // the entry's id in the stream, in partitions from 1 on behind the number and a dot
	Reason    string    // one of the Reason constants of handlers
	Detail    string    // the error, or what is wrong
	Body      []byte    // as it was in Redis; DeadView.Beginnings may cut it
	Bytes     int       // of the whole payload
	Digest    string    // of the body: the same for equal payloads
	ID        ID        // of the message, messaging.message.id in traces; "" if it has none
	Key       string    // of its offer; "" without one, or where it is not known
	Due       time.Time // zero if unknown
	Offered   time.Time // when Go offered it, by the producer's clock; zero if unknown
	At        time.Time // when it was given up, by the clock of Redis
	Delivered int       // hand-outs
	Failed    int       // failures
	Died      int       // processes that died with it
	Hung      int       // times that its handler hung, see registry.MaxHangs
	TraceID   string    // of the producer's span, in hex; "" where it was not sampled

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
	return v.page(ctx, limit, partitions.DeadBounds{After: after})
}

// Beginnings is Page with at most so many bytes of each Body, at least one, so that large payloads
// cost little; Bytes is the length of the whole payload. A call stops after about a second, so a
// page may have less than limit. An empty page means that no newer entry exists.
func (v DeadView) Beginnings(ctx context.Context, after string, limit int64, most int) ([]DeadMessage, error) {
	return v.page(ctx, limit, partitions.DeadBounds{After: after, Most: max(most, 1)})
}

func (v DeadView) page(ctx context.Context, limit int64, b partitions.DeadBounds) ([]DeadMessage, error) {
	if v.err != nil {
		return nil, v.err
	}
	w, err := partitions.WalkDead(ctx, v.client.rdb, v.target.of.keys, b)
	if err != nil {
		return nil, err
	}
	var out []DeadMessage
	began := time.Now()
	for left := unlimited(limit); left > 0 && (b.Most == 0 || time.Since(began) < time.Second); {
		page, err := nextDead(ctx, w, left)
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
	found, ok, err := partitions.GetDead(ctx, v.client.rdb, v.target.of.keys, entry)
	switch {
	case err != nil:
		return DeadMessage{}, err
	case !ok:
		return DeadMessage{}, fmt.Errorf("%w: %s", fault.ErrNoEntry, entry)
	}
	return deadMessage(found), nil
}

// Drop deletes entries for good, and returns how many there were.
func (v DeadView) Drop(ctx context.Context, entries ...string) (int64, error) {
	if v.err != nil || len(entries) == 0 {
		return 0, v.err
	}
	return partitions.DropDead(ctx, v.client.rdb, v.target.of.keys, entries)
}

// nextDead returns the following entries of a walk, at most limit; none at the end.
func nextDead(ctx context.Context, w *partitions.DeadWalk, limit int64) ([]DeadMessage, error) {
	page, err := w.Next(ctx, limit)
	out := make([]DeadMessage, len(page))
	for i, e := range page {
		out[i] = deadMessage(e)
	}
	return out, err
}

func deadMessage(e partitions.Letter) DeadMessage {
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
		Entry: e.Text(), Reason: text("reason"), Detail: text("detail"), Body: []byte(text("body")), Bytes: e.Bytes, Digest: text("digest"),
		ID: ID(wire.InPartition(e.Partition, text("id"))), Key: text("key"), Due: moment("due"), Offered: deadstore.OfferedAt(text("id")), At: moment("at"),
		Delivered: count("delivered"), Failed: count("failed"), Died: count("died"), Hung: count("hung"),
	}
	if trace := text("trace"); len(trace) == wire.TraceContextBytes {
		m.TraceID = hex.EncodeToString([]byte(trace[:16]))
	}
	m.Redriven, m.Deaths = deadstore.HistoryOf(text("history"), e.Partition)
	return m
}
