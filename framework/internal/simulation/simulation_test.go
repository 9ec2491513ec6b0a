//go:build simulation

package simulation

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
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

	envReplay  = "DUEQUEUE_TEST_REPLAY"  // the record of a run, to be played in place of a seed
	envRecords = "DUEQUEUE_TEST_RECORDS" // the directory for records of runs with findings
	envKeep    = "DUEQUEUE_TEST_KEEP"    // 1: write the record of each run
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
	if name := os.Getenv(envReplay); name != "" {
		r, err := readRecord(name)
		if err != nil {
			t.Fatal(err)
		}
		simulate(t, r.plan, r)
		return
	}
	first, seeds := number(t, envSeed, 1), number(t, envSeeds, 10)
	began := time.Now()
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { simulate(t, newPlan(seed, runTime), nil) })
	}
	t.Logf("report: %d virtual hours in %v", seeds, time.Since(began).Round(time.Millisecond))
}

// simulate plays a plan and says what came of it.
func simulate(t *testing.T, p plan, follows *record) {
	t.Helper()
	out := play(t, p, how{keep: os.Getenv(envTrace) != "", log: logTo(t), follows: follows})
	t.Logf("played: %d offered, %d handled, %d dead, %d packets, sum %016x, %v", out.offered, out.handled, out.dead, len(out.record.arrivals), out.sum, out.took.Round(time.Millisecond))
	switch {
	case out.left != "":
		t.Log("replay: " + out.left)
	case follows != nil:
		t.Log("replay: the run went as its record")
	}
	if file := os.Getenv(envTrace); file != "" {
		if err := os.WriteFile(file, []byte(strings.Join(out.trace, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(out.findings) > 0 && follows == nil || os.Getenv(envKeep) != "" {
		writeRecord(t, out.record, out.sum)
	}
	if len(out.findings) == 0 {
		return
	}
	t.Errorf("%s\nfaults before:\n  %s", strings.Join(out.findings, "\n"), strings.Join(out.faults, "\n  "))
	if os.Getenv(envShrink) != "" {
		left, less := shrink(t, p, how{follows: follows}, out.findings[0], time.Now().Add(shrinkTime))
		t.Logf("these %d steps are enough:\n  %s\nfor:\n%s", len(left.steps), left, strings.Join(less.findings, "\n"))
		writeRecord(t, less.record, less.sum)
	}
}

func writeRecord(t *testing.T, r *record, sum uint64) {
	t.Helper()
	dir := cmp.Or(os.Getenv(envRecords), os.TempDir()) //nolint:usetesting // it is for after the test
	name := filepath.Join(dir, fmt.Sprintf("simulation-%d-%016x.gz", r.plan.seed, sum))
	if err := r.write(name); err != nil {
		t.Error(err)
	}
	t.Log("record: " + name)
}

// logTo shows what processes log where a single seed is run verbosely.
func logTo(t *testing.T) slog.Handler {
	if os.Getenv(envTrace) == "" {
		return nil
	}
	return slog.NewTextHandler(t.Output(), nil)
}
