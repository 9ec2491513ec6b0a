//go:build simulation

package simulation

// Runs that are short, for what an hour would show as well.

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReplay: a run is repeated from its record, also where packets would take other times;
// where that is not possible, the replay says so.
func TestReplay(t *testing.T) {
	p := newPlan(1, 3*time.Minute)
	was := play(t, p, how{})
	if was.left != "" || len(was.findings) > 0 {
		t.Fatal(was.left, was.findings)
	}
	name := filepath.Join(t.TempDir(), "record.gz")
	if err := was.record.write(name); err != nil {
		t.Fatal(err)
	}
	read, err := readRecord(name)
	if err != nil {
		t.Fatal(err)
	}
	other := play(t, p, how{salt: "other "})
	if other.sum == was.sum {
		t.Fatal("other latencies make no difference")
	}
	for _, again := range []how{{follows: read}, {follows: read, salt: "other "}} {
		if out := play(t, read.plan, again); out.sum != was.sum || out.left != "" {
			t.Errorf("sum %016x, want %016x: %s", out.sum, was.sum, out.left)
		}
	}
	read.arrivals[5000].hash++
	out := play(t, read.plan, how{follows: read})
	if want := "the run leaves its record at arrival 5001 of "; !strings.HasPrefix(out.left, want) || len(out.findings) > 0 {
		t.Errorf("%q, want %q…; %q", out.left, want, out.findings)
	}
}

// TestPoison: what kills each process that handles it ends in the dead store, and what was
// in hand with it is handled.
func TestPoison(t *testing.T) {
	out := play(t, plan{seed: 1}, how{})
	if len(out.findings) > 0 || out.offered != 7 || out.handled != 6 || out.dead != 1 {
		t.Errorf("%d offered, %d handled, %d dead, want 7, 6, 1; %q, %q", out.offered, out.handled, out.dead, out.findings, out.faults)
	}
}
