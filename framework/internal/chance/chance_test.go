package chance

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// draws is never inlined: where a draw is asked for is part of it.
//
//go:noinline
func draws(t *testing.T, seed uint64, before int) (out []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer Seed(seed)()
		for range before { // what others draw at other moments changes nothing
			Below(time.Hour)
		}
		for range 100 {
			<-time.After(time.Millisecond)
			d := Below(time.Second)
			if f := Float64(); d < 0 || d >= time.Second || f < 0 || f >= 1 {
				t.Fatalf("drew %v and %v", d, f)
			}
			out = append(out, d, Below(time.Second))
		}
	})
	return out
}

func TestSeedRepeatsDraws(t *testing.T) {
	first := draws(t, 7, 0)
	if !slices.Equal(first, draws(t, 7, 3)) {
		t.Error("a seed does not repeat its draws")
	}
	if slices.Equal(first, draws(t, 8, 0)) || first[0] == first[1] || first[0] == first[2] {
		t.Error("draws are alike that should not be")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	if Below(0) != 0 || Below(-1) != 0 || Below(1) != 0 {
		t.Error("out of bounds")
	}
	if d := Jitter(time.Second); d < time.Second/2 || d > time.Second {
		t.Error(d)
	}
	if a, b := Hex(), Hex(); len(a) != 16 || a == b {
		t.Error(a, b)
	}
}
