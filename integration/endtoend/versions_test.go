package endtoend_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// earlierVersion returns this test's binary, built from the last version's source.
func earlierVersion(t *testing.T) string {
	t.Helper()
	program := os.Getenv("DUEQUEUE_TEST_EARLIER")
	if program == "" {
		t.Fatal("no binary of an earlier version: run make versions")
	}
	return program
}

// TestVersionsDeploy: a fleet of the last version is replaced by this one and then, as a
// rollback does, by the last one again, under load. Nothing is lost, what is shorter than a
// drain runs once, and what is longer is counted.
func TestVersionsDeploy(t *testing.T) {
	t.Parallel()
	earlier := earlierVersion(t)
	deployInTime(t, earlier, "", earlier)
}

// TestVersionsKill: a service of one version dies while it handles messages, beside one of
// the other version, which gets all of them when the lease is over.
func TestVersionsKill(t *testing.T) {
	t.Parallel()
	earlier := earlierVersion(t)
	for name, programs := range map[string][2]string{"earlier dies": {earlier, ""}, "later dies": {"", earlier}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 4, 20*time.Second)
			f.spec.program = programs[0]
			dies := f.serve(t)
			var messages []string
			for i := range 40 {
				messages = append(messages, fmt.Sprintf("m%d 300ms", i))
			}
			f.push(t, messages...)
			f.awaitStarted(t, 4)
			f.spec.program = programs[1]
			stays := f.serve(t)
			f.awaitStarted(t, 12)
			dies.signal(t, syscall.SIGKILL)
			_ = dies.wait(t) // "signal: killed"
			lab.Wait(t, func() string {
				if n := len(f.times(t, finishedKey)); n < len(messages) {
					return fmt.Sprintf("%d of %d finished; %s", n, len(messages), rig.Standing(t, f.client, f.queue))
				}
				return ""
			})
			stays.signal(t, syscall.SIGTERM)
			if err := stays.wait(t); err != nil {
				t.Errorf("stop: %v", err)
			}
			again := 0
			for _, n := range f.times(t, startedKey) {
				again += n - 1
			}
			if again > 4 { // those that the dead one was at
				t.Errorf("%d messages were started again", again)
			}
			if c := rig.Counts(t, f.client, f.queue); c.Ready+c.Delayed+c.Dead != 0 {
				t.Errorf("left over: %+v", c)
			}
		})
	}
}
