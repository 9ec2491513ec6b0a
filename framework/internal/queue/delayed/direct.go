package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Direct returns the client to use for a call that must not be resent behind the
// caller's back. A cluster client resends whatever broke off, MaxRetries or not,
// up to MaxRedirects times; the client of the node that holds key does not. Other
// clients are returned as they are: they should have MaxRetries -1.
//
// A node answers MOVED, ASK or TRYAGAIN while slots move. Nothing was executed
// then, and the next try may go through the cluster client, which follows.
func Direct(ctx context.Context, rdb redis.Scripter, key string) (redis.Scripter, error) {
	if !redisapi.IsCluster(rdb) {
		return rdb, nil
	}
	node, err := redisapi.Node(ctx, rdb.(redisapi.Client), key)
	if err != nil {
		return nil, rediserr.Classify("CLUSTER SLOTS", err)
	}
	return node, nil
}
