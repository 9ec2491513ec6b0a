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
	const want = `handled over TLS: order A-1
another queue: a PermissionError: true
wrong CA: an UnreachableError: true of an unknown authority: true
wrong server name: true
wrong password: a RefusedError: true
certificate without a key: true
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
