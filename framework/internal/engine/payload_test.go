package engine

import (
	"strings"
	"testing"
)

// Sixteen bytes at most are shown, readable where they are text.
func TestBeginning(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                          "nothing (they are empty)",
		`{"id":1}`:                  `"{\"id\":1}"`,
		"sixteen bytes and more":    `"sixteen bytes an"`,
		"\x00\x01order":             "hex 00016f72646572",
		"\xf0\x9f\x98\x80 smiles":   "hex f09f988020736d696c6573",
		"tab\tsixteen bytes and on": "hex 746162097369787465656e2062797465",
	} {
		if got := beginning([]byte(body)); got != want {
			t.Errorf("%q: %s, want %s", body, got, want)
		}
	}
}

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
