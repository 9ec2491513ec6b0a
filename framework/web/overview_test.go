package web

import (
	"testing"
	"time"
)

func TestSpanAndCount(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 250 * time.Millisecond: "250 ms", 59900 * time.Millisecond: "59 s", 90 * time.Second: "1 min 30 s",
		time.Hour: "1 h", 25 * time.Hour: "1 d 1 h", 300 * time.Hour: "12 d", 11*time.Minute + 30*time.Second: "11 min",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, not %q", d, got, want)
		}
	}
	for n, want := range map[any]string{0: "0", 1234: "1234", int64(12345): "12\u202f345", -1234567: "-1\u202f234\u202f567", 12345.5: "12\u202f345.5"} {
		if got := count(n); got != want {
			t.Errorf("%v: %q, not %q", n, got, want)
		}
	}
}
