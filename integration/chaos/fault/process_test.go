package fault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

func TestKillEndsTheProcess(t *testing.T) {
	t.Parallel()
	child := startSleeper(t)
	f := fault.Kill("kill", func() (fault.Process, bool) { return child, true }, nil)
	noError(t, f.Strike(bounded(t)))
	if child.Running() || child.Err() == nil || child.Err().Error() != "signal: killed" {
		t.Errorf("running %v, ended with %v", child.Running(), child.Err())
	}
	if err := f.Strike(bounded(t)); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("killing it again: %v, want ErrNoTarget", err)
	}
	wantTally(t, f, 1, 1)
}

func TestKillRevives(t *testing.T) {
	t.Parallel()
	child := startSleeper(t)
	revived := 0
	f := fault.Kill("kill", func() (fault.Process, bool) { return child, true }, func(context.Context) error {
		revived++
		child = startSleeper(t)
		return nil
	})
	strike(t, f)
	heal(t, f)
	if revived != 1 || !child.Running() {
		t.Errorf("revived %d times, running %v", revived, child.Running())
	}
}

func TestPauseStopsTheProcess(t *testing.T) {
	t.Parallel()
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	f := fault.RedisPause(srv)
	strike(t, f)
	short, cancel := context.WithTimeout(bounded(t), 200*time.Millisecond)
	defer cancel()
	if err := srv.Client().Ping(short).Err(); err == nil {
		t.Error("a stopped server answers")
	}
	heal(t, f)
	noError(t, srv.Client().Ping(bounded(t)).Err())
	wantTally(t, f, 1, 1)
}

func TestNoTarget(t *testing.T) {
	t.Parallel()
	none := func() (fault.Process, bool) { return nil, false }
	for _, f := range []fault.Fault{fault.Kill("kill", none, nil), fault.Pause("pause", none)} {
		if err := f.Strike(bounded(t)); !errors.Is(err, fault.ErrNoTarget) {
			t.Errorf("%s: %v, want ErrNoTarget", f.Name(), err)
		}
		heal(t, f)
		wantTally(t, f, 0, 0)
	}
}

// TestTogetherUndoes: the second of two finds no target, so the first must not stay.
func TestTogetherUndoes(t *testing.T) {
	t.Parallel()
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	pause := fault.RedisPause(srv)
	both := fault.Together("both", pause, fault.Kill("kill", func() (fault.Process, bool) { return nil, false }, nil))
	if err := both.Strike(bounded(t)); !errors.Is(err, fault.ErrNoTarget) {
		t.Fatalf("strike: %v", err)
	}
	noError(t, srv.Client().Ping(bounded(t)).Err())
	if got := both.Tally(); got.Strikes != 0 || got.Effects != 1 {
		t.Errorf("tally %v", got)
	}
}
