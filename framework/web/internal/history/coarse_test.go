package history

import (
	"testing"
	"time"
)

// A long history is drawn with few points, which keep the peaks and do not jump about.
func TestCoarse(t *testing.T) {
	t.Parallel()
	h := New(24*time.Hour, 10*time.Second)
	at := time.Unix(1_700_000_000, 0)
	for i := range 10_000 { // the ring has turned once
		p := Point{At: at.Add(time.Duration(i) * 10 * time.Second), Ready: 1}
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
	h.Add("q", Point{At: at.Add(10_000 * 10 * time.Second)})
	after := h.Coarse("q", 720)
	known := map[Point]bool{}
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

	short := New(2*time.Hour, 10*time.Second)
	for i := range 720 {
		short.Add("q", Point{At: at.Add(time.Duration(i)*10*time.Second + time.Duration(i%7)*time.Millisecond)})
	}
	if got := short.Coarse("q", 720); len(got) != 720 {
		t.Errorf("%d of 720 points", len(got))
	}
}
