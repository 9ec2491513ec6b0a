package endtoend_test

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// fleetQueue is served by processes that an operator steers.
const fleetQueue = "fleet"

// TestFleetIsSteeredAndSeen: two services are seen with what they do; a pause holds them, and one
// that starts meanwhile; one that is killed is silent and then gone, and what it had is handled by the
// others once the pause is over.
func TestFleetIsSteeredAndSeen(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	queue := registry.Define[string](fleetQueue, "steered", registry.Codec(codecs.String()))
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
	spec := serviceSpec{URL: srv.URL(), Queue: fleetQueue, Workers: 2, Lease: 3 * time.Second, Stop: 5 * time.Second, Handler: "record"}
	one, two := startService(t, spec), startService(t, spec)
	processes := func() []admin.Process {
		all, err := admin.Processes(ctx, client, fleetQueue)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	lab.Wait(t, func() string {
		if all := processes(); len(all) != 2 || all[0].Intake != health.IntakeOpen || all[1].Intake != health.IntakeOpen {
			return fmt.Sprintf("processes: %+v", all)
		}
		return ""
	})
	for _, name := range []string{"a", "b", "c", "d"} {
		rig.Offer(t, client, queue, name+" 4s", 0)
	}
	var f admin.InFlight
	lab.Wait(t, func() string {
		var err error
		if f, err = admin.InFlightOf(ctx, client, fleetQueue); err != nil || len(f.Messages) != 4 || f.Held != 4 {
			return fmt.Sprintf("in flight: %+v %v", f, err)
		}
		return ""
	})
	var pids []int
	for _, m := range f.Messages {
		pids = append(pids, m.PID)
		if m.ID == "" || m.Attempt != 1 || m.Host == "" || m.Hung || m.Silent {
			t.Errorf("%+v", m)
		}
	}
	for _, c := range []*child{one, two} {
		if pid := c.cmd.Process.Pid; !slices.Contains(pids, pid) {
			t.Errorf("process %d has nothing: %v", pid, pids)
		}
	}

	rig.Offer(t, client, queue, "e 1ms", 0)
	if _, err := admin.Pause(ctx, client, fleetQueue, admin.PauseOptions{Reason: "a deploy", By: "ops"}); err != nil {
		t.Fatal(err)
	}
	three := startService(t, spec)
	if err := one.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	lab.Wait(t, func() string {
		all := processes()
		for _, p := range all {
			switch {
			case p.PID == one.cmd.Process.Pid && !p.Silent, p.PID != one.cmd.Process.Pid && (p.Silent || p.Reason != health.BecausePaused):
				return fmt.Sprintf("processes: %+v", all)
			}
		}
		if len(all) != 3 {
			return fmt.Sprintf("%d processes", len(all))
		}
		return ""
	})
	lab.Wait(t, func() string {
		if all := processes(); len(all) != 2 {
			return fmt.Sprintf("processes: %+v", all)
		}
		return ""
	})
	t.Logf("report: a process that was killed was gone after %v, of a lease of %v", time.Since(killed).Round(100*time.Millisecond), spec.Lease)
	lab.Wait(t, func() string { // what one had is given back, what two had has ended
		c := rig.Counts(t, client, queue)
		if c.Ready != 3 || c.InFlight != 0 || rdb.LLen(ctx, finishedKey).Val() != 2 {
			return fmt.Sprintf("%+v, %d finished", c, rdb.LLen(ctx, finishedKey).Val())
		}
		if c.Lag < time.Second || c.LagAtLeast {
			return fmt.Sprintf("lag %v", c.Lag)
		}
		return ""
	})
	if n := rdb.LLen(ctx, startedKey).Val(); n != 4 {
		t.Errorf("%d messages were started, four before the pause", n)
	}
	if _, err := admin.Resume(ctx, client, fleetQueue, "ops"); err != nil {
		t.Fatal(err)
	}
	lab.Wait(t, func() string {
		if n := rdb.LLen(ctx, finishedKey).Val(); n != 5 {
			return fmt.Sprintf("%d finished", n)
		}
		return ""
	})
	for _, c := range []*child{two, three} {
		if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
		<-c.ended
	}
	if all := processes(); len(all) != 0 {
		t.Errorf("after they stopped: %+v", all)
	}
}
