package invariants

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// lapse lets a week pass for the record of one message, whatever has become of it.
func (w *world) lapse() {
	m, ok := one(w, slices.DeleteFunc(slices.Clone(w.all), func(m *message) bool { return m.redriven > 0 || m.bare }), "which")
	if !ok {
		return
	}
	for field, value := range w.rdb.HGetAll(w.ctx, w.keys.Attempts).Val() {
		if counts, rest, _ := strings.Cut(value, ";"); rest[73:113] == sha1Hex(m.body) {
			w.check(w.rdb.HSet(w.ctx, w.keys.Attempts, field, fmt.Sprintf("%s;%016d%s", counts, w.now()-1, rest[16:])).Err())
		}
	}
	if w.record(m) == "" {
		return
	}
	// Its key goes with the record, and its ID unless that is its element's.
	m.delivered, m.failed, m.died, m.hung, m.over, m.name, m.key = 0, 0, 0, 0, true, "", ""
	if w.roll(2, "forget") == 0 {
		w.again(func() error {
			_, err := lease.NewReaper(w.rdb, w.keys, lease.ReaperOptions{}).Forget(w.ctx)
			return err
		})
		if value := w.record(m); value != "" {
			w.fatalf("%s has the record %q for ever (I5)", m, value)
		}
	}
}

// keepName notes the ID that a message was handed out with: from here on it keeps it. Where
// its record was over, a sweep may have taken that, and the ID with it, while the message
// was in hand.
func (m *message) keepName() {
	m.name = m.seen
	if m.over {
		m.name = ""
	}
}

// past gives a ready message counters, as if it had failed and processes had died
// before: what would take long to come about.
func (w *world) past() {
	m, ok := one(w, w.queue, "which")
	if !ok || m.redriven > 0 || m.keyed {
		return
	}
	m.failed, m.died, m.hung = w.roll(3, "failed"), w.roll(3, "died"), w.roll(2, "hung")
	m.delivered = 1 + m.failed + m.died
	w.forget(m)
	id, due, origin := m.id, max(m.due, 0), max(m.due, 1)
	if id.IsZero() {
		id = w.ids.Next()
	}
	if m.name != "" {
		o, err := wire.ParseID(m.name)
		w.check(err)
		origin = o.DueMs
	}
	m.id, m.name = id, wire.FormatID(origin, id)
	digest := sha1Hex(m.body)
	w.check(w.rdb.HSet(w.ctx, w.keys.Attempts, "u"+string(id.Raw[:]), fmt.Sprintf("%s;%016d%016du%016d%s----------------%s0000",
		m.counters(), w.now()+hour, due, origin, id.Raw[:], digest)).Err())
	w.check(w.rdb.ZAdd(w.ctx, w.keys.IDs, redis.Z{Member: digest + string([]byte{byte(255 - m.failed)}) + "u" + string(id.Raw[:])}).Err())
}

// records reads what is known of all messages, by the digest of the payload.
func (w *world) records() map[string]string {
	found := map[string]string{}
	for _, value := range w.rdb.HGetAll(w.ctx, w.keys.Attempts).Val() {
		_, rest, _ := strings.Cut(value, ";")
		if found[rest[73:113]] != "" {
			w.fatalf("two records of one message: %q (I5)", value)
		}
		found[rest[73:113]] = value
	}
	return found
}

func (w *world) record(m *message) string { return w.records()[sha1Hex(m.body)] }

// forget removes the record of a message.
func (w *world) forget(m *message) {
	for field, value := range w.rdb.HGetAll(w.ctx, w.keys.Attempts).Val() {
		if strings.Contains(value, sha1Hex(m.body)) {
			w.check(w.rdb.HDel(w.ctx, w.keys.Attempts, field).Err())
		}
	}
	for _, member := range w.rdb.ZRange(w.ctx, w.keys.IDs, 0, -1).Val() {
		if strings.HasPrefix(member, sha1Hex(m.body)) {
			w.check(w.rdb.ZRem(w.ctx, w.keys.IDs, member).Err())
		}
	}
}

// sha1Hex is how a record of a message names its payload.
func sha1Hex(body string) string {
	sum := sha1.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}
