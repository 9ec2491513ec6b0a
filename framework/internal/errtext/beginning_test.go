package errtext_test

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/errtext"
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
		if got := errtext.Beginning([]byte(body)); got != want {
			t.Errorf("%q: %s, want %s", body, got, want)
		}
	}
}
