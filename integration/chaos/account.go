package main

import (
	"math"
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
	excused                []string      // nowhere, and what a fault may take
	dead                   []string      // accepted, and in the dead store
	buried                 int           // of those, running when a process was hit: see the crash-loop reason
	unexplained            []string      // handled more often than faults reached them
	early                  []string      // started before they were due
	earliest               time.Duration // of those, by how much at most
	bound                  int           // duplicates that the faults explain: what was in their reach
	recovery, typical      time.Duration // longest, and median of those hit
	waited                 time.Duration // longest of those that were hit unseen, or that no process hit had begun
	alone                  time.Duration // longest of suspects, which run alone, one after the other
	lonely                 string        // the id of that one
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

// settle makes the account.
//
// since is when all processes ran: nobody can be late before that. blurred
// tells that a message may be hit before any handler begins it, and more than once, so
// that recovery is that of messages that were begun each time.
func (t *tally) settle(strikes []*strike, where places, since int64, blurred bool) *account {
	a := &account{}
	var delays []time.Duration
	for _, m := range t.messages {
		if m.offered == 0 {
			continue
		}
		a.count(m, where, slices.ContainsFunc(strikes, m.mayBeGone))
		a.countBatches(m, strikes)
		if where[m.id] == placeDead && slices.ContainsFunc(strikes, func(k *strike) bool { return len(k.procs) > 0 && m.inHand(k) }) {
			a.buried++
		}
		a.countReach(m, strikes)
		if !m.handled() || m.accepted == 0 || m.finishes[0].at < since || m.paired || t.skewed && len(m.failures) > 0 {
			continue
		}
		took, hit, begun := recoveryOf(m, strikes, since)
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
		if m.suspect() {
			if took > a.alone {
				a.alone, a.lonely = took, m.id
			}
			continue
		}
		if took > a.recovery {
			a.recovery, a.slowest = took, m.id
		}
	}
	if len(delays) > 0 {
		slices.Sort(delays)
		a.typical = delays[len(delays)/2]
	}
	a.gap = longestGap(t.finished)
	slices.Sort(a.early)
	slices.Sort(a.lost)
	slices.Sort(a.left)
	slices.Sort(a.dead)
	slices.Sort(a.unexplained)
	return a
}

// mayBeGone tells whether the fault may take a message for good: it forgot what was
// offered since it struck, or since the state to which the server fell back.
func (m *message) mayBeGone(k *strike) bool {
	return k.loses && m.accepted >= k.from && m.offered <= k.healed
}

func (a *account) count(m *message, where places, mayBeGone bool) {
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
		switch place := where[m.id]; {
		case place == "" && mayBeGone:
			a.excused = append(a.excused, m.id)
		case place == "":
			a.lost = append(a.lost, m.id)
		case place == placeDead:
			a.dead = append(a.dead, m.id)
		default:
			a.left = append(a.left, m.id+" in "+place)
		}
	}
	if len(m.starts) > 0 && m.starts[0].at < m.due-earlyTolerance && !m.paired {
		a.early = append(a.early, m.id)
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

// backoff is the longest that a message waits after its first failure, see role.queue.
const backoff = 200

// recoveryOf is how long a message waited to be handled, at most: from when it was due,
// or from the last fault that hit it; and once more from each failure on purpose, less
// its backoff. A fault of a process hits what that process has in hand; a fault of the
// server hits everything until it is healed.
func recoveryOf(m *message, strikes []*strike, since int64) (took time.Duration, hit, begun bool) {
	first := m.finishes[0]
	base, pause := max(m.due, m.wanted, m.accepted, since), int64(0)
	for _, end := range append(slices.Clone(m.failures), first.at) {
		if end < since || end > first.at { // nobody can be late yet, or it is of somebody who had lost it
			continue
		}
		from := base
		for _, k := range strikes {
			if k.at >= end {
				continue
			}
			switch {
			case (k.outage || k.late && !m.begunWithin(base, k.healed)) && k.healed >= from:
				from, hit = min(k.healed, end), true
			case len(k.procs) > 0 && m.inHand(k):
				hit, begun = hit || !slices.Contains(k.procs, first.proc), true
				from = max(from, k.at)
			}
		}
		took = max(took, time.Duration(end-min(from+pause, end))*time.Millisecond)
		base, pause = end, backoff
	}
	return took, hit, begun
}

// suspect tells whether two processes had died with the message before it was begun for the
// last time: then it waited for its turn to run alone.
func (m *message) suspect() bool {
	return slices.ContainsFunc(m.starts, func(s touch) bool { return s.at <= m.finishes[0].at && s.died >= 2 })
}

// begunWithin tells whether anybody began the message in that time.
func (m *message) begunWithin(after, until int64) bool {
	return slices.ContainsFunc(m.starts, func(s touch) bool { return s.at > after && s.at <= until })
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
// finished it. A failure may not have reached Redis yet.
func (m *message) inHand(k *strike) bool {
	for i, s := range m.starts {
		if !k.hits(s.proc) || s.at > k.at {
			continue
		}
		if over := m.endOf(i); over > k.at || s.failed && over+ackTime > k.at {
			return true
		}
	}
	return false
}

// batchInHand tells whether a process that the fault hit had begun the message in a batch
// of several and not finished it.
func (m *message) batchInHand(k *strike) bool {
	for i, s := range m.starts {
		if s.batch > 1 && k.hits(s.proc) && s.at <= k.at && m.endOf(i) > k.at {
			return true
		}
	}
	return false
}

// hits tells whether the fault hits a process: one of the server hits all.
func (k *strike) hits(proc string) bool { return len(k.procs) == 0 || slices.Contains(k.procs, proc) }

// endOf is when a start was over: by its own end or, where its process did not live to
// tell, at the next start.
func (m *message) endOf(i int) int64 {
	switch {
	case m.starts[i].end > 0:
		return m.starts[i].end
	case i+1 < len(m.starts):
		return m.starts[i+1].at
	default:
		return math.MaxInt64 / 2
	}
}

// How long the ack of a handled message may be under way, in ms: it leaves with the next
// take, after 20 ms at the latest; the rest is for a busy machine. While Redis does not
// answer the pauses grow to 5 s, see framework/internal/engine/sessions/acks.go.
const (
	ackTime     = 200
	ackTimeDown = 5000
)

// unsent is until when the ack of each start may have been under way. Where a fault may
// have kept Redis from answering, that is longer.
func (m *message) unsent(strikes []*strike) []int64 {
	out := make([]int64, len(m.starts))
	for i, s := range m.starts {
		end := m.endOf(i)
		out[i] = end + ackTime
		for _, k := range strikes {
			if k.repeats && !k.late && k.healed > k.at && end >= k.at-ackTime && end <= k.healed && k.hits(s.proc) {
				out[i] = max(out[i], k.healed+ackTimeDown)
			}
		}
	}
	return out
}

// inReach tells whether the fault may be why the message is handled again: a process that
// it hit had it in hand while it held, or had handled it with the ack still unsent. A
// server that fell back to an earlier state has forgotten what was done since.
func (m *message) inReach(k *strike, unsent []int64) bool {
	from := k.at
	if k.from > 0 {
		from = k.from
	}
	for i, s := range m.starts {
		if s.at <= max(k.at, k.healed) && unsent[i] >= from && k.hits(s.proc) {
			return true
		}
	}
	return false
}

// countReach counts the faults in whose reach the message was, and looks whether they are
// as many as its repetitions. Each fault explains one.
func (a *account) countReach(m *message, strikes []*strike) {
	unsent := m.unsent(strikes)
	var reached []int64
	for _, k := range strikes {
		if k.repeats && m.inReach(k, unsent) {
			reached = append(reached, k.at)
		}
	}
	a.bound += len(reached)
	slices.Sort(reached)
	for i, again := range m.finishes[min(1, len(m.finishes)):] {
		if i >= len(reached) || reached[i] > again.at {
			a.unexplained = append(a.unexplained, m.id)
			return
		}
	}
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
