package engine

import (
	"testing"
	"time"
)

func TestNeedsToStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		timeout, stop time.Duration
		share         float64
		want          time.Duration
	}{
		{time.Minute, 15 * time.Second, 0.8, 80 * time.Second},
		{12 * time.Second, 15 * time.Second, 0.8, 0},
		{12*time.Second + 1, 15 * time.Second, 0.8, 21 * time.Second},
		{time.Minute, 80 * time.Second, 0.8, 0}, // what was asked for is enough
		{15 * time.Second, 15 * time.Second, 1, 21 * time.Second},
		{0, 15 * time.Second, 0.8, 0},
		{-1, 15 * time.Second, 0.8, 0},
		{time.Minute, 0, 0.8, 80 * time.Second},
	} {
		if got := needsToStop(c.timeout, c.stop, c.share); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
