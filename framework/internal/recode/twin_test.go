package recode

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	filled(t, rdb, k, 20)
	for range 2 {
		queuetest.Must[Count](t)(Run(t.Context(), rdb, k, args()))
	}
}
