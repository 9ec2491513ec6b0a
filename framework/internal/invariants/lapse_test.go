package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// lapse lets a week pass for the counters of one message, whatever has become of it, and
// offers one that was cancelled again.
func (w *world) lapse() {
	m, ok := one(w, slices.DeleteFunc(slices.Clone(w.all), func(m *message) bool { return m.redriven > 0 }), "which")
	if !ok {
		return
	}
	field := redisson.AttemptsField([]byte(m.body))
	value, err := w.rdb.HGet(w.ctx, w.keys.Attempts, field).Result()
	if err != nil {
		return // it has none
	}
	counts, _, _ := strings.Cut(value, ";")
	w.check(w.rdb.HSet(w.ctx, w.keys.Attempts, field, fmt.Sprintf("%s;000000%016d", counts, w.now()-1)).Err())
	m.delivered, m.failed, m.died, m.over = 0, 0, 0, true
	if w.roll(2, "forget") == 0 {
		w.again(func() error {
			_, err := lease.NewReaper(w.rdb, w.keys, lease.ReaperOptions{}).Forget(w.ctx)
			return err
		})
		if w.rdb.HExists(w.ctx, w.keys.Attempts, field).Val() {
			w.fatalf("%s has the counters %q for ever (I5)", m, value)
		}
	}
	before := len(w.all)
	if m.gone {
		w.offerOne(&message{body: m.body, due: -1, over: true})
	}
	if len(w.all) > before { // it may have been lost
		w.all = slices.DeleteFunc(w.all, func(o *message) bool { return o == m })
	}
}
