package admin

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/control"
)

// Rows wait where processes have written some for minutes since a relay looked. An outbox that no one
// writes any more says nothing.
func TestOutboxWithoutRelay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, row := range map[string]struct {
		written, relayed time.Time
		waits            time.Duration
		never            bool
	}{
		"none":                       {},
		"a relay alone":              {relayed: ago(time.Second)},
		"both":                       {written: ago(time.Second), relayed: ago(29 * time.Second)},
		"a relay that died just now": {written: ago(time.Second), relayed: ago(90 * time.Second)},
		"no relay any more":          {written: ago(time.Second), relayed: ago(26 * time.Minute), waits: 26 * time.Minute},
		"never a relay":              {written: ago(time.Minute), waits: time.Minute, never: true},
		"both ended":                 {written: ago(time.Hour), relayed: ago(time.Hour)},
		"long ago":                   {written: ago(8 * 24 * time.Hour)},
	} {
		q := QueueStatus{}
		q.outbox(control.Settings{OutboxWritten: row.written, OutboxRelayed: row.relayed}, now)
		if q.OutboxFor != row.waits || q.OutboxNever != row.never {
			t.Errorf("%s: %v %v", name, q.OutboxFor, q.OutboxNever)
		}
	}
}
