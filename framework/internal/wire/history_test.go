package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever lies there: it is read as far as it goes, and never panics.
func TestParseHistoryOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`(00000[0-9][0-9]{16})?(00[0-9]{2}[0-9 a-z-]{0,40}){0,3}.{0,5}`).Draw(rt, "text")
		if h := ParseHistory(text); len(h.Deaths) > 0 && h.Redriven < 1 || len(h.Deaths) > len(text)/22 {
			rt.Errorf("%+v", h)
		}
	})
}
