package main

import (
	"strings"
	"testing"
	"time"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	const want = `UNPAID: order A-100 (NEW, id 42, created 2023-11-14 22:13:20) is to be paid before 2024-02-29T12:30:00
  2 × tea at 12.50
Go writes 163 bytes; the same as Java: true
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
