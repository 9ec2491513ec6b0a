package connect

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// The embedded server, which has neither permissions nor a version, passes the probe.
func TestProbeOfTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := lab.Connect(t, miniredis.RunT(t).Addr()), queuetest.NewQueue()
	if err := ProbeQueues(t.Context(), rdb, []wire.Keys{k}, nil)[0]; err != nil {
		t.Error(err)
	}
	if version, err := Version(t.Context(), rdb); err != nil || version != "" {
		t.Errorf("got %q, %v", version, err)
	}
	if keys := rdb.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("left behind: %v", keys)
	}
}
