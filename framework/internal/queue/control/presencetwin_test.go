package control

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestPresenceOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	for i := range 4 { // of one process: the servers tell those of a hash in different orders
		write(t, rdb, k, "process", time.Second, time.Minute, Record{Workers: i})
	}
	queuetest.Must[[]Process](t)(ReadProcesses(t.Context(), rdb, k))
}
