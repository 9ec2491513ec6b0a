package main

import (
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	const want = `A-1 handled, attempt 3, redelivered: true
A-2 handled, attempt 1, redelivered: false
A-3 handled, attempt 1, redelivered: false
A-1: cancelled
A-2: cancelled
A-3: was paid, nothing to do
pieces back in stock: 2
asked for 4 refunds, paid out 2
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
