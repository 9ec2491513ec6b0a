package engine

import (
	"strings"
	"testing"
)

// What tells of foreign payloads is the program's: its panic costs no more than its words.
func TestExplain(t *testing.T) {
	t.Parallel()
	told := func(payload []byte, codec string) string { return string(payload) + " beside " + codec }
	for want, c := range map[string]*Client{
		"":               {},
		"x beside kryo5": {Explain: told},
		" ":              {Explain: func([]byte, string) string { panic("no") }},
	} {
		if got := c.explain([]byte("x"), "kryo5"); got != strings.TrimSpace(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
