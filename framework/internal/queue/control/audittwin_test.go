package control

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestAuditOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb := queuetest.Twin(t)
	for range 3 {
		queuetest.Must[string](t)(WriteAudit(t.Context(), rdb, AuditEntry{Who: "me", Action: "pause", Queue: "q"}))
	}
	queuetest.Must[[]AuditEntry](t)(AuditPage(t.Context(), rdb, "", 2))
}
