package registry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/registry"
)

func TestBoundsOfTheDeadStore(t *testing.T) {
	t.Parallel()
	if p := registry.Define[string]("A", "", registry.Codec(fake)).Policy(); p.DeadLimit != 0 || p.DeadAge != 0 {
		t.Errorf("by default %d, %v", p.DeadLimit, p.DeadAge)
	}
	q := registry.Define[string]("A", "", registry.Codec(fake), registry.DeadLimit(1000), registry.DeadAge(720*time.Hour))
	if p := q.Policy(); q.Err() != nil || p.DeadLimit != 1000 || p.DeadAge != 720*time.Hour {
		t.Errorf("%d, %v, %v; want 1000, 720h0m0s and no error", p.DeadLimit, p.DeadAge, q.Err())
	}
	for option, reason := range map[registry.Option]string{
		registry.DeadLimit(0):              "must be positive: without this option all dead messages are kept",
		registry.DeadAge(time.Second - 1):  "must be at least 1s: without this option all dead messages are kept",
		registry.DeadAge(-720 * time.Hour): "must be at least 1s: without this option all dead messages are kept",
		registry.DeadLimit(-1):             "must be positive: without this option all dead messages are kept",
	} {
		t.Run(option.String(), func(t *testing.T) {
			var oe *registry.OptionError
			if err := registry.Define[string]("A", "", registry.Codec(fake), option).Err(); !errors.As(err, &oe) || oe.Option != option.String() || oe.Reason != reason {
				t.Errorf("got %v, want %q", err, reason)
			}
		})
	}
}
