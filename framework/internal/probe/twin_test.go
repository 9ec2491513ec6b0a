package probe

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	if err := Queue(t.Context(), rdb, k); err != nil {
		t.Error(err)
	}
}
