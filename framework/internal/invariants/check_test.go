package invariants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// look compares Redis with the model; it is asked after each step.
func (w *world) look() {
	w.lookReady()
	w.lookPending()
	w.lookHeld()
	w.entries()
	w.lookCounters()
}

func (w *world) lookReady() {
	var want []string
	for _, m := range w.queue {
		want = append(want, m.body)
	}
	if got := w.rdb.LRange(w.ctx, w.keys.Queue, 0, -1).Val(); !slices.Equal(got, want) {
		w.fatalf("ready %q, want %q (I1, I4, I7)", got, want)
	}
}

// lookPending compares the delayed structures, and learns the ids that others drew.
func (w *world) lookPending() {
	found := w.rdb.ZRangeWithScores(w.ctx, w.keys.Timeout, 0, -1).Val()
	want := w.at(pending)
	if len(found) != len(want) {
		w.fatalf("%d are pending, want %v (I1, I2)", len(found), want)
	}
	var elements []string
	for _, z := range found {
		element, _ := z.Member.(string)
		elements = append(elements, element)
		id, body, err := wire.Parse([]byte(element), false)
		i := slices.IndexFunc(want, func(m *message) bool {
			return m.garbage && m.body == element || !m.garbage && err == nil && m.body == string(body)
		})
		if i < 0 {
			w.fatalf("%q is pending (I1, I7)", element)
		}
		m := want[i]
		if m.due == soon {
			m.due, m.id = int64(z.Score), id
		}
		if m.due != int64(z.Score) || !m.garbage && m.id != id {
			w.fatalf("%s is due at %.0f with the id %v (I7)", m, z.Score, id)
		}
	}
	list := w.rdb.LRange(w.ctx, w.keys.Pending, 0, -1).Val()
	slices.Sort(list)
	slices.Sort(elements)
	if !slices.Equal(list, elements) {
		w.fatalf("Java's list has %q, want %q (I1)", list, elements)
	}
}

// lookHeld compares what sessions hold, and checks the slots of all keys.
func (w *world) lookHeld() {
	var flying, onStage []string
	for _, key := range w.rdb.Keys(w.ctx, "*"+w.keys.Queue+"*").Val() {
		if wire.Slot(key) != wire.Slot(w.keys.Queue) {
			w.fatalf("key %q is in another slot (I8)", key)
		}
		switch {
		case strings.HasPrefix(key, "duequeue:stage:"):
			onStage = append(onStage, w.rdb.LRange(w.ctx, key, 0, -1).Val()...)
		case strings.HasPrefix(key, "duequeue:inflight:"):
			session := strings.Split(strings.TrimPrefix(key, "duequeue:inflight:{"+w.keys.Queue+"}:"), ":")[0]
			if _, err := w.rdb.ZScore(w.ctx, w.keys.Sessions, session).Result(); err != nil {
				w.fatalf("%s belongs to no session: %v (I1)", key, err)
			}
			for _, body := range w.rdb.LRange(w.ctx, key, 1, -1).Val() {
				if body == "" || body[0] != 0 { // no tombstone
					flying = append(flying, body)
				}
			}
		}
	}
	for p, got := range map[place][]string{inFlight: flying, staged: onStage} {
		var want []string
		for _, m := range w.at(p) {
			want = append(want, m.body)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			w.fatalf("in flight or staged (%d): %q, want %q (I1, I2, I3)", p, got, want)
		}
	}
}

// entries compares the dead store, and learns the ids of entries.
func (w *world) entries() {
	want := w.at(dead)
	found := w.rdb.XRange(w.ctx, w.keys.Dead, "-", "+").Val()
	if len(found) != len(want) {
		w.fatalf("%d are dead, want %v (I1)", len(found), want)
	}
	for _, e := range found {
		text := func(field string) string { s, _ := e.Values[field].(string); return s }
		i := slices.IndexFunc(want, func(m *message) bool { return m.body == text("body") })
		if i < 0 {
			w.fatalf("%q is dead (I1, I7)", text("body"))
		}
		m := want[i]
		if m.entry == "" {
			m.entry = e.ID
		}
		if m.name == "" {
			m.name = text("id")
		}
		counts := fmt.Sprintf("%d,%d,%d", m.delivered, m.failed, m.died)
		switch got := text("delivered") + "," + text("failed") + "," + text("died"); {
		case m.entry != e.ID || m.reason != text("reason"):
			w.fatalf("%s is dead as %s by %s, want %s by %s (I1)", m, e.ID, text("reason"), m.entry, m.reason)
		case got != counts:
			w.fatalf("%s is dead with %s (I5)", m, got)
		case wire.ParseHistory(text("history")).Redriven != m.redriven:
			w.fatalf("%s is dead with the history %q (I5)", m, text("history"))
		case m.due >= 0 && !m.garbage && text("due") != strconv.FormatInt(m.due, 10):
			w.fatalf("%s was due at %s (I7)", m, text("due"))
		case m.name != "" && text("id") != m.name:
			w.fatalf("%s was %s and is dead as %s (I7)", m, m.name, text("id"))
		case !m.garbage && text("trace") != string(m.trace):
			w.fatalf("%s is dead with the trace %x (I7)", m, text("trace"))
		}
	}
}

func (w *world) lookCounters() {
	held := w.records()
	for _, m := range w.all {
		field := sha1Hex(m.body)
		value, there := held[field]
		delete(held, field)
		counts, history, _ := strings.Cut(value, ";")
		if there {
			history = afterKey(history)
		}
		switch {
		case m.byJava:
		case m.place == dead || m.place == done:
			if there {
				w.fatalf("%s has the counters %q still (I5)", m, value)
			}
		case m.over && m.delivered+m.failed+m.died+m.redriven == 0:
		case !there && m.delivered+m.failed+m.died+m.redriven > 0, there && counts != m.counters():
			w.fatalf("%s has the counters %q (I5)", m, value)
		case wire.ParseHistory(history).Redriven != m.redriven:
			w.fatalf("%s has the history %q (I5)", m, history)
		}
	}
	if len(held) > 0 {
		w.fatalf("counters of nobody: %q (I5)", held)
	}
}

// afterKey returns the history of a record, which stands behind its key.
func afterKey(record string) string {
	n, _ := strconv.Atoi(record[113:117])
	return record[117+n:]
}

// drain handles all there is, and demands that nothing is left (I9).
func (w *world) drain() {
	w.line.lose(nothing)
	for _, s := range w.rdb.ZRange(w.ctx, w.keys.Sessions, 0, -1).Val() {
		w.rdb.ZAddXX(w.ctx, w.keys.Sessions, redis.Z{Score: 1, Member: s})
		_, err := lease.NewReaper(w.rdb, w.keys, lease.ReaperOptions{}).Reap(w.ctx, s)
		w.check(err)
	}
	s, err := lease.New(w.rdb, w.rdb, w.keys, lease.Options{})
	w.check(err)
	left := map[string]int{}
	for _, m := range w.all {
		if m.place != done && !m.cancelled {
			left[m.body]++
		}
	}
	for _, m := range w.at(pending) {
		if m.far {
			_, err = delayed.Reschedule(w.ctx, w.rdb, w.keys, w.named(m), w.now())
			w.check(err)
		}
	}
	for range len(w.all) + 3 { // suspects come alone
		_, err = delayed.Transfer(w.ctx, w.rdb, w.keys, delayed.TransferArgs{})
		w.check(err)
		args := delayed.RedriveArgs{Malformed: true}
		for _, e := range w.rdb.XRange(w.ctx, w.keys.Dead, "-", "+").Val() {
			args.Entries = append(args.Entries, delayed.RedriveEntry{Entry: e.ID})
		}
		_, err = delayed.Redrive(w.ctx, w.rdb, w.keys, args)
		w.check(err)
		b, err := s.Take(w.ctx, 100, nil)
		w.check(err)
		var acks lease.Acks
		for _, m := range b.Messages {
			left[string(m.Body)]--
			acks = append(acks, m.Token)
		}
		_, err = s.Ack(w.ctx, acks)
		w.check(err)
	}
	_, err = s.Close(w.ctx)
	w.check(err)
	for body, n := range left {
		if n != 0 {
			w.fatalf("%s came out %d times more or less than once (I1, I2)", body, n)
		}
	}
	w.lookEmpty()
}

// lookEmpty demands an empty queue without keys, but for what Java left behind.
func (w *world) lookEmpty() {
	allowed, byJava := map[string]bool{}, map[string]bool{}
	for _, m := range w.all {
		if m.byJava {
			byJava[m.body] = true
			allowed[sha1Hex(m.body)] = true
			allowed[wire.Digest([]byte(m.body))] = true
		}
	}
	for _, key := range w.rdb.Keys(w.ctx, "*"+w.keys.Queue+"*").Val() {
		if key == w.keys.Due {
			entries := w.rdb.LRange(w.ctx, key, 0, -1).Val()
			for i, entry := range entries {
				mark := i > 0 && len(entry) == 41 && entry[0] == '-' // behind what Java left
				if !mark && !byJava[entry[41:]] {
					w.fatalf("the due list of the empty queue holds %q (I9)", entry)
				}
			}
			continue
		}
		if key == w.keys.Trace {
			for _, m := range w.rdb.ZRange(w.ctx, key, 0, -1).Val() {
				if !allowed[m[:40]] {
					w.fatalf("the traces of the empty queue hold %q (I9)", m)
				}
			}
			continue
		}
		if strings.HasPrefix(key, "duequeue:dedup:") {
			continue // goes when its window is over
		}
		if key == w.keys.MessageNames {
			for name, field := range w.rdb.HGetAll(w.ctx, key).Val() {
				if !w.rdb.HExists(w.ctx, w.keys.Attempts, field).Val() {
					w.fatalf("the empty queue has the name %q of nothing (I9)", name)
				}
			}
			continue
		}
		if key == w.keys.IDs {
			for _, member := range w.rdb.ZRange(w.ctx, key, 0, -1).Val() {
				if !allowed[member[:40]] {
					w.fatalf("the empty queue has %q in %s (I9)", member, key)
				}
			}
			continue
		}
		if key != w.keys.Attempts && key != w.keys.Trace {
			if n, err := w.rdb.XLen(w.ctx, key).Result(); err == nil && n == 0 {
				continue // a stream without entries stays
			}
			w.fatalf("the empty queue has the key %s (I9)", key)
		}
		if key == w.keys.Attempts {
			for digest := range w.records() {
				if !allowed[digest] {
					w.fatalf("the empty queue knows %s (I9)", digest)
				}
			}
			continue
		}
		for _, field := range w.rdb.HKeys(w.ctx, key).Val() {
			if !allowed[field] {
				w.fatalf("%s of the empty queue has the field %q (I9)", key, field)
			}
		}
	}
}

func compareEntries(a, b string) int {
	var am, an, bm, bn int
	_, _ = fmt.Sscanf(a, "%d-%d", &am, &an)
	_, _ = fmt.Sscanf(b, "%d-%d", &bm, &bn)
	if am != bm {
		return am - bm
	}
	return an - bn
}
