package web

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A long history is drawn with few points, which keep the peaks and do not jump about.
func TestCoarse(t *testing.T) {
	t.Parallel()
	h := newHistory(24*time.Hour, 10*time.Second)
	at := time.Unix(1_700_000_000, 0)
	for i := range 10_000 { // the ring has turned once
		p := point{At: at.Add(time.Duration(i) * 10 * time.Second), Ready: 1}
		if i == 7_777 {
			p.Ready, p.Lag = 500, 3
		}
		h.Add("q", p)
	}
	before := h.Coarse("q", 720)
	if n := len(before); n < 700 || n > 721 {
		t.Errorf("%d points", n)
	}
	var ready, lag float32
	for i, p := range before {
		ready, lag = max(ready, p.Ready), max(lag, p.Lag)
		if i > 0 && p.At.Sub(before[i-1].At) > 2*time.Minute {
			t.Errorf("a gap before %v", p.At)
		}
	}
	if ready != 500 || lag != 3 {
		t.Errorf("the peak is lost: %v ready, lag %v", ready, lag)
	}
	h.Add("q", point{At: at.Add(10_000 * 10 * time.Second)})
	after := h.Coarse("q", 720)
	known := map[point]bool{}
	for _, p := range before {
		known[p] = true
	}
	other := 0
	for _, p := range after {
		if !known[p] {
			other++
		}
	}
	if other > 2 { // the oldest and the newest
		t.Errorf("%d points have changed", other)
	}

	short := newHistory(2*time.Hour, 10*time.Second)
	for i := range 720 {
		short.Add("q", point{At: at.Add(time.Duration(i)*10*time.Second + time.Duration(i%7)*time.Millisecond)})
	}
	if got := short.Coarse("q", 720); len(got) != 720 {
		t.Errorf("%d of 720 points", len(got))
	}
}

// A process that appears, disappears or starts again is no throughput.
func TestRate(t *testing.T) {
	t.Parallel()
	h := newHistory(time.Hour, time.Second)
	began := time.Unix(1_700_000_000, 0)
	said := func(process string, after time.Duration, handled uint64) progress {
		return progress{process, began.Add(after), handled}
	}
	for _, c := range []struct {
		name string
		all  []progress
		want float32
	}{
		{"no process", nil, 0},
		{"one that has worked for long appears", []progress{said("a", 0, 1_000_000)}, 0},
		{"nothing new", []progress{said("a", 0, 1_000_000)}, 0},
		{"it says more", []progress{said("a", 20*time.Second, 1_000_100)}, 5},
		{"a reading between two of its words", []progress{said("a", 20*time.Second+20*time.Millisecond, 1_000_100)}, 5},
		{"too soon after the last", []progress{said("a", 20*time.Second+500*time.Millisecond, 1_000_150)}, 5},
		{"what came then counts later", []progress{said("a", 40*time.Second, 1_000_300)}, 10},
		{"another appears", []progress{said("a", 40*time.Second, 1_000_300), said("b", 41*time.Second, 7_000)}, 10},
		{"both work", []progress{said("a", 60*time.Second, 1_000_500), said("b", 61*time.Second, 7_020)}, 11},
		{"the first is gone", []progress{said("b", 61*time.Second, 7_020)}, 1},
		{"it is back", []progress{said("a", 90*time.Second, 2_000_000), said("b", 81*time.Second, 7_020)}, 0},
		{"it counts from 0 again", []progress{said("a", 110*time.Second, 3)}, 0},
		{"and goes on", []progress{said("a", 120*time.Second, 23)}, 2},
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
		h := newHistory(time.Hour, time.Second)
		now := time.Unix(1_700_000_000, 0)
		handled := map[string]uint64{}
		const most = 100 // messages a second
		for range rapid.IntRange(1, 30).Draw(t, "readings") {
			passed := rapid.IntRange(1, 60).Draw(t, "seconds")
			now = now.Add(time.Duration(passed) * time.Second)
			var all []progress
			for _, p := range []string{"a", "b", "c"} {
				if rapid.Bool().Draw(t, "restarts") {
					handled[p] = 0
				}
				handled[p] += uint64(rapid.IntRange(0, most*passed).Draw(t, "handled"))
				if rapid.Bool().Draw(t, "seen") {
					all = append(all, progress{p, now, handled[p]})
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
	h := newHistory(time.Hour, time.Second)
	for i := range mostHistory {
		h.Add(string(rune('a'+i)), point{})
	}
	if got := h.Rate("one more", []progress{{"a", time.Now(), 1}}); got != 0 || len(h.queues) != mostHistory {
		t.Errorf("%v messages a second, %d queues", got, len(h.queues))
	}
}
