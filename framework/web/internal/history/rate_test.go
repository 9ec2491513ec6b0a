package history

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A process that appears, disappears or starts again is no throughput.
func TestRate(t *testing.T) {
	t.Parallel()
	h := New(time.Hour, time.Second)
	began := time.Unix(1_700_000_000, 0)
	said := func(process string, after time.Duration, handled uint64) Said {
		return Said{process, began.Add(after), handled}
	}
	for _, c := range []struct {
		name string
		all  []Said
		want float32
	}{
		{"no process", nil, 0},
		{"one that has worked for long appears", []Said{said("a", 0, 1_000_000)}, 0},
		{"nothing new", []Said{said("a", 0, 1_000_000)}, 0},
		{"it says more", []Said{said("a", 20*time.Second, 1_000_100)}, 5},
		{"a reading between two of its words", []Said{said("a", 20*time.Second+20*time.Millisecond, 1_000_100)}, 5},
		{"too soon after the last", []Said{said("a", 20*time.Second+500*time.Millisecond, 1_000_150)}, 5},
		{"what came then counts later", []Said{said("a", 40*time.Second, 1_000_300)}, 10},
		{"another appears", []Said{said("a", 40*time.Second, 1_000_300), said("b", 41*time.Second, 7_000)}, 10},
		{"both work", []Said{said("a", 60*time.Second, 1_000_500), said("b", 61*time.Second, 7_020)}, 11},
		{"the first is gone", []Said{said("b", 61*time.Second, 7_020)}, 1},
		{"it is back", []Said{said("a", 90*time.Second, 2_000_000), said("b", 81*time.Second, 7_020)}, 0},
		{"it counts from 0 again", []Said{said("a", 110*time.Second, 3)}, 0},
		{"and goes on", []Said{said("a", 120*time.Second, 23)}, 2},
	} {
		if got := h.Rate("q", c.all); got != c.want {
			t.Errorf("%s: %v messages a second, want %v", c.name, got, c.want)
		}
	}
}

// Whatever processes say, the rate is no less than 0 and no more than they can have handled.
func TestRateIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := New(time.Hour, time.Second)
		now := time.Unix(1_700_000_000, 0)
		handled := map[string]uint64{}
		const most = 100 // messages a second
		for range rapid.IntRange(1, 30).Draw(t, "readings") {
			passed := rapid.IntRange(1, 60).Draw(t, "seconds")
			now = now.Add(time.Duration(passed) * time.Second)
			var all []Said
			for _, p := range []string{"a", "b", "c"} {
				if rapid.Bool().Draw(t, "restarts") {
					handled[p] = 0
				}
				handled[p] += uint64(rapid.IntRange(0, most*passed).Draw(t, "handled"))
				if rapid.Bool().Draw(t, "seen") {
					all = append(all, Said{p, now, handled[p]})
				}
			}
			if got := h.Rate("q", all); got < 0 || got > most*float32(len(all))*1.001 || math.IsNaN(float64(got)) {
				t.Fatalf("%v messages a second of %d processes", got, len(all))
			}
		}
	})
}

// Queues beyond the bound have no throughput, and take no memory.
func TestRateOfTooManyQueues(t *testing.T) {
	t.Parallel()
	h := New(time.Hour, time.Second)
	for i := range Most {
		h.Add(string(rune('a'+i)), Point{})
	}
	if got := h.Rate("one more", []Said{{"a", time.Now(), 1}}); got != 0 || len(h.queues) != Most {
		t.Errorf("%v messages a second, %d queues", got, len(h.queues))
	}
}
