package words

import (
	"fmt"
	"time"
)

var units = []struct {
	name string
	time.Duration
}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}

// Span is a length of time in its largest unit, and below ten of these in its two largest ones,
// rounded down: "250 ms", "1 min 30 s", "24 min".
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Span(-d)
	case d > 0 && d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	for i, u := range units {
		n := d / u.Duration
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", n, u.name)
		if i+1 < len(units) && n < 10 {
			next := units[i+1]
			if m := d % u.Duration / next.Duration; m > 0 {
				text += fmt.Sprintf(" %d %s", m, next.name)
			}
		}
		return text
	}
	return "0 s"
}
