package main

import (
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := demo(t.Context(), &out, ""); err != nil {
		t.Fatal(err)
	}
	const want = `from Java 3.18 (River): order A-1 of 129900 cents
from Java 4.x (Kryo 5): order B-2 of 250 cents
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
