package admin

import (
	"context"
	"hash/maphash"
	"math"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// told is how much of an element tells it from others, together with its length: its ID stands in
// front. Payloads may be very large.
const told = 4 << 10

func hashOf(seed maphash.Seed, beginning string, bytes int) uint64 {
	return maphash.String(seed, beginning) ^ maphash.Comparable(seed, bytes)
}

// list looks at each due time, and compares Java's view, the pending list, with the set
// that decides delivery.
func (q *queue) list(ctx context.Context) error {
	if q.counts.Delayed == 0 && q.counts.View == 0 {
		return nil
	}
	if gone, err := q.halves(ctx); gone || err != nil {
		return err
	}
	if n := max(q.counts.Delayed, q.counts.View); n > q.options.Walk {
		q.tooLong("view", n)
		return nil
	}
	seed := maphash.MakeSeed()
	missing, err := q.pending(ctx, seed)
	if err != nil || q.noView {
		return err
	}
	// What is met in the list is not missing there.
	ghosts := map[uint64]struct{}{}
	for e, err := range delayed.WalkList(ctx, q.rdb, q.keys, told) {
		if err != nil {
			return err
		}
		hash := hashOf(seed, e.Element, e.Bytes)
		delete(missing, hash)
		if !e.Pending {
			ghosts[hash] = struct{}{}
		}
	}
	if len(missing) > 0 {
		// Transfers may since have put entries of the head to the end, see [delayed.WalkList].
		for e, err := range delayed.WalkList(ctx, q.rdb, q.keys, told) {
			if err != nil {
				return err
			}
			delete(missing, hashOf(seed, e.Element, e.Bytes))
		}
	}
	if err := q.ghosts(ctx, int64(len(ghosts))); err != nil {
		return err
	}
	return q.orphans(ctx, seed, missing)
}

// pending returns the pending elements by hash: a collision hides one orphan in 2^64. It
// reports due times that are no whole milliseconds.
func (q *queue) pending(ctx context.Context, seed maphash.Seed) (map[uint64]struct{}, error) {
	held := map[uint64]struct{}{}
	fractions := int64(0)
	for m, err := range delayed.WalkPendingBeginnings(ctx, q.rdb, q.keys, told) {
		if err != nil {
			return nil, err
		}
		held[hashOf(seed, string(m.Element), m.ElementBytes)] = struct{}{}
		if m.Score >= 0 && m.Score < float64(wire.MaxDueMs) && m.Score != math.Trunc(m.Score) {
			fractions++ // others are told by scores
		}
	}
	if fractions > 0 {
		q.add(Finding{
			Check: "scores", Severity: SeverityWarning, Count: fractions,
			Message: count(fractions, "message has", "messages have") + " a due time that is no whole number of milliseconds: while one is the next, Redisson fails every 5 s and moves what is due only then",
			Advice:  "fix the producer that writes them; each is over when it falls due",
		})
	}
	return held, nil
}

func (q *queue) ghosts(ctx context.Context, n int64) (err error) {
	if n == 0 {
		return nil
	}
	f := q.add(Finding{
		Check: "ghosts", Severity: SeverityWarning, Count: n, Fixable: true,
		Message: count(n, "entry of Java's view belongs", "entries of Java's view belong") + " to no pending message: Java's size counts them, and its poll returns them",
		Command: "duequeue doctor -fix " + shellName(q.name),
		Advice:  "this command takes them out; first think of a set that was restored from an older copy (RESTORE): then they are all that is left of messages",
	})
	if q.options.Fix {
		f.Fixed, err = delayed.RemoveGhosts(ctx, q.rdb, q.keys)
	}
	return err
}

// orphans counts what was pending before the list was read, was not met there, and is
// pending still: it was never in the list.
func (q *queue) orphans(ctx context.Context, seed maphash.Seed, missing map[uint64]struct{}) error {
	var n int64
	if len(missing) > 0 {
		for m, err := range delayed.WalkPendingBeginnings(ctx, q.rdb, q.keys, told) {
			if err != nil {
				return err
			}
			if _, ok := missing[hashOf(seed, string(m.Element), m.ElementBytes)]; ok {
				n++
			}
		}
	}
	if n == 0 || q.counts.View == 0 { // the whole list is reported
		return nil
	}
	q.add(Finding{
		Check: "orphans", Severity: SeverityWarning, Count: n,
		Message: count(n, "pending message is", "pending messages are") + " not in Java's view: they are delivered, but Java's size, readAll, contains and remove do not know them",
		Advice:  "look for a producer whose view is off, or for a program that cuts the list; they go as they fall due",
	})
	return nil
}
