package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRuns(t *testing.T) {
	synctest.Test(t, runs) // in virtual time
}

func runs(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	const want = `A-1 is paid: its timeout is taken back
A-2 gets twice the time
B-1 was ordered twice, and has one timeout: true
B-1 is paid: its timeout is taken back by its key
C-1 is paid while its timeout waits for a retry: that is taken back, too
not paid in time, cancelled: A-3
not paid in time, cancelled: A-2
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
