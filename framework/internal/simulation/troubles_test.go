//go:build simulation

package simulation

import (
	"fmt"
	"slices"
	"time"
)

// trouble is a fault, and until when it lasts.
type trouble struct {
	what  string
	begin time.Time
	end   time.Time
}

// jumped is what the server's clock was ahead from a moment on.
type jumped struct {
	at    time.Time
	ahead time.Duration
}

// struck notes a fault that may hold messages up until a moment.
func (l *ledger) struck(what string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles = append(l.troubles, trouble{what, time.Now(), until})
}

// Faults that the ledger must know, by how they begin.
const (
	killOf   = "kill of "
	rollback = "rollback to "
	deletion = "deletion of "
)

// kills notes the death of a process.
func (l *ledger) kills(proc string) {
	l.struck(killOf+proc, time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed[proc] = time.Now()
}

// calmFor is whether no fault was under way for so long.
func (l *ledger) calmFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now().Add(-d)
	for _, t := range l.troubles {
		if t.end.After(since) {
			return false
		}
	}
	return true
}

// lastTrouble is when the last fault was over.
func (l *ledger) lastTrouble() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.began
	for _, t := range l.troubles {
		if t.end.After(last) {
			last = t.end
		}
	}
	return last
}

// recent lists the last faults around a moment.
func (l *ledger) recent(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, t := range l.troubles[max(0, len(l.troubles)-n):] {
		out = append(out, fmt.Sprintf("%s %s until %s", t.begin.Format("15:04:05.000"), t.what, t.end.Format("15:04:05.000")))
	}
	slices.Reverse(out)
	return out
}

// passedLocked is when the server's clock showed a due time first, not before a moment; or
// last, since what was due is not any more where the clock goes back.
func (l *ledger) passedLocked(due, from time.Time, last bool) (passed time.Time) {
	at, ahead, i := from, time.Duration(0), 0
	for {
		for i < len(l.jumps) && !l.jumps[i].at.After(at) {
			ahead = l.jumps[i].ahead
			i++
		}
		if reached := due.Add(-ahead); reached.After(at) || passed.IsZero() {
			if passed = reached; passed.Before(at) {
				passed = at
			}
		}
		if i >= len(l.jumps) || !last && passed.Before(l.jumps[i].at) {
			return passed
		}
		if at = l.jumps[i].at; !passed.Before(at) {
			passed = time.Time{} // it had not shown it before this jump
		}
	}
}

// jump notes what the server's clock is ahead from now on.
func (l *ledger) jump(ahead time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jumps = append(l.jumps, jumped{time.Now(), ahead})
}
