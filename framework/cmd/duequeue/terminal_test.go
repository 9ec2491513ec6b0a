package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// A payload and an error of the whole program.
func TestProgramDoesNotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"decode", "-codec", "string", "-in", "raw", "-"}, strings.NewReader("x\u009b31m\u202ey"), &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	_ = run(t.Context(), []string{"no\x1b[2Jsuch"}, strings.NewReader(""), io.Discard, &errs)
	for _, bad := range []string{"\u009b", "\u202e", "\x1b"} {
		if strings.Contains(out.String()+errs.String(), bad) {
			t.Errorf("%q in %q %q", bad, out.String(), errs.String())
		}
	}
}
