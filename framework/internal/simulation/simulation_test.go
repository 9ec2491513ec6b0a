//go:build simulation

package simulation

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What a run may be told by the environment.
const (
	envSeeds = "DUEQUEUE_TEST_SEEDS" // how many
	envSeed  = "DUEQUEUE_TEST_SEED"  // the first one; it repeats a finding
	envTrace = "DUEQUEUE_TEST_TRACE" // a file for all that went over the network

	envShrink = "DUEQUEUE_TEST_SHRINK" // 1: leave out what a finding does not need
)

const shrinkTime = 8 * time.Minute

func number(t *testing.T, env string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", env, err)
	}
	return n
}

// TestSimulation: whatever happens to a fleet in an hour, no message is lost, early or
// stuck.
func TestSimulation(t *testing.T) {
	first, seeds := number(t, envSeed, 1), number(t, envSeeds, 10)
	began := time.Now()
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			out := play(t, newPlan(seed), os.Getenv(envTrace) != "", logTo(t))
			t.Logf("played: %d offered, %d handled, %d packets, sum %016x, %v", out.offered, out.handled, out.arrivals, out.sum, out.took.Round(time.Millisecond))
			if file := os.Getenv(envTrace); file != "" {
				if err := os.WriteFile(file, []byte(strings.Join(out.trace, "\n")), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if len(out.findings) > 0 {
				t.Errorf("%s\nfaults before:\n  %s", strings.Join(out.findings, "\n"), strings.Join(out.faults, "\n  "))
				if os.Getenv(envShrink) != "" {
					left, less := shrink(t, newPlan(seed), out.findings[0], time.Now().Add(shrinkTime))
					t.Logf("these %d steps are enough:\n  %s\nfor:\n%s", len(left.steps), left, strings.Join(less.findings, "\n"))
				}
			}
		})
	}
	t.Logf("report: %d virtual hours in %v", seeds, time.Since(began).Round(time.Millisecond))
}

// logTo shows what processes log where a single seed is run verbosely.
func logTo(t *testing.T) slog.Handler {
	if os.Getenv(envTrace) == "" {
		return nil
	}
	return slog.NewTextHandler(t.Output(), nil)
}
