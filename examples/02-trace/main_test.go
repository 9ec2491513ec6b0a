package main

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRuns(t *testing.T) {
	synctest.Test(t, runs) // in virtual time
}

func runs(t *testing.T) {
	if err := run(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}
