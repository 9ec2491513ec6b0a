package control

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	for _, change := range []func() (Settings, time.Time, error){
		func() (Settings, time.Time, error) { return Look(t.Context(), rdb, k) },
		func() (Settings, time.Time, error) {
			return PauseFor(t.Context(), rdb, k, Pause{Reason: "x", By: "y"}, time.Hour)
		},
		func() (Settings, time.Time, error) { return Look(t.Context(), rdb, k) },
		func() (Settings, time.Time, error) { return SetLimit(t.Context(), rdb, k, Limit{Rate: 5, Workers: 2}) },
		func() (Settings, time.Time, error) { return Resume(t.Context(), rdb, k, "z") },
		func() (Settings, time.Time, error) {
			return PauseFor(t.Context(), rdb, k, Pause{Reason: "over", Until: time.Now()}, 0)
		},
		func() (Settings, time.Time, error) {
			return SetLimit(t.Context(), rdb, k, Limit{Rate: -1, Workers: -1})
		},
	} {
		if _, _, err := change(); err != nil {
			t.Error(err)
		}
	}
}
