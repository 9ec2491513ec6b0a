package delayed

import (
	"fmt"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Each script does on the embedded server what it does on Redis.
func TestMigrateOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb, k := queuetest.Twin(t), queuetest.NewQueue()
	for i := range 20 {
		queuetest.Put(t, rdb, k, 1000+i%3, queuetest.JavaOld(int64(i)*7919, fmt.Appendf(nil, "old %d", i)))
		queuetest.Put(t, rdb, k, 1000+i%3, queuetest.JavaNew(javaID(i*7919), fmt.Appendf(nil, "new %d", i)))
	}
	queuetest.Put(t, rdb, k, 7, []byte("malformed"))
	rdb.RPush(t.Context(), k.Pending, queuetest.JavaOld(5, []byte("listed only")))
	for _, args := range []MigrateArgs{{DryRun: true}, {}, {}} {
		queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, args))
	}
}
