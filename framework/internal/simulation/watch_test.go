//go:build simulation

package simulation

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	watchEvery = 10 * time.Second
	// calm is how long after a fault the books have to be right again: whoever looks for the
	// dead does so once a lease, or when the next lease ends.
	calm = 12 * leaseTime / 10
	// endedAfter is how late a dead session may be ended: recovery takes 1.2 leases.
	endedAfter = leaseTime / 5
)

// watch judges while faults go on, again and again: what is stuck between two faults may
// come loose by the next one.
func (w *world) watch() {
	if w.l.failed() {
		return
	}
	w.quietly(func() {
		alive := map[string]bool{}
		for _, p := range w.fleet {
			if p.engine.Load() != nil && !p.dead.Load() {
				alive[p.name] = true
			}
		}
		w.l.lookForLate(alive)
		for _, q := range w.queues {
			for _, k := range q.parts() {
				w.newDead(q, k)
				if len(alive) > 0 && w.l.calmFor(calm) {
					w.deadlines(k)
				}
			}
		}
	})
	w.later(watchEvery, w.watch)
}

// deadlines looks at the leases of the sessions of a queue, or of a partition: the dead are ended in time, and no
// lease ends later than one from now, however the clock of the server has jumped.
func (w *world) deadlines(k wire.Keys) {
	sessions, err := w.eyes.ZRangeWithScores(context.Background(), k.Sessions, 0, -1).Result()
	w.check(err)
	now := w.net.clock()
	for _, s := range sessions {
		deadline := time.UnixMilli(int64(s.Score))
		switch late := now.Sub(deadline); {
		case late > endedAfter:
			w.l.find("%s: session %s ended %v ago, and was not given back (1 of %d)", k.Queue, s.Member, late, len(sessions))
			return
		case late < -leaseTime-time.Second:
			w.l.find("%s: the lease of session %s ends in %v", k.Queue, s.Member, -late)
			return
		}
	}
}

// newDead looks at what has come to a dead store since it looked last.
func (w *world) newDead(q *queue, k wire.Keys) {
	from := "-"
	if last := w.lastDead[k.Dead]; last != "" {
		from = "(" + last
	}
	entries, err := w.eyes.XRange(context.Background(), k.Dead, from, "+").Result()
	w.check(err)
	for _, e := range entries {
		w.lastDead[k.Dead] = e.ID
		w.l.died(q, e)
	}
}

// lookForLate finds messages that are late and that no living process has in hand.
func (l *ledger) lookForLate(alive map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		if m.open() && !m.buried && !m.inHand(alive) {
			l.punctualLocked(m, 0)
		}
	}
}

func (m *message) inHand(alive map[string]bool) bool {
	for proc := range m.began {
		if alive[proc] {
			return true
		}
	}
	return false
}
