package words

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "-1 s", 0: "0 s", 250 * time.Millisecond: "250 ms", 59900 * time.Millisecond: "59 s", 90 * time.Second: "1 min 30 s",
		time.Hour: "1 h", 25 * time.Hour: "1 d 1 h", 300 * time.Hour: "12 d", 11*time.Minute + 30*time.Second: "11 min",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: %q, not %q", d, got, want)
		}
	}
}
