//go:build simulation

package simulation

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/framework"
)

// postponedMost is how long processes may put a suspect off, one after the other: windows have
// a fifth of a process's time, and in one a handler may run for minutes.
const postponedMost = 10 * time.Minute

// logs reads what a process logs, for the ledger, and passes it on where it is shown.
type logs struct {
	slog.Handler
	l *ledger
}

func (*logs) Enabled(context.Context, slog.Level) bool { return true }

// Handle tells the ledger of each suspect that is put off: nothing else tells when it is due
// again, since no handler saw it.
func (h *logs) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == suspectPostponed {
		var id framework.ID
		var delay time.Duration
		r.Attrs(func(a slog.Attr) bool {
			switch a.Key {
			case "id":
				id = framework.ID(a.Value.String())
			case "delay":
				delay = a.Value.Duration()
			}
			return true
		})
		h.l.postponed(id, delay)
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h *logs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logs{h.Handler.WithAttrs(attrs), h.l}
}

func (h *logs) WithGroup(name string) slog.Handler { return &logs{h.Handler.WithGroup(name), h.l} }

// suspectPostponed is how the engine's line begins and ends. Were it another one, suspects would
// be found late.
const suspectPostponed = "suspect postponed: it must run alone, and the other queues of this process have their time first"

// postponed notes that a message is due again after a delay, by the clock of the server: it was
// in flight in two processes that died, and must run alone.
func (l *ledger) postponed(id framework.ID, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		if m.id != id {
			continue
		}
		l.againLocked(m, delay)
		if m.postponed.IsZero() {
			m.postponed = m.failed
		}
		if since := m.failed.Sub(m.postponed); since > postponedMost+m.q.patience {
			l.findLocked("%s is put off as a suspect for %v", m, since)
		}
	}
}

// TestPostponed: a suspect that is put off may be late by that, not by more, and not for ever.
func TestPostponed(t *testing.T) {
	const kept = 12*leaseTime/10 + tolerance
	for _, row := range []struct {
		name  string
		times int           // how often it is put off, by a minute each
		after time.Duration // since it was due again
		found string
	}{
		{"in time, after two deaths", 0, kept - time.Second, ""},
		{"late, after two deaths", 0, kept + time.Second, "late"},
		{"in time", 1, tolerance - time.Second, ""},
		{"late", 1, tolerance + time.Second, "late"},
		{"again and again", 10, 0, ""},
		{"for ever", 12, 0, "put off as a suspect for 11m0s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, q := newLedger(), newQueues()[1]
				m := &message{q: q, name: "m", id: "1.a", offered: time.Now(), began: map[string]time.Time{}, ended: map[string]time.Time{}}
				l.byName[m.name], l.all = m, append(l.all, m)
				l.offered(m, m.id, time.Now(), nil, false)
				for _, proc := range []string{"p0.1", "p1.1"} {
					l.started(q, m.name, string(m.id), proc)
					l.kills(proc)
				}
				for range row.times {
					l.postponed("1.b", time.Hour) // another one
					l.postponed(m.id, time.Minute)
					<-time.After(time.Minute)
				}
				<-time.After(row.after)
				l.lookForLate(nil)
				found := strings.Join(l.findings, "\n")
				if row.found == "" && found != "" || !strings.Contains(found, row.found) {
					t.Errorf("found %q, want %q", found, row.found)
				}
			})
		})
	}
}
