package audit

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb := queuetest.Twin(t)
	for range 3 {
		queuetest.Must[string](t)(Write(t.Context(), rdb, Entry{Who: "me", Action: "pause", Queue: "q"}))
	}
	queuetest.Must[[]Entry](t)(Page(t.Context(), rdb, "", 2))
}
