package trouble

import (
	"testing"
	"time"
)

func TestBackoffDoublesToItsLimit(t *testing.T) {
	t.Parallel()
	b := NewBackoff(100*time.Millisecond, time.Second)
	for range 2 {
		for _, ms := range []int{100, 200, 400, 800, 1000, 1000} {
			top := time.Duration(ms) * time.Millisecond
			if d := b.Next(); d < top/2 || d > top {
				t.Fatalf("pause %v, want %v to %v", d, top/2, top)
			}
		}
		b.Reset()
	}
}
