package delayed

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestMain(m *testing.M) { lab.Main(m) }

// Pending collects a walk.
func Pending(ctx context.Context, rdb redis.Scripter, k wire.Keys, offset, limit int64, emptyOK bool) (found []PendingMessage, err error) {
	for m, err := range WalkPending(ctx, rdb, k, offset, limit, emptyOK) {
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}
