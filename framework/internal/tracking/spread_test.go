package tracking

import (
	"testing"
	"time"
)

// Of many processes that hear of a change a few look soon and all others later; one that got
// messages last, or is alone, looks at once.
func TestSpread(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{1, 2, 3, 10, 100, 1000} {
		const rounds = 200
		l := &List{processes: func() int { return processes }}
		soon, most := 0, time.Duration(0)
		for range rounds * processes {
			d := l.spread()
			if most = max(most, d); d <= spreadNear {
				soon++
			}
		}
		switch mean := float64(soon) / rounds; {
		case processes <= standBy && mean < float64(processes), processes > standBy && (mean < standBy-1 || mean > standBy+2):
			t.Errorf("%d processes: %.1f look soon", processes, mean)
		case most > min(time.Duration(processes)*spreadEach, spreadMost):
			t.Errorf("%d processes: one looks after %v", processes, most)
		}
		if l.won = true; processes > 1 && l.spread() > wonMost {
			t.Errorf("%d processes: who got messages waits for more than %v", processes, wonMost)
		}
	}
}
