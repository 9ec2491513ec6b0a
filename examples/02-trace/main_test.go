package main

import (
	"testing"
	"time"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}
