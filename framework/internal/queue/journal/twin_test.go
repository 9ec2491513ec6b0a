package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k, b := queuetest.Twin(t), queuetest.NewQueue(), newBook(time.Hour, 5, []string{"order"}, undecoded)
	for i := range 8 {
		var p Pages
		p.Add(b, &Record{Outcome: Handled, ID: fmt.Sprint("id-", i), AtMs: 4102444800000 + int64(i), Key: "key"}, wire.MessageID{}, map[string]any{"order": i})
		write(t, rdb, k, b, p.Take())
	}
	all(t, rdb, k)
	queuetest.Must[int64](t)(Count(t.Context(), rdb, k))
	queuetest.Must[int](t)(Strike(t.Context(), rdb, k, func(r Record) bool { return r.ID == "id-6" }, func() error { return nil }))
	queuetest.Must[int64](t)(b.Trim(t.Context(), rdb, k))
}
