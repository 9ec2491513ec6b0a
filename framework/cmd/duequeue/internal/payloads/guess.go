package payloads

import (
	"fmt"
	"io"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/decoding"
)

// printRest says that bytes follow the value, with codecs that do not look at them.
func (r *result) printRest(w io.Writer) {
	if err := r.Rest(); err != nil {
		fmt.Fprintf(w, "duequeue: bytes follow the value, which Java ignores: another codec may have written them (%v)\n", err)
	}
}

// printGuess says which codec was taken, why, and which others there are.
func printGuess(g *decoding.Guess, w io.Writer) {
	if g == nil {
		return
	}
	fmt.Fprintf(w, "duequeue: read as %s (%s): %s\n", g.Taken.Codec, g.Taken.Confidence, g.Taken.Why)
	if len(g.Others) == 0 {
		return
	}
	names := make([]string, len(g.Others))
	for i, o := range g.Others {
		names[i] = fmt.Sprintf("%s (%s)", o.Codec, o.Confidence)
	}
	fmt.Fprintf(w, "duequeue: it may also be %s: -codec NAME says which\n", strings.Join(names, ", "))
}
