package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// TestMain lets this binary play the roles of the processes that the rows harm.
func TestMain(m *testing.M) {
	if text := os.Getenv(envRole); text != "" {
		if err := play(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestNothingIsLost is the short form of make chaos: processes are killed and paused
// beyond their lease, and Redis is killed, while messages are offered and handled.
func TestNothingIsLost(t *testing.T) {
	ledger, err := fault.StartServer(t.Context(), fault.ServerOptions{Fsync: fault.Nothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ledger.Close() })
	seed := seedOf(t)
	h := &harness{ledger: ledger, java: &javaBuilds{}, seed: seed, log: t.Logf}
	got := h.run(t.Context(), smokeRow())
	for _, p := range got.problems {
		t.Errorf("seed %d: %s", seed, p)
	}
	a := got.account
	t.Logf("report: seed %d: %s: %d accepted, %d lost, %d of at most %d handled again, recovery %v, of a lease of %v",
		seed, got.strikeText(), a.accepted, len(a.lost), a.duplicated, a.bound, a.recovery, got.row.lease)
}
