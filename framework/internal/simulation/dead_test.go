//go:build simulation

package simulation

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/handlers"
)

// crashLoop is after how many deaths of its processes a message is given up.
const crashLoop = 3

// died judges a message that was given up: expired it may not be, since MaxLateness is more
// than what faults hold a message up, and no attempt that did not fail may be counted, nor a
// death that did not happen.
func (l *ledger) died(q *queue, e redis.XMessage) {
	text := func(name string) string { s, _ := e.Values[name].(string); return s }
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead++
	m, name := l.who(q, text("body"), text("id")), q.Code()+" "+text("id")
	if m != nil {
		m.buried, name = true, m.String()
	}
	failed, err := strconv.Atoi(text("failed"))
	if err != nil || m != nil && failed > m.failures {
		l.findLocked("%s is dead after %q failures", name, text("failed"))
	}
	reason := text("reason")
	switch reason {
	case handlers.ReasonExpired:
		l.findLocked("%s expired, due %s", name, text("due"))
	case handlers.ReasonExhausted:
		if limit := q.Policy().MaxAttempts; failed != limit {
			l.findLocked("%s is dead after %d failures, and may fail %d times", name, failed, limit)
		}
	case handlers.ReasonCrashLoop:
		if deaths, err := strconv.Atoi(text("died")); err != nil || deaths < crashLoop {
			l.findLocked("%s is dead after %q deaths", name, text("died"))
		}
		if m != nil && m.kind != poison && !q.equal && !l.diedWithLocked(m) {
			l.findLocked("%s is dead as what kills processes, and none died with it", name)
		}
	}
	if m != nil && m.kind == poison && reason != handlers.ReasonCrashLoop {
		l.findLocked("%s is dead as %s", name, reason)
	}
}

// settling is for how long after its handler's end a message may still be in flight: its end
// is told with others, and the telling takes a while.
const settling = time.Second

// diedWithLocked is whether a process that had begun a message died before Redis knew its end,
// or may have lost its lease since.
func (l *ledger) diedWithLocked(m *message) bool {
	for proc := range m.began {
		if !l.killed[proc].IsZero() {
			return true
		}
	}
	for proc, at := range m.ended {
		if killed := l.killed[proc]; !killed.IsZero() && killed.Sub(at) < settling {
			return true
		}
	}
	if len(m.starts) == 0 {
		return false
	}
	last := m.starts[len(m.starts)-1].Add(-leaseTime)
	return slices.ContainsFunc(l.troubles, func(t trouble) bool { return !t.end.Before(last) && !strings.HasPrefix(t.what, killOf) })
}

// poisonedLocked judges that a poisoned message begins once more: it may kill three processes,
// and three more where it was redriven, or where the count of its deaths was lost.
func (l *ledger) poisonedLocked(m *message) {
	lives := 1
	for _, at := range l.redrives[m.q.Code()] {
		if at.After(m.offered) {
			lives++
		}
	}
	for _, t := range l.troubles {
		if t.begin.After(m.offered) && (strings.HasPrefix(t.what, rollback) || strings.HasPrefix(t.what, deletion)) {
			lives++
		}
	}
	if allowed := crashLoop * lives; len(m.starts) > allowed {
		l.findLocked("%s kills process number %d, and may kill %d", m, len(m.starts), allowed)
	}
}

// redriven notes that dead messages of a queue are offered again.
func (l *ledger) redriven(q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redrives[q.Code()] = append(l.redrives[q.Code()], time.Now())
}
