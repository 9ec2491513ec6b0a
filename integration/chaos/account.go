package main

import (
	"slices"
	"strings"
	"time"
)

// account is what came of all messages of a row.
type account struct {
	offered, accepted      int
	unknown, unknownLanded int      // outcome unknown, and of those handled
	refused                int      // surely not added
	ghosts                 []string // of those, handled all the same
	handled, duplicated    int
	redelivered            int // started more than once
	lost, left             []string
	dead                   []string // accepted, and in the dead store
	buried                 int      // of those, running when a process was hit: see the crash-loop reason
	unexplained            []string // handled again, though no fault hit who had it before
	early                  int
	earliest               time.Duration
	bound                  int           // duplicates that the faults explain
	recovery, typical      time.Duration // longest, and median of those hit
	waited                 time.Duration // longest of those that were hit unseen, or that no process hit had begun
	hit                    int           // messages that a fault delayed
	gap                    time.Duration // longest time without any handling
	slowest                string        // id of the message that took longest
	together, largest      int           // starts in batches of several, and the largest of those
	struck                 int           // messages in such a batch when a fault hit its holder
}

// earlyTolerance is how far the clock of one Redis, which stands still while it runs a
// batch of commands, may be behind that of another on the same machine.
const earlyTolerance = 5

// places tells where messages that nobody handled are.
type places map[string]string

const placeDead = "dead store"

// settle makes the account. failing tells messages that fail once on purpose: their
// backoff is no recovery.
//
// since is when all processes ran: what was due before had to wait for them. blurred
// tells that a message may be hit before any handler begins it, and more than once, so
// that recovery is that of messages that were begun each time.
func (t *tally) settle(strikes []*strike, where places, since int64, blurred bool, failing func(id string) bool) *account {
	a := &account{}
	var delays []time.Duration
	for _, m := range t.messages {
		if m.offered == 0 {
			continue
		}
		a.count(m, where)
		a.countBatches(m, strikes)
		if where[m.id] == placeDead && slices.ContainsFunc(strikes, func(k *strike) bool { return len(k.procs) > 0 && m.inHand(k) }) {
			a.buried++
		}
		if len(m.finishes) > 1 && !m.explained(strikes) {
			a.unexplained = append(a.unexplained, m.id)
		}
		if !m.handled() || m.accepted == 0 || m.due < since || failing(m.id) {
			continue
		}
		took, hit, begun := recoveryOf(m, strikes)
		if hit {
			a.hit++
			delays = append(delays, took)
		}
		if !begun || m.hitUnseen(strikes) {
			a.waited = max(a.waited, took)
			if blurred {
				continue
			}
		}
		if took > a.recovery {
			a.recovery, a.slowest = took, m.id
		}
	}
	if len(delays) > 0 {
		slices.Sort(delays)
		a.typical = delays[len(delays)/2]
	}
	for _, k := range strikes {
		a.bound += k.held
	}
	a.gap = longestGap(t.finished)
	slices.Sort(a.lost)
	slices.Sort(a.left)
	slices.Sort(a.dead)
	return a
}

func (a *account) count(m *message, where places) {
	a.offered++
	switch {
	case m.accepted > 0:
		a.accepted++
	case m.refused:
		a.refused++
		if len(m.starts) > 0 {
			a.ghosts = append(a.ghosts, m.id)
		}
	default:
		a.unknown++
		if m.handled() {
			a.unknownLanded++
		}
	}
	if len(m.starts) > 1 {
		a.redelivered++
	}
	if m.handled() {
		a.handled++
		a.duplicated += len(m.finishes) - 1
	} else if m.accepted > 0 {
		switch place := where[m.id]; place {
		case "":
			a.lost = append(a.lost, m.id)
		case placeDead:
			a.dead = append(a.dead, m.id)
		default:
			a.left = append(a.left, m.id+" in "+place)
		}
	}
	if len(m.starts) > 0 && m.starts[0].at < m.due-earlyTolerance {
		a.early++
		a.earliest = max(a.earliest, time.Duration(m.due-m.starts[0].at)*time.Millisecond)
	}
}

// countBatches looks at the batches of several in which a message began.
func (a *account) countBatches(m *message, strikes []*strike) {
	for _, s := range m.starts {
		if s.batch > 1 {
			a.together++
			a.largest = max(a.largest, s.batch)
		}
	}
	if slices.ContainsFunc(strikes, m.batchInHand) {
		a.struck++
	}
}

// recoveryOf is how long a message waited to be handled: from when it was due, or from
// the last fault that hit it. A fault of a process hits what that process has in hand;
// a fault of the server hits everything until it is healed.
func recoveryOf(m *message, strikes []*strike) (took time.Duration, hit, begun bool) {
	end := m.finishes[0].at
	from := max(m.due, m.accepted)
	for _, k := range strikes {
		if k.at >= end {
			continue
		}
		switch {
		case k.outage && k.healed >= from:
			from, hit = min(k.healed, end), true
		case len(k.procs) > 0 && m.inHand(k):
			hit, begun = hit || !slices.Contains(k.procs, m.finishes[0].proc), true
			from = max(from, k.at)
		}
	}
	return time.Duration(end-from) * time.Millisecond, hit, begun
}

// hitUnseen tells whether more processes had died with the message, when it was begun
// for the last time, than the ledger knows: one may die with what it has not begun.
func (m *message) hitUnseen(strikes []*strike) bool {
	var last touch
	for _, s := range m.starts {
		if s.at <= m.finishes[0].at && s.proc == m.finishes[0].proc {
			last = s
		}
	}
	seen := 0
	for _, k := range strikes {
		if len(k.procs) > 0 && k.at < last.at && m.inHand(k) {
			seen++
		}
	}
	return last.died > seen
}

// inHand tells whether a process that the fault hit had begun the message and not
// finished it.
func (m *message) inHand(k *strike) bool {
	for _, s := range m.starts {
		if s.at > k.at || !slices.Contains(k.procs, s.proc) {
			continue
		}
		finished := slices.ContainsFunc(m.finishes, func(f touch) bool { return f.proc == s.proc && f.at <= k.at })
		if !finished {
			return true
		}
	}
	return false
}

// batchInHand tells whether a process that the fault hit had begun the message in a batch
// of several and not finished it. A fault of the server hits all processes.
func (m *message) batchInHand(k *strike) bool {
	for _, s := range m.starts {
		if s.batch < 2 || s.at > k.at || len(k.procs) > 0 && !slices.Contains(k.procs, s.proc) {
			continue
		}
		over := func(f touch) bool { return f.proc == s.proc && f.at >= s.at && f.at <= k.at }
		if !slices.ContainsFunc(m.finishes, over) && k.at-s.at < batchTime {
			return true
		}
	}
	return false
}

// batchTime is more than a batch takes: one that began longer ago has failed.
const batchTime = 500

// ackTime is how long after it was handled a message may come again because a fault hit:
// acks leave within 5 s at most, and processes that were paused go on with what they had.
const ackTime = 5000

// explained tells whether a fault hit somebody who had the message in hand, or had just
// handled it, before it was handled again.
func (m *message) explained(strikes []*strike) bool {
	again := m.finishes[1].at
	for _, k := range strikes {
		if k.held == 0 || k.at > again {
			continue
		}
		for _, s := range m.starts {
			if (len(k.procs) == 0 || slices.Contains(k.procs, s.proc)) &&
				s.at <= max(k.at, k.healed)+ackTime && s.at >= k.at-ackTime {
				return true
			}
		}
	}
	return false
}

func longestGap(finished []int64) time.Duration {
	slices.Sort(finished)
	var gap int64
	for i := 1; i < len(finished); i++ {
		gap = max(gap, finished[i]-finished[i-1])
	}
	return time.Duration(gap) * time.Millisecond
}

// sample shows a few of many.
func sample(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + ", …"
}
