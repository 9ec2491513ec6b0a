package chance

import (
	"slices"
	"testing"
	"time"
)

func TestSeedRepeatsDraws(t *testing.T) {
	draw := func() (out []time.Duration) {
		defer Seed(7)()
		for range 100 {
			d := Below(time.Second)
			if f := Float64(); d < 0 || d >= time.Second || f < 0 || f >= 1 {
				t.Fatalf("drew %v and %v", d, f)
			}
			out = append(out, d)
		}
		return out
	}
	first := draw()
	if !slices.Equal(first, draw()) {
		t.Error("a seed does not repeat its draws")
	}
	if slices.Equal(first, []time.Duration{Below(time.Second)}) || Below(0) != 0 || Below(-1) != 0 {
		t.Error("wrong bounds")
	}
}
